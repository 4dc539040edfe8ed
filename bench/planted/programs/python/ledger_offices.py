"""Audits the ledgers of companies: each office is a process that gets an equal count of ledgers and audits them.

Ledgers differ in length. The dial is the share of the companies that stand in the register by size, the largest at the
front and the smallest at the end; the others are spread evenly. As offices get equal counts in the register's order,
the first office has more to do than the last, and the others wait for it: imbalance. The ledgers themselves and the
work in total are the same at every dial.
"""

import multiprocessing
import sys
from multiprocessing.connection import Connection

GOLDEN = 0.6180339887498949


def length(company: int, companies: int) -> int:
    """Return the number of entries: few large companies, many small ones."""
    return 40 + round(1000 * (1 - company / companies) ** 2)


def register(companies: int, dial: float) -> list[int]:
    """Return the companies, numbered from the largest to the smallest, in the register's order."""
    places = []
    for company in range(companies):
        spread = company * GOLDEN % 1
        by_size = company * GOLDEN * 7 % 1 < dial
        places.append((company / companies if by_size else spread, company))
    return [company for _, company in sorted(places)]


def audit(company: int, entries: int) -> int:
    """Post the entries to accounts and return a checksum of the balances."""
    balances = [0] * 16
    entry = company * 2654435761 + 1 & 0xFFFFFFFF
    for _ in range(entries):
        entry = (entry * 1664525 + 1013904223) & 0xFFFFFFFF
        amount = entry >> 12 & 0xFFFF
        balances[entry >> 28] += amount
        balances[entry >> 8 & 15] -= amount - (amount * 19 // 119)
    checksum = 0
    for balance in balances:
        checksum = (checksum * 31 + balance) % 1000000007
    return checksum


def office(ledgers: list[int], companies: int, report: Connection) -> None:
    """Audit some ledgers and send the sum of their checksums."""
    report.send(sum(audit(company, length(company, companies)) for company in ledgers))
    report.close()


def main() -> None:
    """Divide the register among the offices, and collect what they report."""
    offices, dial, companies = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    order = register(companies, dial)
    context = multiprocessing.get_context("fork")
    reports, processes = [], []
    for number in range(offices):
        part = order[companies * number // offices : companies * (number + 1) // offices]
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=office, args=(part, companies, sender))
        process.start()
        sender.close()
        reports.append(receiver)
        processes.append(process)
    total = sum(receiver.recv() for receiver in reports)
    for process in processes:
        process.join()
    print(total)


main()
