"""Makes an almanac of eclipses: computers, as they were called, find new moons near the moon's node, saros by saros.

Each computer is a process at the end of a pipe, and gets every n-th moon of a saros. What they find is then worked out
in full, with the series of the moon's path, before the next saros starts from what was found. The dial is the share of
the moons that the editor, the parent process, works out alone, when all computers have reported and have nothing to do;
the others are worked out by the computers at once. This is a serial part.
"""

import sys
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection

MOONS = 224
TERMS = 90
CIRCLE = 1 << 20


def find(number: int, epoch: int) -> int:
    """Find how far a new moon is from the node, in parts of a circle."""
    mean = (number * 87_412 + epoch) % CIRCLE
    for _ in range(4):
        mean = (mean + (mean * 3 >> 7) - (mean * mean >> 27)) % CIRCLE
    return mean


def work_out(moon: int) -> int:
    """Sum the series of the moon's path, and return how deep its shadow is."""
    depth, angle = 0, moon
    for term in range(1, TERMS):
        angle = (angle + moon * term) % CIRCLE
        height = angle if angle < CIRCLE // 2 else CIRCLE - angle
        depth += (height * (TERMS - term) >> 8) - depth // 9
    return depth


def computer(desk: Connection, numbers: range, for_editor: int) -> None:
    """Answer every epoch with the moons that were only found, and the sum of those that were worked out."""
    while (epoch := desk.recv()) is not None:
        found, shadows = [], 0
        for number in numbers:
            moon = find(number, epoch)
            if number * 89 % MOONS < for_editor:
                found.append(moon)
            else:
                shadows += work_out(moon)
        desk.send((found, shadows))


def saros(desks: list[Connection], epoch: int) -> int:
    """Have one saros computed; return the sum of its shadows."""
    for desk in desks:
        desk.send(epoch)
    reports = [desk.recv() for desk in desks]
    return sum(shadows + sum(map(work_out, found)) for found, shadows in reports)


def main(computers: int, share: float, pages: int) -> None:
    """Print the sum of all shadows, a page for each saros."""
    desks: list[Connection] = []
    staff: list[Process] = []
    for which in range(computers):
        ours, theirs = Pipe()
        numbers = range(which, MOONS, computers)
        staff.append(Process(target=computer, args=(theirs, numbers, round(share * MOONS)), daemon=True))
        staff[-1].start()
        desks.append(ours)
    epoch, almanac = 1999, 0
    for page in range(pages):
        shadows = saros(desks, epoch)
        almanac += shadows * (page + 1)
        epoch = (epoch * 31 + shadows) % CIRCLE
    for desk in desks:
        desk.send(None)
    for one in staff:
        one.join()
    print(almanac)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
