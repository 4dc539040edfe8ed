"""Counts how often the judges of wine tastings disagree: each judge is compared with all who judged before.

A comparison counts the pairs of wines that two judges rank in opposite order. The comparisons of one judge are one task
of a pool of processes, and the last judge has the most. The pool cuts the list of tasks into one chunk a process.

The dial is the share of the judges who are listed in the order of their tasks' sizes, so that the chunks are unequal;
the others are dealt out in turns like cards, which makes chunks equal: imbalance. Every process has an interpreter of
its own, and all comparisons are the same at every dial.
"""

import multiprocessing
import random

import work

WINES = 14


def ranking(judge: int) -> list[int]:
    """Return how a judge ranks the wines."""
    wines = list(range(WINES))
    random.Random(judge).shuffle(wines)
    return wines


RANKINGS = [ranking(judge) for judge in range(work.WORK)]


def disagreements(one: list[int], other: list[int]) -> int:
    """Count the pairs of wines that two judges rank in opposite order."""
    found = 0
    for wine in range(1, WINES):
        mine, theirs = one[wine], other[wine]
        for rival in range(wine):
            if (one[rival] < mine) != (other[rival] < theirs):
                found += 1
    return found


def compare(judge: int) -> int:
    """Compare a judge with all who judged before."""
    mine = RANKINGS[judge]
    return sum(disagreements(mine, RANKINGS[other]) ** 2 for other in range(judge))


def listed() -> list[int]:
    """List the judges: a chunk of those in order and a hand of those dealt, for each process."""
    ordered = [judge for judge in range(work.WORK) if work.picked(judge)]
    dealt = [judge for judge in range(work.WORK) if not work.picked(judge)]
    judges: list[int] = []
    for process in range(work.THREADS):
        judges += ordered[len(ordered) * process // work.THREADS : len(ordered) * (process + 1) // work.THREADS]
        for turn in range(0, len(dealt), 2 * work.THREADS):
            cards = dealt[turn : turn + 2 * work.THREADS]
            judges += cards[process :: 2 * work.THREADS] + cards[2 * work.THREADS - 1 - process :: 2 * work.THREADS]
    return judges


def main() -> None:
    """Compare all judges, and print the sum."""
    chunk = -(-work.WORK // work.THREADS)
    with multiprocessing.get_context("fork").Pool(work.THREADS) as pool:
        print(sum(pool.map(compare, listed(), chunksize=chunk)))


main()
