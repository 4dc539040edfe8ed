"""``knee selftest``: false-alarm and detection rates on this machine, from comparisons with a known answer."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from knee import _binary, store, terminal
from knee.store import Folder, RunSpec, StudyError
from knee.study.design import pairs
from knee.study.run import execute, progress
from knee.study.run.create import create
from knee.verbs import EXIT_GATE

ROUNDED_S = 5


@click.command()
@click.option(
    "--pairs",
    "comparisons",
    type=click.IntRange(1, 10_000),
    default=25,
    metavar="N",
    help="Number of comparisons of each kind, at most 10,000.  [default: 25]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def selftest(comparisons: int, as_json: bool) -> int:
    """Compare a short workload with itself, and with 10 % more work, in blocks of four runs (A B B A).

    Prints how often equal programs were called slower, which should happen in 5 of 100 comparisons, and how often the
    10 % were found. Takes about a minute; the expected time is printed first.

    Exit status: 0 error rates are consistent with knee's claims, 1 they are not, 2 the test is not possible here, 130
    it was stopped.

    \b
    Examples:
      knee selftest
      knee selftest --pairs 100 --json
    """  # noqa: D301 -- click looks for the character itself
    machine = _binary.ask("machine")
    with tempfile.TemporaryDirectory(prefix="knee-selftest-") as place:
        size, more, each_s = _calibrated(Path(place) / "sample", machine)
        study_spec = pairs.study_spec(size, more)
        plan = pairs.run_specs(pairs.templates(study_spec, machine), comparisons)
        seconds = max(ROUNDED_S, ROUNDED_S * round(len(plan) * each_s / ROUNDED_S))
        terminal.err(f"knee: {len(plan)} runs of {pairs.WORKLOAD}, about {seconds} s")
        folder = _folder(Path(place) / "pairs", study_spec.to_toml(), machine, plan)
        with progress.shown(plan, len(plan)) as tell:
            execute.run(folder, tell)
        return _conclude(folder, (more / size) ** 2, as_json)


def _calibrated(path: Path, machine: dict[str, Any]) -> tuple[int, int, float]:
    """Return the two sizes, and about how many seconds a run takes with its overhead."""
    sample = pairs.SAMPLE_SIZE
    study_spec = pairs.study_spec(sample, sample + 1)
    plan = pairs.run_specs(pairs.templates(study_spec, machine), 1)
    folder = _folder(path, study_spec.to_toml(), machine, plan)
    began = time.monotonic()
    execute.run(folder, _silent())
    whole_s = (time.monotonic() - began) / len(plan)
    times = sorted(one.time_s for one in store.runs(folder) if one.bad is None)
    if not times:
        reason = next((one.bad for one in store.runs(folder) if one.bad), "there was no run")
        raise StudyError(
            f"cannot test: {pairs.WORKLOAD}: {reason}", hint="`knee doctor` shows what works on this machine"
        )
    median = times[len(times) // 2]
    return *pairs.sizes(median), max(0.0, whole_s - median) + pairs.RUN_S * (1 + pairs.MORE / 4)


def _folder(path: Path, study_spec: str, machine: dict[str, Any], plan: list[RunSpec]) -> Folder:
    return create(path, study_spec, json.dumps(machine), plan)


def _silent() -> execute.Tell:
    return lambda _spec, _record, _left: None


def _conclude(folder: Folder, planted: float, as_json: bool) -> int:
    """Judge and print. numpy is imported only here, after the last run."""
    from knee.explain.selftest import evaluate
    from knee.report.terminal import selftest

    found = evaluate(store.runs(folder), planted)
    if as_json:
        terminal.out(json.dumps(found.to_json(), indent=1))
    else:
        selftest.show(found)
    return 0 if found.passed else EXIT_GATE
