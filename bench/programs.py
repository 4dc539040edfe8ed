"""Third-party programs on a quiet machine and under load: whether a headline contradicts the quiet machine.

Each study of examples/programs is made on a quiet machine, beside one busy process, and beside one that comes and goes;
a headline under load must not contradict the calm study (as bench/contradiction.py defines it). Then once more, with
hyperfine launching the same command under taskset on the same cpus before or after each run: the speedups at two
threads that both measure, block by block, and the 90 % interval of their ratio.

    examples/programs/build.sh --install
    .venv/bin/python bench/programs.py [--blocks N] [--beside-blocks N] [--out FOLDER] [NAME ...]

Set HYPERFINE to hyperfine's path if it is not in PATH. Use a quiet machine; missing programs are skipped with a
message.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import hyperfine
import numpy as np
from beside import busy, comes_and_goes
from contradiction import Times, UnreadError, contradictions
from studied import FOLDER, Program, make, missing

from knee.explain.verdict.form import Verdict
from knee.stats.intervals import Array, ratio

LOADS = {"calm": nullcontext, "one busy": busy, "comes and goes": comes_and_goes}


@dataclass
class Row:
    """The results of a program, as a row of the final table."""

    name: str
    speedups: str = ""
    says: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    ratios: list[Array] = field(default_factory=list)
    """knee's speedup over hyperfine's by level, shape (blocks,) each."""
    agrees: bool = True

    def cells(self) -> str:
        return " | ".join([self.name, self.speedups, *self.says, "<br>".join(self.beside) or "skipped"])


def under_loads(program: Program, place: Path, blocks: list[str], row: Row) -> None:
    """Make the study under each load, print each verdict, and compare it with the calm study."""
    calm: Times = {}
    for load, beside in LOADS.items():
        with beside():
            made = make(program, place / load.replace(" ", "-"), *blocks)
        times = made.times(program)
        calm = calm or times
        speedups = ", ".join(f"{level} {shown(times[level, 1], times[level, 2])}".strip() for level in program.levels)
        row.speedups = row.speedups or speedups
        verdict = made.study.analysis.verdict
        against = judge(verdict, calm)
        row.agrees = row.agrees and not against
        row.says.append(f"{verdict.status}: **{against}**" if against else verdict.status)
        launch = np.nanmedian(times[program.levels[0], 1])
        print(f"  {load}: {made.took_s:.0f} s, a launch {launch:.2f} s, {made.disturbed}; speedup at 2: {speedups}")
        print(f"    {verdict.status}: {verdict.headline}" + f"\n    {against}" * bool(against), flush=True)


def judge(verdict: Verdict, calm: Times) -> str:
    """Return how a headline contradicts the calm study; empty if it does not."""
    try:
        wrong = contradictions(verdict.status, verdict.headline, calm)
    except UnreadError:
        return "NOT READ: bench/contradiction.py does not know this headline"
    return f"CONTRADICTS: {'; '.join(wrong)}" if wrong else ""


def shown(slow: Array, fast: Array) -> str:
    """Return the ratio of two times with its 90 % interval."""
    found = ratio(slow, fast)
    return f"{found.estimate:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}]"


def with_hyperfine(program: Program, level: str, binary: str, place: Path, blocks: int, row: Row) -> None:
    """Make a study with a launch by hyperfine beside every run, and compare speedups at two threads by block."""
    launches = place / f"launches-{level}"
    launches.mkdir(parents=True)
    variables = dict(program.tables["program"].get("env", {}))
    chosen = ["--factor", "threads=1,2", "--blocks", str(blocks)]
    if program.factor:
        chosen += ["--factor", f"{program.factor}={level}"]
        variables[program.factor.removeprefix("env:")] = level
    beside = hyperfine.hooks(binary, program.words, variables, launches)
    times = make(program, place / f"hyperfine-{level}", *chosen, *beside).times(program)
    ours = times[level, 1] / times[level, 2]
    theirs = hyperfine.read_launches(launches, 1) / hyperfine.read_launches(launches, 2)
    holds = not ratio(ours, theirs).interval.excludes(1)
    said = f"{level} {shown(ours, theirs)}{'' if holds else ' **interval excludes 1**'}".strip()
    row.beside.append(said)
    row.ratios.append(ours / theirs)
    means = [np.exp(np.nanmean(np.log(values))) for values in (ours, theirs)]
    print(f"  hyperfine: speedup {means[0]:.3f} by knee, {means[1]:.3f} by hyperfine; ratio {said}", flush=True)


def main() -> None:
    """Run the benchmark and print the results."""
    # The cluster's study has one thread count, so it has no speedup.
    known = {file.stem: Program(file) for file in sorted(FOLDER.glob("*.toml")) if file.stem != "cluster"}
    reader = argparse.ArgumentParser()
    reader.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    reader.add_argument("--blocks", type=int, help="number of blocks  [default: that of each study file]")
    reader.add_argument(
        "--beside-blocks", type=int, default=20, help="number of blocks beside hyperfine; 0 for none  [default: 20]"
    )
    reader.add_argument("--out", type=Path, help="folder to keep the studies in  [default: they are deleted]")
    asked = reader.parse_args()
    if unknown := set(asked.names) - set(known):
        reader.error(f"unknown program {', '.join(map(repr, sorted(unknown)))}")
    binary = hyperfine.found()
    if binary is None:
        print("hyperfine: skipped: it is not in PATH, and HYPERFINE is not set")
    blocks = ["--blocks", str(asked.blocks)] if asked.blocks else []
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in asked.names or known:
            program, place = known[name], (asked.out or Path(temporary)) / name
            if absent := missing(program.words):
                print(f"{name}: skipped: no {absent}")
                continue
            print(f"{name}: {shlex.join(program.words)}", flush=True)
            rows.append(Row(name))
            under_loads(program, place, blocks, rows[-1])
            for level in program.levels if binary and asked.beside_blocks else []:
                with_hyperfine(program, level, binary, place, asked.beside_blocks, rows[-1])
    conclude(rows)
    sys.exit(not all(row.agrees for row in rows))


def conclude(rows: list[Row]) -> None:
    """Print the table and a summary over all programs."""
    heads = ["program", "speedup at 2, calm", *LOADS, "knee's speedup over hyperfine's"]
    print("\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    print("".join(f"| {row.cells()} |\n" for row in rows))
    print(f"no headline contradicts the calm study in {sum(row.agrees for row in rows)} of {len(rows)} programs")
    ratios = [one for row in rows for one in row.ratios]
    if len(ratios) > 1:
        held = sum(not ratio(one, np.ones_like(one)).interval.excludes(1) for one in ratios)
        means = np.array([np.exp(np.nanmean(np.log(one))) for one in ratios])
        print(f"{held} of {len(ratios)} intervals of ratios to hyperfine contain 1; if both are equal, nine in ten do")
        print(f"mean ratio over programs: {shown(means, np.ones_like(means))}")


if __name__ == "__main__":
    main()
