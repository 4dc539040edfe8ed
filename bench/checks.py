"""Shows that each check of an explanation can fail: three real programs, each of which breaks one of them.

    .venv/bin/python bench/checks.py [--out FOLDER] [--wait TIME] [NAME ...]

Each program (`bench/checks/NAME.c` says how it does so) is built with gcc and studied with `knee study --explain`; for
the check of predictions, its own remedy is then tried with `knee try`. Prints what knee says, and which checks failed.
Exit status 1 if those are not exactly the one that the program is made to break.

Use a quiet machine: beside other programs nobody knows whose the idle time is, and copies slow each other down anyway.
A study that exists is not made again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from knee import _binary
from knee.explain.ledger.checks import Check
from knee.opened import Study

SOURCES = Path(__file__).parent / "checks"
THREADS = 2

REMEDY = "rows in turn"


class FailedError(Exception):
    """A verb failed, so that nothing is known of a check."""


@dataclass(frozen=True)
class Case:
    """A program, the words after its thread count, the check that it breaks, and its remedy if it needs one."""

    check: str
    words: tuple[str, ...]
    remedy: tuple[str, ...] = ()
    treats: str = ""


CASES = {
    "unreaped": Case("idle time", ("0.2", "20000")),
    "in_turn": Case("shared hardware", ("0.2", "20000")),
    "neighbours": Case(f"remedy: {REMEDY}", ("blocks", "5000"), ("cyclic", "5000"), "imbalance"),
}


def built(name: str, place: Path) -> Path:
    """Build a program; return it."""
    program = place / name
    source = SOURCES / f"{name}.c"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-pthread", source, "-o", program], check=True)
    return program


def study_file(name: str, program: Path, case: Case) -> str:
    """Return the study file of a program."""

    def command(words: tuple[str, ...]) -> str:
        return f"command = {[str(program), '{threads}', *words]}\n"

    own = f'\n[[remedy]]\nname = "{REMEDY}"\ntreats = ["{case.treats}"]\n' + command(case.remedy)
    return (
        f'schema = 1\nname = "{name}"\n\n[program]\n{command(case.words)}\n[factors]\nthreads = [1, {THREADS}]\n'
        + f"\n[measure]\nsame_output = true\n{own if case.remedy else ''}"
    )


def knee(*words: str | Path) -> str:
    """Run knee; return what it prints."""
    done = subprocess.run([str(_binary.find()), *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise FailedError(f"knee {words[0]}: {done.stderr.strip()}")
    return done.stdout.rstrip()


def measured(name: str, case: Case, place: Path, wait: str) -> Study:
    """Make the study of a program, and try its remedy; return it."""
    folder = place / f"{name}-study"
    if not (folder / "analysis.json").exists():
        program = built(name, place).absolute()
        file = place / f"{name}.toml"
        file.write_text(study_file(name, program, case))
        knee("study", "--explain", "--no-pilot", "--wait-quiet", wait, "--out", folder, file)
        if case.remedy:
            knee("try", "--trust", "--only", REMEDY, "--blocks", 10, folder)
    print(knee("explain", folder) + "\n")
    return Study.read(folder)


def all_checks(study: Study) -> list[Check]:
    """Return the checks of a study's ledger at all threads, and those of its remedies."""
    analysis = study.analysis
    book = [check for made in analysis.ledgers.values() for one in made for check in one.checks]
    return [*book, *(check for made in analysis.predictions.values() for check in made)]


def shown(name: str, case: Case, place: Path, wait: str) -> bool:
    """Measure a program and print which checks failed; return whether they are the one that it is made to break."""
    print(f"## {name}: breaks {case.check!r}\n", flush=True)
    try:
        found = all_checks(measured(name, case, place, wait))
    except FailedError as error:
        print(f"NOT MEASURED: {error}\n", flush=True)
        return False
    failed = [check.name for check in found if check.ok is False]
    as_made = failed == [case.check]
    print(f"{'As it must be' if as_made else 'NOT AS IT MUST BE'}: failed: {', '.join(failed) or 'none'}")
    print("".join(f"  {check.name}: {check.answer}: {check.says}\n" for check in found), flush=True)
    return as_made


def main() -> int:
    """Read the command line; measure the programs and print what their checks say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, help="folder of the studies  [default: they are deleted]")
    parser.add_argument(
        "--wait", default="10m", help="how long each study may wait for a quiet machine  [default: 10m]"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CASES))
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(CASES):
        parser.error(f"unknown program {', '.join(map(repr, sorted(unknown)))}")
    with tempfile.TemporaryDirectory() as temporary:
        place = asked.out or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        good = [shown(name, CASES[name], place, asked.wait) for name in asked.names or CASES]
    print(f"{sum(good)} of {len(good)} programs break the check that they are made to break, and no other")
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
