"""Evidence: what the runs at one thread count say, and the runs beside them that each change one thing.

Runs that other programs disturbed are left out where enough others remain: they may tell otherwise than the rest who
waits for whom, and a bound on what others took is wide. Runs are disturbed by chance, so the rest is no choice by time.
Where too few remain, all of them count, within that bound. A clock that changes during most runs makes times longer
or shorter by chance, which intervals hold; then leaving out what is left of the blocks' pairs would cost more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from knee.explain.disturbance import by_others, clock_changed
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.drift import at_mean_speed, machine_level
from knee.explain.scaling.series import Series
from knee.store import Run

SWITCHES, ONE_CPU, COPIES, TWICE = "switches", "one cpu", "copies", "twice the threads"
ON_CORES, SPREAD, INTERLEAVED = "copies on cores", "copies with spread memory", "interleaved memory"
"""Names of questions, as run specs have them (``knee.study.questions.questions``)."""

FEWEST = 2
"""Runs that have an interval."""

AT_BASE = ", base"
"""Ends the names of runs of settings on the base's threads (``knee.study.questions.interventions``)."""

SETTING = ": "
"""Stands in the names of runs with a changed setting, between the cause that they test and the setting."""

ON_ONE = "the program looks for cpus by itself, and has fewer threads on one"
NO_MORE = "the program looks for cpus by itself, and has no more threads than before"
"""Why runs answer nothing."""

SLOW, FAR = 0.08, 5.0
"""A run of a question is unusually slow from this logarithm on, and from so many standard deviations on."""

DISTURBED = 2 / 3
"""Share of the runs of a kind that may be left out since other programs disturbed them."""

RARELY = 1 / 4
"""Share of the runs of a kind, at most, during which the clock changed, where those are left out."""

UNDISTURBED = 3
"""Runs that must be left then."""

NORMAL = 1.4826
"""Standard deviation over the median of absolute deviations, of a normal distribution."""


def answers(test: str, question: str) -> bool:
    """Whether the runs of this name answer a question: as it is, with a setting, or on the base's threads."""
    return test in (question, question + AT_BASE) or test.startswith(question + SETTING)


@dataclass(frozen=True)
class Evidence:
    """All runs that explain one thread count of a series."""

    series: Series
    threads: int
    base: Cell
    many: Cell
    tests: dict[str, Cell] = field(default_factory=dict[str, Cell])
    """Runs that change one thing, by the name of their question."""

    failed: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    """Questions whose runs all failed: how many runs, and why the last one did."""

    left_out: int = 0
    """How many runs are left out since other programs, or a clock that changed, disturbed them."""

    @property
    def told(self) -> bool:
        """Whether the program is told its thread count; otherwise twice the threads are the same run."""
        program = self.many.runs[0].spec["program"] if self.many.runs else {}
        # A runtime is told by its variable; TBB has none.
        return "workload" in program or program.get("for", "tbb") != "tbb" or "{threads}" in str(program)

    @property
    def asked(self) -> bool:
        """Whether questions were asked; copies alone (``--copies``) are none."""
        return any("test" in run.spec for cell in self.tests.values() for run in cell.runs)

    def test(self, name: str) -> Cell | None:
        """Return the runs of a question, if there are any."""
        return self.tests.get(name)

    def setting(self, cause: str) -> Cell | None:
        """Return the runs, on all threads, with the changed setting that tests a cause, if there are any."""
        named = (
            cell for name, cell in self.tests.items() if name.startswith(f"{cause}: ") and not name.endswith(AT_BASE)
        )
        return next(named, None)

    def mapped(self, pattern: str) -> bool:
        """Whether the program had a file mapped, as a program or library, whose name begins with this pattern."""
        for run in (*self.many.runs, *self.base.runs):
            files = run.record.get("mapped") or {"programs": [], "libraries": []}
            names = [*(path.rpartition("/")[2] for path in files["programs"]), *files["libraries"]]
            if any(re.match(pattern, name) for name in names):
                return True
        return False

    @property
    def without_libraries(self) -> bool:
        """Whether the program surely is one file, which has all that it uses."""
        runs = (run.record.get("mapped") for run in (*self.many.runs, *self.base.runs))
        files = [one for one in runs if one is not None]
        return any(one["programs"] for one in files) and not any(one["libraries"] for one in files)

    @property
    def watched(self) -> Cell:
        """The runs that say what idle threads did: those with records of context switches, if there are any."""
        records = self.tests.get(SWITCHES)
        if records is None:
            return self.many
        if len(records.runs) >= FEWEST:
            return records
        # One alone has no interval, and the program's own runs have samples of the same.
        others = tuple(run for run in self.many.runs if run.spec["block"] != records.runs[0].spec["block"])
        return replace(self.many, runs=(*others, *records.runs))


def evidence(series: Series, threads: int) -> Evidence:
    """Gather the evidence on one thread count."""
    blocks = max(run.spec["block"] for run in (*series.runs, *series.asked))
    base = series.curve.base

    left_out = 0

    def cell(runs: Iterable[Run], count: int) -> Cell:
        nonlocal left_out
        good = tuple(run for run in runs if run.bad is None)
        calm = _undisturbed(good, series.cpus)
        left_out += len(good) - len(calm)
        return Cell(count, calm, blocks, threads / base if series.weak and count != base else 1.0)

    def answer(runs: list[Run]) -> Cell:
        made = cell(runs, runs[0].threads)
        return replace(made, runs=_without_slow(made.runs, slow))

    slow = _unusual(series)
    by_test: dict[str, list[Run]] = {}
    for run in series.asked:
        name = run.spec.get("test") or (COPIES if run.role == "copies" else None)
        if name is not None and run.cell["threads"] == threads:
            by_test.setdefault(name, []).append(run)
    tests = {name: answer(runs) for name, runs in by_test.items()}
    one, many = (cell(series.by_threads[count], count) for count in (base, threads))
    bad = {name: [run.bad or "" for run in made] for name, made in by_test.items() if not tests[name].runs}
    failed = {name: (len(reasons), reasons[-1]) for name, reasons in bad.items()}
    kept = {name: one for name, one in tests.items() if one.runs}
    alone, together = (machine_level(each.seconds) for each in (one, many))
    one = _beside(one, many)
    changed = {name: cell for name, cell in kept.items() if SETTING in name}
    kept |= {name: at_mean_speed(one, alone if name.endswith(AT_BASE) else together) for name, one in changed.items()}
    found = Evidence(series, threads, one, many, kept, failed, left_out)
    return found if found.told else _of_as_many(found)


def _beside(base: Cell, many: Cell) -> Cell:
    """Return the base's runs, of which those without a run with all threads in their block stand beside those with all
    threads that have none of the base in theirs.

    Other programs disturb one run of a block and not the other. Were both left out, hardly a pair might remain,
    although many runs of both kinds do. A machine that changes from block to block makes such pairs differ more, and so
    their interval wider.
    """
    blocks, others = ({run.spec["block"] for run in cell.runs} for cell in (base, many))
    left, free = sorted(blocks - others), sorted(others - blocks)
    moved = dict(zip(left, free, strict=False))
    runs = (
        replace(run, spec={**run.spec, "block": moved.get(run.spec["block"], run.spec["block"])}) for run in base.runs
    )
    return replace(base, runs=tuple(runs)) if moved else base


def _of_as_many(found: Evidence) -> Evidence:
    """Leave out runs that answer nothing of a program that looks for cpus by itself.

    It has no more threads where more are asked for, and on one cpu it may have one, which waits for no other.
    """
    tests, failed = dict(found.tests), dict(found.failed)
    one_cpu = tests.get(ONE_CPU)
    if one_cpu is not None and one_cpu.observed < found.many.observed:
        failed[ONE_CPU] = len(tests.pop(ONE_CPU).runs), ON_ONE
    if TWICE in tests:
        failed[TWICE] = len(tests.pop(TWICE).runs), NO_MORE
    return replace(found, tests=tests, failed=failed)


def _undisturbed(runs: tuple[Run, ...], cpus: int) -> tuple[Run, ...]:
    """Leave out disturbed runs where enough others remain; an unpinned run may use so many cpus."""
    changed = {run.spec["id"] for run in runs if clock_changed(run)}
    changed = changed if len(changed) <= RARELY * len(runs) else set[str]()
    quiet = tuple(run for run in runs if run.rehearsed or by_others(run, cpus) is None)
    calm = tuple(run for run in quiet if run.spec["id"] not in changed)
    enough = max(UNDISTURBED, (1 - DISTURBED) * len(runs))
    # Where too few are left without those during which the clock changed, others may still be left out.
    return next((kept for kept in (calm, quiet) if len(kept) >= enough), runs)


def _unusual(series: Series) -> float:
    """Return by how much a run is unusually slow, in logarithms, as the study's own runs vary."""
    logs = [np.log(series.seconds(point.threads)) for point in series.curve.points]
    off = np.concatenate([np.abs(one - np.nanmedian(one)) for one in logs if np.isfinite(one).any()])
    return max(SLOW, FAR * NORMAL * float(np.nanmedian(off)))


def _without_slow(runs: tuple[Run, ...], slow: float) -> tuple[Run, ...]:
    """Leave out runs of a question that something else made slow: at most one in five, and two must be left."""
    most = len(runs) // 5
    if not most:
        return runs
    logs = np.log([run.time_s for run in runs])
    late = [number for number in np.argsort(-logs)[:most] if logs[number] - np.median(logs) > slow]
    # Where more are as slow, the question itself has two answers.
    if (logs - np.median(logs) > slow).sum() > most:
        return runs
    return tuple(run for number, run in enumerate(runs) if number not in late)
