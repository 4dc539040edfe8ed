"""Other people's programs, calm and under load: does a headline say what the calm machine does not?

Each study of examples/programs is made calm, beside one busy process, and beside one that comes and goes; a headline
under load must not contradict the calm study (bench/contradiction.py says what that is). Then once more, where after
each run hyperfine launches the same command under taskset on the same cpus: the speedup at two threads that either
measures, block by block, and the 90 % interval of their ratio.

    examples/programs/build.sh --install
    .venv/bin/python bench/programs.py [--blocks N] [--beside-blocks N] [--out FOLDER] [NAME ...]

HYPERFINE names hyperfine's binary where it is not in PATH. For a calm machine; what is missing is skipped and said.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from beside import busy, comes_and_goes
from contradiction import Times, UnreadError, contradictions

from knee import _binary
from knee.opened import Study
from knee.stats.intervals import Array, Ratio, ratio

FOLDER = Path(__file__).parents[1] / "examples/programs"
LOADS = {"calm": nullcontext, "one busy": busy, "comes and goes": comes_and_goes}


@dataclass(frozen=True)
class Program:
    """A study file and what it runs."""

    file: Path

    @cached_property
    def tables(self) -> dict:
        return tomllib.loads(self.file.read_text())

    @property
    def words(self) -> list[str]:
        return self.tables["program"]["command"]

    @property
    def factor(self) -> str | None:
        """The factor beside threads and placement, if there is one."""
        return next((name for name in self.tables["factors"] if name not in ("threads", "placement")), None)

    @property
    def levels(self) -> list[str]:
        return self.tables["factors"][self.factor] if self.factor else [""]


def missing(words: list[str]) -> str | None:
    """Return the first program or file of a command that is not there."""
    program, *rest = words
    if "/" not in program and shutil.which(program) is None:
        return program
    files = [word for word in (program, *rest) if word.startswith("../") or word.endswith(".py")]
    return next((name for name in files if not (FOLDER / name).exists()), None)


@dataclass(frozen=True)
class Made:
    """A study that was made: seconds it took from Enter to its report, and the study."""

    took_s: float
    study: Study

    @property
    def said(self) -> tuple[str, str]:
        """Status and headline."""
        verdict = self.study.analysis.verdict
        return ("decided", verdict) if isinstance(verdict, str) else (verdict.status, verdict.headline)

    def times(self, program: Program) -> Times:
        """Return the seconds by level and thread count, as far as there is a cpu for each thread."""
        cpus = len(self.study.machine["allowed"]["cpus"])
        runs = [run for run in self.study.runs if run.bad is None and not run.is_control and run.threads <= cpus]
        blocks = max(run.spec["block"] for run in runs)
        times: dict[tuple[str, int], Array] = {}
        for run in sorted(runs, key=lambda run: run.threads):
            level = str(run.cell[program.factor]) if program.factor else ""
            times.setdefault((level, run.threads), np.full(blocks, np.nan))[run.spec["block"] - 1] = run.time_s
        return times


def make(program: Program, folder: Path, *options: str) -> Made:
    """Make a study."""
    began = time.monotonic()
    words = [str(_binary.find()), "study", "--out", str(folder), *options, str(program.file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not (folder / "analysis.json").exists():
        sys.exit(f"{program.file.name}: {done.stderr.strip()}")
    return Made(time.monotonic() - began, Study.read(folder))


def under_loads(program: Program, place: Path, blocks: list[str]) -> bool:
    """Make the three studies and print what each says; whether none contradicts the calm one."""
    calm: Times = {}
    fine = True
    for load, beside in LOADS.items():
        with beside():
            made = make(program, place / load.replace(" ", "-"), *blocks)
        times = made.times(program)
        calm = calm or times
        status, headline = made.said
        judged = judge(status, headline, calm)
        fine = fine and judged in ("", "claims nothing")
        speedups = ", ".join(f"{level} {_shown(_speedup(times, level))}".strip() for level in program.levels)
        launch = np.nanmedian(times[program.levels[0], 1])
        print(f"  {load}: {made.took_s:.0f} s, a launch {launch:.2f} s; speedup at 2: {speedups}", flush=True)
        print(f"    {status}: {headline}" + (f"\n    {judged}" if judged else ""), flush=True)
    return fine


def judge(status: str, headline: str, calm: Times) -> str:
    """Return what there is to say against a headline; nothing where it agrees with the calm study."""
    if status != "decided":
        return "claims nothing"
    try:
        wrong = contradictions(headline, calm)
    except UnreadError:
        return "NOT READ: words that bench/contradiction.py does not know"
    return f"CONTRADICTS: {'; '.join(wrong)}" if wrong else ""


def _speedup(times: Times, level: str) -> Ratio:
    return ratio(times[level, 1], times[level, 2])


def _shown(found: Ratio) -> str:
    return f"{found.estimate:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}]"


def with_hyperfine(program: Program, level: str, hyperfine: str, place: Path, blocks: int) -> bool:
    """Make a study in which hyperfine follows every run and print both speedups; whether their ratio may be 1."""
    launches = place / f"launches-{level}"
    launches.mkdir(parents=True)
    variables = dict(program.tables["program"].get("env", {}))
    chosen = ["--factor", "threads=1,2", "--blocks", str(blocks)]
    if program.factor:
        chosen += ["--factor", f"{program.factor}={level}"]
        variables[program.factor.removeprefix("env:")] = level
    words = ["taskset", "-c", "{cpus}", *program.words]
    follow = [hyperfine, "--shell=none", "--runs=1", "--style=none", shlex.join(words), "--export-json"]
    told = shlex.join([f"{name}={value}" for name, value in variables.items()])
    hook = f"env {told} {shlex.join(follow)} {launches}/{{threads}}-$(date +%s%N).json"
    made = make(program, place / f"hyperfine-{level}", *chosen, "--conclude", hook)
    times = made.times(program)
    ours = times[str(level), 1] / times[str(level), 2]
    theirs = read_launches(launches, 1) / read_launches(launches, 2)
    found = ratio(ours, theirs)
    holds = not found.interval.excludes(1)
    both = f"knee {np.exp(np.log(ours).mean()):.3f}, hyperfine {np.exp(np.log(theirs).mean()):.3f}"
    print(
        f"  {level or 'speedup at 2'}, {found.blocks} blocks of both: {both}; "
        f"ratio {_shown(found)}: {'holds 1' if holds else 'DOES NOT HOLD 1'}",
        flush=True,
    )
    return holds


def read_launches(folder: Path, threads: int) -> Array:
    """Return hyperfine's seconds, one a block: each block launches each count once, and names sort by time."""
    files = sorted(folder.glob(f"{threads}-*.json"))
    return np.array([json.loads(file.read_text())["results"][0]["mean"] for file in files])


def main() -> None:
    """Measure and print."""
    known = {file.stem: Program(file) for file in sorted(FOLDER.glob("*.toml"))}
    reader = argparse.ArgumentParser()
    reader.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    reader.add_argument("--blocks", type=int, help="instead of those in the study files")
    reader.add_argument("--beside-blocks", type=int, default=20, help="blocks beside hyperfine; 0 for none")
    reader.add_argument("--out", type=Path, help="keep the studies here")
    asked = reader.parse_args()
    if unknown := set(asked.names) - set(known):
        reader.error(f"unknown program: {', '.join(sorted(unknown))}")
    hyperfine = os.environ.get("HYPERFINE") or shutil.which("hyperfine")
    if hyperfine is None:
        print("hyperfine: skipped: not in PATH, and HYPERFINE names none")
    blocks = ["--blocks", str(asked.blocks)] if asked.blocks else []
    agree: dict[str, bool] = {}
    hold: dict[str, bool] = {}
    with tempfile.TemporaryDirectory() as temporary:
        place = asked.out or Path(temporary)
        for name in asked.names or known:
            program = known[name]
            if absent := missing(program.words):
                print(f"{name}: skipped: no {absent}")
                continue
            print(f"{name}: {shlex.join(program.words)}", flush=True)
            agree[name] = under_loads(program, place / name, blocks)
            for level in program.levels if hyperfine and asked.beside_blocks else []:
                one = with_hyperfine(program, level, hyperfine, place / name, asked.beside_blocks)
                hold[f"{name} {level}".strip()] = one
    print(f"no headline contradicts the calm study: {sum(agree.values())} of {len(agree)} programs")
    print(f"the ratio of speedups holds 1: {sum(hold.values())} of {len(hold)} beside hyperfine")
    sys.exit(not all([*agree.values(), *hold.values()]))


if __name__ == "__main__":
    main()
