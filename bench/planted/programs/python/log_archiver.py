"""Packs the hourly logs of many hosts: a router puts each hour's logs into the inbox of the packer that owns the host.

The dial is the share of the logs that come from one busy host, whose packer then has more to do than the others, who
sit at empty inboxes until the day is closed. The packers are threads, and zlib works outside the interpreter's lock, so
what is lost is imbalance; the logs themselves, and with them one thread's work, are the same at every dial.
"""

import sys
import threading
import zlib
from queue import SimpleQueue

DAYS = 3
LOG = 24_000
BUSY = 0


def lines() -> bytes:
    """Make up the text that all logs are cut from."""
    state = 1
    made = []
    for _ in range(3000):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        made.append(b"10.%d.%d.7 GET /shop/%x %d\n" % (state >> 23, state >> 15 & 255, state, 200 + state % 5))
    return b"".join(made)


TEXT = lines()


def log(number: int) -> bytes:
    """Cut a host's log out of the text."""
    begin = number * 7919 % (len(TEXT) - LOG)
    return b"log %d\n" % number + TEXT[begin : begin + LOG]


class Packer(threading.Thread):
    """Owns some of the hosts, and packs what comes from them."""

    def __init__(self, closed: SimpleQueue[int]) -> None:
        """Start with an empty inbox; `closed` takes a day's checksum."""
        super().__init__(daemon=True)
        self.inbox: SimpleQueue[int | None] = SimpleQueue()
        self.closed = closed

    def run(self) -> None:
        """Pack until the days are over; None ends a day."""
        for _ in range(DAYS):
            total = 0
            while (number := self.inbox.get()) is not None:
                total += zlib.crc32(zlib.compress(log(number), 6))
            self.closed.put(total)


class Router:
    """Knows which packer owns the host that a log came from."""

    def __init__(self, packers: list[Packer], busy: float) -> None:
        """Let the share `busy` of all logs come from the busy host."""
        self.packers = packers
        self.busy = busy
        self.owed = 0.0
        self.quiet = 0

    def owner(self) -> Packer:
        """Return the owner of the next log's host: the busy one as often as it is due, the others in turn."""
        self.owed += self.busy
        if self.owed >= 1:
            self.owed -= 1
            return self.packers[BUSY]
        self.quiet += 1
        return self.packers[self.quiet % len(self.packers)]

    def post(self, numbers: range) -> None:
        """Route a day's logs, and end the day."""
        for number in numbers:
            self.owner().inbox.put(number)
        for packer in self.packers:
            packer.inbox.put(None)


def main() -> None:
    """Archive some days of logs, and print the sum of all checksums."""
    threads, dial, work = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    closed: SimpleQueue[int] = SimpleQueue()
    packers = [Packer(closed) for _ in range(threads)]
    router = Router(packers, dial)
    for packer in packers:
        packer.start()
    total = 0
    for day in range(DAYS):
        router.post(range(work * day // DAYS, work * (day + 1) // DAYS))
        total += sum(closed.get() for _ in packers)
    for packer in packers:
        packer.join()
    print(f"{total:016x}")


main()
