"""Which claims of the five older studies this machine can judge, and how: a table of all of them for RESULTS.md.

Runs every study file that has claims of an original in a short form, one after the other, and prints a table of claims
with their answers. With --emulated FOLDER, outputs of `knee study` on emulated machines (`ci/numa-vm.sh` leaves them in
target/numa-vm) have a column of their own, in which only what is not about time is kept. Studies of other engines are
left out where these are not set up.
    python bench/studies.py OUT [--emulated target/numa-vm] [--only NAME,NAME]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from knee import _binary
from knee.opened import Study
from knee.store.claims import KINDS

ROOT = Path(__file__).resolve().parent.parent
SHORT = {
    "blacklight": ["--blocks", "3"],
    "blacklight-ownership": ["--blocks", "3"],
    "blacklight-reallocation": ["--blocks", "3"],
    "blacklight-spawn": ["--blocks", "5"],
    "blacklight-spawn-rehearsed": ["--blocks", "5"],
    "deters": ["--blocks", "4"],
    "deters-rehearsal": [],
    "flare": ["--blocks", "3", "--factor", "scale=1"],
    "flare-layouts": ["--blocks", "3", "--factor", "scale=1"],
    "flare-sequential": ["--blocks", "5", "--factor", "scale=1"],
    "ghc": ["--blocks", "4", "-n", "1,2,14"],
    "ghc-haskell": ["--blocks", "4", "-n", "1,2,14"],
    "ghc-issue-rate": ["--blocks", "2"],
    "ghc-victim": ["--blocks", "4", "-n", "1,8,14"],
    "peregrine": ["--blocks", "4", "--factor", "graph=chung-lu:orkut:100"],
    "peregrine-over-time": ["--blocks", "4", "--factor", "graph=chung-lu:orkut:50"],
    "peregrine-siblings": ["--blocks", "2"],
    "engines-mining": [],
    "engines-spark": ["--blocks", "3", "-n", "1"],
    "smt-when": ["--blocks", "2"],
}
"""How each study is shortened for two cores."""

SET_UP = {
    "engines-mining": ("KNEE_PEREGRINE" in os.environ, "KNEE_PEREGRINE is not set"),
    "engines-spark": ((ROOT / "examples/build/engines/spark/ready").exists(), "first examples/engines/build.sh spark"),
}
"""Whether the engines of a study are set up, and what is missing otherwise."""

JUDGED = re.compile(r"^(confirmed|refuted|undecided): ((?:.+\n?)*?)(?=^\S+: |^\S+$|\Z)", re.MULTILINE)
"""A line about a claim, folded at 80 columns."""

REHEARSED = ("deters-rehearsal", "blacklight-spawn-rehearsed")


def run(name: str, out: Path) -> float:
    """Run a study in its short form into a folder; return the seconds that it took."""
    begin = time.monotonic()
    file = ROOT / "examples/studies" / f"{name}.toml"
    words = [str(_binary.find()), "study", *SHORT[name], "--out", str(out / name), str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {done.stderr}", file=sys.stderr)
    return time.monotonic() - begin


def emulated(folder: Path | None, name: str) -> dict[str, str]:
    """Return answers by claim, from outputs whose lines are folded at 80 columns."""
    if folder is None:
        return {}
    found: dict[str, str] = {}
    names = (name, "pages") if name.startswith("blacklight") else (name,)
    for path in (folder / one for one in names):
        text = path.read_text() if path.is_file() else ""
        for answer, says in JUDGED.findall(text):
            found[" ".join(says.split())] = answer
    return found


def about_time(claim: dict[str, object]) -> bool:
    """Whether a claim is about times, which mean nothing on an emulated machine."""
    kind = next(name for name in KINDS if name in claim)
    response = str(claim.get("response", "time"))
    return kind in ("speedup", "knee", "trend") or not re.search(r"bytes|pages|steals|run-away", response)


def table(out: Path, vm: Path | None, names: list[str]) -> None:
    """Print a table for each study file."""
    counted: dict[str, int] = {}
    for name in names:
        if not (out / name / "analysis.json").exists():
            print(f"\n**{name}**: no study")
            continue
        claims = tomllib.loads((ROOT / "examples/studies" / f"{name}.toml").read_text())["claim"]
        judged = {one.says: one for one in Study.read(out / name).analysis.claims}
        there = emulated(vm, name)
        where = "rehearsed" if name in REHEARSED else "two cores"
        print(f"\n**{name}** ({' '.join(SHORT[name]) or 'whole'})\n\n| claim | {where} | emulated |\n|---|---|---|")
        for claim in claims:
            one = judged[claim["says"]]
            number = (
                f", {one.value:.3g} [{one.interval.low:.3g}, {one.interval.high:.3g}]" if one.value == one.value else ""
            )
            here = one.answer if one.answer != "not measurable here" else f"no: {one.why.partition(';')[0]}"
            away = (
                ""
                if about_time(claim)
                else next((there[key] for key in there if key.startswith(claim["says"][:60])), "")
            )
            print(f"| {claim['says']} | {here}{number} | {away} |")
            counted[where] = counted.get(where, 0) + (one.value == one.value)
            counted["emulated"] = counted.get("emulated", 0) + bool(away)
    print(f"\nJudged: {counted}")


def main() -> int:
    """Run what is not there yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--emulated", type=Path)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[*SHORT])
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in [name for name in asked.only if name in SET_UP and not SET_UP[name][0]]:
        print(f"{name}: left out: {SET_UP[name][1]}", file=sys.stderr)
        asked.only.remove(name)
    for name in asked.only:
        if not (asked.out / name / "analysis.json").exists():
            print(f"{name}: {run(name, asked.out):.0f} s", file=sys.stderr, flush=True)
    table(asked.out, asked.emulated, asked.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
