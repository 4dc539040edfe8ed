"""The parts of the loss at one thread count, by block."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from knee.explain.evidence.cell import CLASSES
from knee.explain.evidence.evidence import COPIES, INTERLEAVED, ON_CORES, ONE_CPU, SPREAD, Evidence
from knee.explain.evidence.means import Mean, against, mean
from knee.explain.ledger.memory import remote
from knee.explain.ledger.side_by_side import never_slowed
from knee.stats.intervals import Array, combined

INFLATION, IDLE, BASE, OTHERS = "inflation", "idle", "base", "others"
"""Groups of parts."""

MACHINE, MORE, TOGETHER, UNDIVIDED = "shared hardware", "more to do", "only side by side", "CPU time, undivided"
"""Parts of inflation."""

SIBLINGS, DISTANT = "two threads a core", "memory of other nodes"
MACHINES = (MACHINE, SIBLINGS, DISTANT)
"""Parts of the machine: what copies show, which share hardware and nothing else."""

NOBODY, ONE, FEW, WAITING, UNCLASSED = (
    "no thread ready",
    "one thread ready",
    "too few threads ready",
    "waiting for a cpu",
    "idle or waiting, undivided",
)
"""Parts of idle time."""

CLASSED = (NOBODY, ONE, FEW, WAITING)
"""Those that runs tell apart."""

NOT_COMPUTED = "what the base did not compute"

TAKEN, TAKEN_FROM_BASE = "taken by other programs, at most", "taken from the base, at most"
LESS = -0.05
"""All threads on one cpu need surely less CPU time than one thread, from this logarithm on."""

BOUNDS = (TAKEN, TAKEN_FROM_BASE)
"""Upper bounds; idle time beside them is then a lower bound."""


@dataclass(frozen=True)
class Entry:
    """A part of the loss, in natural logarithms: a mean over the blocks of the program's own runs, and terms.

    The runs that answer a question may be fewer than the program's own, so they are samples of their own.
    """

    name: str
    of: str
    own: Array
    """Values by block, NaN where unknown."""
    terms: tuple[tuple[float, str], ...] = ()
    """Further samples by name, each with the factor by which its mean counts."""


@dataclass(frozen=True)
class Ledger:
    """The loss and its parts. The means of ``entries`` add up to that of ``loss``."""

    threads: int
    base: int
    loss: Mean
    entries: tuple[Entry, ...]
    samples: dict[str, Array]
    """The samples of terms, without NaN."""

    def entry(self, name: str) -> Entry | None:
        """Return the part of this name."""
        return next((one for one in self.entries if one.name == name), None)

    def value(self, *names: str) -> Mean:
        """Return the sum of the parts of these names; NaN without an interval if there is none of them."""
        found = [entry for entry in self.entries if entry.name in names]
        if not found:
            return mean(np.zeros(0))
        own = np.sum([entry.own for entry in found], axis=0)
        factors: dict[str, float] = {}
        for factor, sample in (term for entry in found for term in entry.terms):
            factors[sample] = factors.get(sample, 0.0) + factor
        if set(CLASSED) <= factors.keys():
            # Their shares add up to 1 in each run, of which one may be all that has idle time.
            factors = {name: factor for name, factor in factors.items() if name not in CLASSED}
        known = own[np.isfinite(own)]
        # Classes of idle time are shares of the same runs: where one is larger, others are smaller.
        classes = [factor * self.samples[name] for name, factor in factors.items() if name in CLASSED]
        others = [(factor, self.samples[name]) for name, factor in factors.items() if name not in CLASSED]
        value, ends = combined(known, [*others, *([(1.0, np.sum(classes, axis=0))] if classes else [])])
        sizes = [known.size, *(self.samples[name].size for name, factor in factors.items() if factor)]
        return Mean(value, ends, min(sizes))

    @property
    def side_by_side(self) -> Mean:
        """CPU time that grows only where threads run at the same time, beyond what the machine adds.

        Where all threads on one cpu need less than the base, it is what grows from the base: less time there is chance,
        or other work, and makes no loss larger.
        """
        return self.value(MORE, TOGETHER) if self.value(MORE).value < 0 else self.value(TOGETHER)

    def group(self, of: str) -> Mean:
        """Return the sum of a group."""
        return self.value(*(entry.name for entry in self.entries if entry.of == of))


def ledger(found: Evidence) -> Ledger:
    """Return the ledger of one thread count."""
    base, many, n = found.base, found.many, found.threads
    base_s, many_s = base.threads * base.seconds, n * many.seconds
    whole = np.isfinite(base_s) & np.isfinite(many_s) & np.isfinite(base.cpu) & np.isfinite(many.cpu)
    kept_base, kept = (
        1 - np.minimum(cell.taken(found.series.cpus), not_computed(seconds, cell.cpu))
        for seconds, cell in ((base_s, base), (many_s, many))
    )
    samples: dict[str, Array] = {}
    entries = [
        *_inflation(found, samples),
        *_idle(found, np.log(many_s * kept / many.cpu), samples),
        Entry(NOT_COMPUTED, BASE, -np.log(base_s * kept_base / base.cpu)),
    ]
    if (kept_base[whole] < 1).any() or (kept[whole] < 1).any():
        entries += [Entry(TAKEN, OTHERS, -np.log(kept)), Entry(TAKEN_FROM_BASE, OTHERS, np.log(kept_base))]
    # Only blocks in which both runs are good, so that means add up.
    entries = [replace(entry, own=np.where(whole, entry.own, np.nan)) for entry in entries]
    loss = mean(np.where(whole, np.log(many_s / base_s), np.nan))
    return Ledger(n, base.threads, loss, tuple(entries), samples)


def not_computed(thread_seconds: Array, cpu_s: Array) -> Array:
    """Return the share of the thread-seconds without computing."""
    return np.maximum(0.0, 1 - cpu_s / thread_seconds)


def _inflation(found: Evidence, samples: dict[str, Array]) -> list[Entry]:
    """Divide inflation among the machine, more to do, and the rest, as far as runs tell."""
    base, many, far = np.log(found.base.cpu), np.log(found.many.cpu), remote(found)
    steps = _steps(found, spread=far is not None and not far.one_node)
    asked = [name for name in (*(name for _, name in steps), ONE_CPU) if found.test(name) is not None]
    one_cpu = found.test(ONE_CPU)
    if one_cpu is not None and against(one_cpu.cpu, found.base.cpu).interval.high < LESS:
        # Where all threads need less than one does, they did not do the same there, and tell nothing about more.
        asked.remove(ONE_CPU)
    for name in (*asked, *([INTERLEAVED] if far and far.one_node else [])):
        cell = found.tests[name]
        logs = np.log(cell.copy_cpu if name in COPIED else cell.cpu)
        samples[name] = logs[np.isfinite(logs)]
    _take_off_alone(found, samples, [name for _, name in steps])
    parts: list[Entry] = []
    for number, (part, name) in enumerate(steps):
        # The first step starts at one thread alone, each further one at the step before.
        own = np.zeros_like(base) if number else -base
        before = ((-1.0, steps[number - 1][1]),) if number else ()
        parts.append(Entry(part, INFLATION, own, ((1.0, name), *before)))
    if ONE_CPU in samples:
        parts.append(Entry(MORE, INFLATION, -base, ((1.0, ONE_CPU),)))
    ends = [*([steps[-1][1]] if steps else []), *([ONE_CPU] if ONE_CPU in samples else [])]
    rest, terms = many - base + len(ends) * base, tuple((-1.0, name) for name in ends)
    if INTERLEAVED in samples:
        parts.append(Entry(DISTANT, INFLATION, many, ((-1.0, INTERLEAVED),)))
        rest, terms = rest - many, (*terms, (1.0, INTERLEAVED))
    return [*parts, Entry(TOGETHER if len(ends) > 1 else UNDIVIDED, INFLATION, rest, terms)]


def _take_off_alone(found: Evidence, samples: dict[str, Array], copied: list[str]) -> None:
    """Take off what copies show more than the program can lose, of which one thread computes a share alone."""
    if not copied:
        return
    alone, all_threads = (mean(np.log(cell.cpu)).value for cell in (found.base, found.many))
    own = max(0.0, float(samples[ONE_CPU].mean()) - alone) if ONE_CPU in samples else 0.0
    if INTERLEAVED in samples:
        all_threads = float(samples[INTERLEAVED].mean())
    never = never_slowed(found, float(samples[copied[-1]].mean()) - alone, all_threads - alone - own)
    for name in copied:
        slower = float(samples[name].mean()) - alone
        if never > 0 and slower > 0:
            samples[name] = samples[name] + np.log(never + (1 - never) * np.exp(slower)) - slower


COPIED = (ON_CORES, COPIES, SPREAD)
"""Runs of copies; their CPU time is that of one copy."""


def _steps(found: Evidence, *, spread: bool) -> list[tuple[str, str]]:
    """Return the parts of the machine, in the order in which copies share more of it, and the runs that end them."""
    # Copies of one thread tell nothing about a base of several.
    if found.test(COPIES) is None or found.base.threads != 1:
        return []
    steps = [(MACHINE, COPIES)]
    if found.test(ON_CORES) is not None:
        steps = [(MACHINE, ON_CORES), (SIBLINGS, COPIES)]
    return [*steps, (DISTANT, SPREAD)] if spread else steps


def _idle(found: Evidence, idle: Array, samples: dict[str, Array]) -> list[Entry]:
    """Divide idle time among its classes in proportion to their thread-seconds."""
    watched = found.watched
    classes = {name: watched.idle(name) for name in CLASSES}
    total = np.sum(list(classes.values()), axis=0)
    known = np.isfinite(total) & (total > 0)
    if not known.any():
        return [Entry(UNCLASSED, IDLE, idle)]
    names: dict[str, str] = dict(zip(CLASSES, CLASSED, strict=True))
    entries: list[Entry] = []
    for name, values in classes.items():
        share = values[known].sum() / total[known].sum()
        # idle x share, and how much the share varies from run to run.
        samples[names[name]] = values[known] / total[known] - (values[known] / total[known]).mean()
        entries.append(Entry(names[name], IDLE, idle * share, ((mean(idle).value, names[name]),)))
    return entries
