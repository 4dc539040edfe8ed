"""Interpreter lock: opens the sealed bulletins of weather offices, and counts the stations that report a gale.

The key of a bulletin is derived from a pass phrase, which hashlib does without the interpreter's lock. The dial is the
share of the bulletins whose reports are then read word by word in Python; in the others, one call of a method of str
finds the same number.
"""

import hashlib
import sys
import threading

STATIONS = 5000
ROUNDS = 3000
OFFICES = 2


def bulletin(office: int) -> str:
    """Make up the reports that an office sends."""
    reports = []
    for station in range(STATIONS):
        dice = (station * 2654435761 + office * 40503) >> 7
        weather = "GALE" if dice % 13 == 0 else "CALM"
        reports.append(f"ST{station:04} {dice % 360:03}/{dice % 59} {weather} {960 + dice % 80}")
    return "\n".join(reports)


def key(number: int) -> int:
    """Derive the key of a bulletin."""
    derived = hashlib.pbkdf2_hmac("sha256", b"fair winds %d" % number, b"harbour", ROUNDS)
    return int.from_bytes(derived[:6], "little")


def gales_by_word(reports: str) -> int:
    """Read all reports as a program that checks them would."""
    gales = 0
    for report in reports.split("\n"):
        station, wind, weather, pressure = report.split(" ")
        if weather == "GALE" and station.startswith("ST") and "/" in wind and int(pressure) >= 900:
            gales += 1
    return gales


def main() -> None:
    """Open as many bulletins as asked for, in as many threads."""
    workers, dial, bulletins = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    kept = [bulletin(office) for office in range(OFFICES)]
    found = [0] * workers

    def read(worker: int) -> None:
        total = 0
        for number in range(bulletins * worker // workers, bulletins * (worker + 1) // workers):
            reports = kept[number % OFFICES]
            code = key(number)
            # The lowest bits of the code pick the share that is read by word.
            by_word = code & 0xFFFF < dial * 0x10000
            gales = gales_by_word(reports) if by_word else reports.count(" GALE ")
            total += code + gales * (number + 1)
        found[worker] = total

    threads = [threading.Thread(target=read, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(found))


main()
