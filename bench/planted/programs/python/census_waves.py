"""Census waves: processes fill gaps in the forms of households, wave by wave; the parent fills those in dispute.

Each wave takes its donor from the totals of the wave before. The dial is the share of the forms that count as disputed:
the children leave them out and the parent fills them alone when a wave's answers are in, while the children wait at
their pipes for the next wave. A form costs the same in either place, and every process has an interpreter of its own.
"""

import sys
from multiprocessing.connection import Connection, Pipe
from os import _exit, fork, waitpid

WAVES = 8
QUESTIONS = 120


def filled(form: int, donor: int) -> int:
    """Fill the gaps of one form from the donor's answers."""
    answer, known = (form * 2654435761 + donor) & 0xFFFFFFFF, 0
    for question in range(QUESTIONS):
        answer = (answer * 69069 + question) & 0xFFFFFFFF
        if answer & 0x7000:
            known += answer >> 20
        else:
            known ^= donor
    return known & 0xFFFFFFFF


def child(pipe: Connection, place: int, places: int, dial: float) -> None:
    """Fill every undisputed form of the slices that come through the pipe; None ends it."""
    while (wave := pipe.recv()) is not None:
        begin, end, donor = wave
        undisputed = begin + int((end - begin) * (1 - dial))
        size = undisputed - begin
        first, last = begin + size * place // places, begin + size * (place + 1) // places
        pipe.send(sum(filled(form, donor) for form in range(first, last)))


def main() -> None:
    """Run all waves and print the last totals."""
    processes, dial, work = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    pipes, children = [], []
    for place in range(processes):
        near, far = Pipe()
        number = fork()
        if number == 0:
            child(far, place, processes, dial)
            _exit(0)
        pipes.append(near)
        children.append(number)
    donor = total = 0
    for wave in range(WAVES):
        begin, end = work * wave // WAVES, work * (wave + 1) // WAVES
        for pipe in pipes:
            pipe.send((begin, end, donor))
        here = sum(pipe.recv() for pipe in pipes)
        undisputed = begin + int((end - begin) * (1 - dial))
        here += sum(filled(form, donor) for form in range(undisputed, end))
        total += here
        donor = here & 0xFFFFFF
    for pipe in pipes:
        pipe.send(None)
    for number in children:
        waitpid(number, 0)
    print(total, donor)


main()
