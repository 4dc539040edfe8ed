"""Steps of the Collatz sequence from every number up to N, shared out among threads of Python.

Usage: python3 gil.py N THREADS
"""

import sys
from concurrent.futures import ThreadPoolExecutor


def steps(first: int, last: int, stride: int) -> int:
    """Return how many steps all of these numbers take to reach 1."""
    total = 0
    for number in range(first, last + 1, stride):
        at = number
        while at != 1:
            at = 3 * at + 1 if at % 2 else at // 2
            total += 1
    return total


def main() -> None:
    """Read the arguments, give every thread its numbers, print the sum."""
    last, threads = int(sys.argv[1]), int(sys.argv[2])
    with ThreadPoolExecutor(threads) as pool:
        shares = [pool.submit(steps, first, last, threads) for first in range(1, threads + 1)]
        print(sum(share.result() for share in shares))


if __name__ == "__main__":
    main()
