"""Sum of Euler's totient over 1..n with a pool of processes.

Usage: python3 sumeuler.py N PROCESSES
"""

import sys
from math import gcd
from multiprocessing import Pool


def totients(bounds: tuple[int, int]) -> int:
    """Return the sum of totients over low..high-1."""
    return sum(gcd(k, other) == 1 for k in range(*bounds) for other in range(1, k + 1))


def main() -> None:
    """Read the arguments, share the chunks out, print the sum."""
    n, processes = int(sys.argv[1]), int(sys.argv[2])
    size = max(1, n // 64)
    chunks = [(low, min(n + 1, low + size)) for low in range(1, n + 1, size)]
    with Pool(processes) as pool:
        print(sum(pool.imap_unordered(totients, chunks)))


if __name__ == "__main__":
    main()
