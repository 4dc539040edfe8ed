"""Fixity: an archive checks every year that none of its documents has changed.

    fixity.py THREADS DIAL DOCUMENTS

The check of a document is a digest of its bytes and of the sum of all checks of the year before. Worker processes check
the documents on the open shelves. Those of the strongroom are checked by this process alone, when the workers are done.
DIAL is the share of the documents that are in the strongroom.
"""

import hashlib
import multiprocessing
import random
import sys
from multiprocessing.connection import Connection

YEARS = 5
LENGTH = 64_000
SHELF = random.Random(1876).randbytes(2 * LENGTH)


def check(document: int, before: int) -> int:
    """Return the check of a document, which lies somewhere on the shelf."""
    at = document * 6151 % LENGTH
    digest = hashlib.md5(before.to_bytes(16, "little"), usedforsecurity=False)
    digest.update(memoryview(SHELF)[at : at + LENGTH])
    return int.from_bytes(digest.digest()[:8], "little")


def read_shelf(documents: range, pipe: Connection) -> None:
    """Check the same documents every year: receive the sum of the year before, send the sum; None is the end."""
    while (before := pipe.recv()) is not None:
        pipe.send(sum(check(document, before) for document in documents))


def main() -> None:
    """Print the sum of the checks by year."""
    workers, share, count = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    open_shelves = count - round(count * share)
    strongroom = range(open_shelves, count)
    context = multiprocessing.get_context("fork")
    pipes, processes = [], []
    for worker in range(workers):
        mine, theirs = context.Pipe()
        part = range(open_shelves * worker // workers, open_shelves * (worker + 1) // workers)
        process = context.Process(target=read_shelf, args=(part, theirs), daemon=True)
        process.start()
        pipes.append(mine)
        processes.append(process)
    total = 0
    for year in range(1, YEARS + 1):
        before = total
        for pipe in pipes:
            pipe.send(before)
        total = sum(pipe.recv() for pipe in pipes)
        total += sum(check(document, before) for document in strongroom)
        print(f"year {year}: {total:x}")
    for pipe in pipes:
        pipe.send(None)
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
