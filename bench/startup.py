"""Waiting times of knee: `--version`, the first run of a study, a study of one run, and a report of ten runs.

    python bench/startup.py [--rounds N] [--against CHECKOUT]

Each figure is the median of N rounds. With another checkout of knee, built in the same way (--against or KNEE_OTHER),
both are measured in turns, and the ratio is given with its range over rounds. If strace is installed, the programs
started before the first run are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from knee import _binary

ROOT = Path(__file__).parents[1]
ONE_RUN = ("--blocks", "1", "--factor", "threads=1", "--factor", "placement=none", "fib", "--n", "20")
TEN_RUNS = ("--blocks", "10", *ONE_RUN[2:])


class Checkout:
    """A checkout of knee: its binary and its Python part."""

    def __init__(self, root: Path, binary: Path) -> None:
        self.binary = binary
        self.environment = os.environ | {"PYTHONPATH": str(root / "python"), "KNEE_PYTHON": sys.executable}
        self.environment.pop("KNEE_BIN", None)

    def takes(self, *words: str, before: tuple[str, ...] = ()) -> float:
        """Return the seconds of one launch."""
        began = time.perf_counter()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([*before, str(self.binary), *words], env=self.environment, check=True, **quiet)
        return time.perf_counter() - began

    def study(self, folder: Path) -> dict[str, float]:
        """Return the seconds from Enter to the first run, and of the whole study with its report."""
        began = time.time()
        whole = self.takes("study", "--out", str(folder), *ONE_RUN)
        first = json.loads((folder / "records.jsonl").read_text().splitlines()[0])["start"]
        return {"Enter to first run": datetime.fromisoformat(first).timestamp() - began, "study of one run": whole}

    def processes(self, folder: Path) -> int | None:
        """Return the number of programs started before the measured one; None without strace."""
        if shutil.which("strace") is None:
            return None
        log = folder.with_name(f"{folder.name}-trace")
        trace = ("strace", "-f", "-qq", "-e", "trace=execve", "-o", str(log))
        self.takes("study", "--no-report", "--out", str(folder), *ONE_RUN, before=trace)
        started = [line for line in log.read_text().splitlines() if "execve(" in line and line.endswith("= 0")]
        return next(at for at, line in enumerate(started) if '"child"' in line)


def rounds(checkouts: dict[str, Checkout], count: int, place: Path) -> list[dict[str, dict[str, float]]]:
    """Return seconds by round, checkout and kind of waiting time."""
    for name, knee in checkouts.items():
        knee.takes("study", "--no-report", "--out", str(place / name), *TEN_RUNS)
        knee.takes("report", str(place / name))
    taken = []
    for number in range(count):
        one = {}
        for name in list(checkouts)[:: 1 if number % 2 else -1]:
            knee = checkouts[name]
            one[name] = {"--version": knee.takes("--version"), **knee.study(place / f"{name}-{number}")}
            one[name]["report of ten runs"] = knee.takes("report", str(place / name))
        taken.append(one)
    return taken


def main() -> None:
    """Run the benchmark and print the results."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--rounds", type=int, default=11)
    reader.add_argument("--against", type=Path, default=os.environ.get("KNEE_OTHER"))
    asked = reader.parse_args()
    checkouts = {"here": Checkout(ROOT, _binary.find())}
    if asked.against:
        built = _binary.find().parent.name
        checkouts["other"] = Checkout(Path(asked.against), Path(asked.against) / "target" / built / "knee")
    with tempfile.TemporaryDirectory() as place:
        taken = rounds(checkouts, asked.rounds, Path(place))
        counts = {name: knee.processes(Path(place) / f"{name}-counted") for name, knee in checkouts.items()}
    for what in taken[0]["here"]:
        times = {name: [one[name][what] for one in taken] for name in checkouts}
        line = ", ".join(f"{name} {1e3 * statistics.median(each):.0f} ms" for name, each in times.items())
        if asked.against:
            ratios = [one["here"][what] / one["other"][what] for one in taken]
            line += f"; here / other {statistics.median(ratios):.2f} [{min(ratios):.2f}, {max(ratios):.2f}]"
        print(f"{what}: {line}")
    print("programs started before the first run:", ", ".join(f"{name} {count}" for name, count in counts.items()))
    if not asked.against:
        print("another checkout: not measured: give one with --against or KNEE_OTHER")


if __name__ == "__main__":
    main()
