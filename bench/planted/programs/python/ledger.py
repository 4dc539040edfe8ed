"""Serial part: books a year of journal entries in worker processes, a chunk a task; the parent draws up the balance.

The dial is the share of entries in foreign currency, which the workers hand back for the parent to convert and book, as
it alone has the rates. It does so when all chunks are in, and the workers are idle. An entry costs the same in either
place, and every entry is booked once at any dial.
"""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

THREADS, DIAL, WORK = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
ACCOUNTS = 40
CHUNK = 250
RATES = [10_000 + 37 * i for i in range(8)]


def entry(number: int) -> tuple[int, int, int]:
    """Return the account, the other account, and the amount of an entry in cents."""
    x = (number + 1) * 2654435761 & 0xFFFFFFFF
    return x % ACCOUNTS, (x >> 8) % ACCOUNTS, (x >> 4) % 1_000_000


def book(balance: Counter[int], number: int) -> None:
    """Book an entry: its amount with interest day by day until the end of its month, in two currencies."""
    debit, credit, amount = entry(number)
    rate = RATES[number % 8]
    cents = amount * rate // 10_000
    for day in range(number % 30, 30 + number % 30):
        cents += cents * (day + 3) // 40_000
    balance[debit] += cents
    balance[credit] -= cents


def foreign(number: int) -> bool:
    """Whether the parent must book an entry."""
    return (number + 1) * 0x9E3779B1 % 2**32 < DIAL * 2**32


def journal(chunk: int) -> tuple[Counter[int], list[int]]:
    """Book a chunk; return its balance and the entries left."""
    balance: Counter[int] = Counter()
    left = []
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        if foreign(number):
            left.append(number)
        else:
            book(balance, number)
    return balance, left


def main() -> None:
    """Print a number that all balances are in."""
    total: Counter[int] = Counter()
    with ProcessPoolExecutor(THREADS, mp_context=get_context("fork")) as pool:
        parts = list(pool.map(journal, range(WORK // CHUNK), chunksize=4))
        for balance, left in parts:
            for account, cents in balance.items():
                total[account] += cents
            for number in left:
                book(total, number)
    print(f"{sum(cents * (account + 1) for account, cents in total.items()) & (2**64 - 1):016x}")


main()
