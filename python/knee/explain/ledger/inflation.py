"""CPU time that grows, divided in a second way: by how the cpus did the work, not by which run shows it.

With hardware counters it has three factors, whose logarithms add up exactly in every block::

    CPU(n) / CPU(1) = instructions x cycles per instruction / clock

Without counters, a loop that needs nothing but a core tells what the clock does while the others compute; the rest is
one part. (The loop before and after each run, ``clock_before_ns``, sees idle cores and cannot tell.)
"""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, against, mean
from knee.explain.signs.beside import BUSY, shares_a_core, slower

INSTRUCTIONS, PER_INSTRUCTION, CLOCK = "instructions", "cycles per instruction", "a lower clock"

LOOP, REST = "a lower clock, by a loop beside busy cores", "the rest"


def factors(found: Evidence) -> list[tuple[str, Mean]]:
    """Return the factors of inflation by name, in logarithms; none where neither counters nor a run tell them."""
    base, many = found.base.threads, found.threads
    of_counter = {
        name: (found.series.counts(name, many), found.series.counts(name, base)) for name in ("instructions", "cycles")
    }
    if all(np.isfinite(each).any() for pair in of_counter.values() for each in pair):
        instructions, cycles = (np.log(after / before) for after, before in of_counter.values())
        cpu = np.log(found.series.counting_cpu(many) / found.series.counting_cpu(base))
        return [
            (INSTRUCTIONS, mean(instructions)),
            (PER_INSTRUCTION, mean(cycles - instructions)),
            (CLOCK, mean(cpu - cycles)),
        ]
    busy = slower(found, BUSY)
    if busy is None or shares_a_core(found):
        return []
    beside = found.tests[BUSY].cpu
    grown = against(found.many.cpu, beside)
    return [(LOOP, busy), (REST, grown)]
