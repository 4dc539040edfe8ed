"""Two stages, marked as regions: filling a table, and counting its bits.

Usage: knee run -- python3 examples/regions/stages.py N
"""

import sys

from knee import region


@region("fill")
def fill(n: int) -> list[int]:
    """Return n Fibonacci numbers modulo 2^32."""
    table = [1, 1]
    while len(table) < n:
        table.append((table[-1] + table[-2]) & 0xFFFFFFFF)
    return table[:n]


def main() -> None:
    """Read the argument, fill the table, print the sum."""
    table = fill(int(sys.argv[1]))
    with region("sum"):
        print(sum(number.bit_count() for number in table))


if __name__ == "__main__":
    main()
