"""Counts the k-mers of sequencing reads in several processes, round after round, and stores what is counted.

kmers.py THREADS DIAL WORK

WORK is the number of reads in a round. DIAL is how many of a round's reads are stored one by one, each in a file that
is on the disk under its name before the next is begun. The others share a file, which is on the disk whenever the
system likes. No round begins before the one before is stored, so that a run can be taken up again.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

K = 6
READ = 150
ROUNDS = 12
PIECE = 8


def read_of(number: int) -> str:
    """Make up a read: pieces of a few repeats, with substitutions."""
    draw = random.Random(number)
    repeats = ("ACGTTGCA", "GATTACA", "CCGGTATC", "TTTAGGG", "CACACAGT")
    bases = "".join(draw.choice(repeats) for _ in range(READ // 6))[:READ]
    at = draw.randrange(READ)
    return bases[:at] + draw.choice("ACGT") + bases[at + 1 :]


def canonical(kmer: str) -> str:
    """Return the k-mer or its reverse complement, whichever comes first."""
    other = kmer[::-1].translate(COMPLEMENT)
    return min(kmer, other)


COMPLEMENT = str.maketrans("ACGT", "TGCA")


def count(number: int) -> tuple[int, dict[str, int]]:
    """Count the canonical k-mers of a read."""
    bases = read_of(number)
    counts: Counter[str] = Counter()
    for at in range(len(bases) - K + 1):
        counts[canonical(bases[at : at + K])] += 1
    return number, dict(counts.most_common(12))


class Store:
    """A folder with what was counted."""

    def __init__(self, folder: str) -> None:
        """Begin with nothing to store."""
        self.folder = Path(folder)
        self.handle = os.open(folder, os.O_RDONLY)
        self.lines: list[str] = []

    def add(self, number: int, counts: dict[str, int], commit: bool) -> None:
        """Store a read's counts; to commit is to replace a file and to wait until nothing of that can get lost."""
        line = f"{number} " + " ".join(f"{kmer}:{n}" for kmer, n in counts.items()) + "\n"
        if not commit:
            self.lines.append(line)
            return
        name = self.folder / f"read-{number}"
        part = name.with_suffix(".part")
        with part.open("w") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        part.rename(name)
        os.fsync(self.handle)

    def end_round(self, batch: int) -> None:
        """Store what has not been."""
        with (self.folder / f"round-{batch}").open("w") as file:
            file.writelines(self.lines)
        self.lines.clear()


def main() -> None:
    """Count and store all rounds; print the most frequent k-mers."""
    threads, dial, work = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="kmers-") as folder:
        store = Store(folder)
        with multiprocessing.get_context("fork").Pool(threads) as pool:
            for batch in range(ROUNDS):
                numbers = range(batch * work, (batch + 1) * work)
                for number, counts in pool.map(count, numbers, chunksize=PIECE):
                    total.update(counts)
                    store.add(number, counts, commit=number - numbers.start < dial)
                store.end_round(batch)
    frequent = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:5]
    print(sum(total.values()), *(f"{kmer}:{n}" for kmer, n in frequent))


if __name__ == "__main__":
    main()
