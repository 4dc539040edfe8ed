"""Answers a city's questions about its parking fines: each clerk is a thread, which takes one district after another.

A district's tickets are a table in a small database in memory, and a question is a query, during which sqlite lets go
of the interpreter's lock. The dial is the share of the questions that nobody has put into SQL yet: for those the
clerk goes through the tickets in a loop of Python, which comes to the same sum and takes about as long. Of such loops
only one runs at a time, whatever the number of clerks: the interpreter lock.
"""

import sqlite3
import sys
from threading import Thread

DISTRICTS = 24
TICKETS = 1500

SCHEMA = """
CREATE TABLE ticket (plate INTEGER, zone INTEGER, minutes INTEGER);
WITH RECURSIVE street(n, x) AS (
    VALUES (1, :seed) UNION ALL SELECT n + 1, (x * 1103515245 + 12345) % 2147483648 FROM street WHERE n < :tickets
)
INSERT INTO ticket SELECT x / 64 % 100003, x / 512 % 12, x / 4096 % 600 FROM street;
"""

QUESTION = """
SELECT total((minutes * :rate + plate) % 977) FROM ticket WHERE zone <> :spared AND minutes > :grace
"""


class District:
    """The tickets of one district."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.files = sqlite3.connect(":memory:", isolation_level=None)
        create, insert = SCHEMA.split(";")[:2]
        self.files.execute(create)
        self.files.execute(insert, {"seed": number * 7919 + 17, "tickets": TICKETS})

    def tickets(self) -> list[tuple[int, int, int]]:
        """Return all tickets, for those who want to look at each."""
        return self.files.execute("SELECT plate, zone, minutes FROM ticket").fetchall()

    def query(self, rate: int, spared: int, grace: int) -> int:
        """Answer a question that has been put into SQL."""
        (fines,) = self.files.execute(QUESTION, {"rate": rate, "spared": spared, "grace": grace}).fetchone()
        return int(fines)


def by_hand(tickets: list[tuple[int, int, int]], rate: int, spared: int, grace: int) -> int:
    """Answer a question by going through the tickets."""
    fines = 0
    for plate, zone, minutes in tickets:
        if zone != spared and minutes > grace:
            fines += (minutes * rate + plate) % 977
    return fines


def clerk(numbers: range, share: float, questions: int, answers: dict[int, int]) -> None:
    """Answer all questions about some districts."""
    for number in numbers:
        district = District(number)
        tickets = district.tickets()
        fines = 0
        for question in range(questions):
            asked = (question % 7 + 2, question % 12, question * 13 % 40)
            # Spread evenly: by the fractional parts of multiples of the golden ratio.
            if (number * questions + question) * 0.6180339887 % 1 < share:
                fines += by_hand(tickets, *asked) * (question + 1)
            else:
                fines += district.query(*asked) * (question + 1)
        district.files.close()
        answers[number] = fines


def main(clerks: int, share: float, questions: int) -> None:
    """Print the sum of what all districts answered."""
    answers: dict[int, int] = {}
    office = [
        Thread(target=clerk, args=(range(first, DISTRICTS, clerks), share, questions, answers))
        for first in range(clerks)
    ]
    for one in office:
        one.start()
    for one in office:
        one.join()
    print(sum(answers.values()))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
