"""Two worker processes: they work, then say where they may run."""

import multiprocessing
import os
import time
from pathlib import Path


def say(role: str) -> None:
    """Print the role, the thread's id and the cpus it may run on, in one write."""
    with Path("/proc/thread-self/status").open() as status:
        cpus = next(line.split()[1] for line in status if line.startswith("Cpus_allowed_list:"))
    os.write(2, f"{role} {os.getpid()} {cpus}\n".encode())


def work() -> None:
    """Be busy for a while, and on a busy machine until the process is pinned, for at most 20 s."""
    end = time.monotonic() + 0.4
    while time.monotonic() < end or (len(os.sched_getaffinity(0)) > 1 and time.monotonic() < end + 20):
        pass
    say("worker")


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    say("main")
