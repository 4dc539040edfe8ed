#!/usr/bin/env python3
"""Compares knee's runtime with its peers: fork cost, loops, sums, wake-ups and idling, on one and on two threads.

The peers are the programs in target/sides (made by bench/runtime/build.sh), and programs with the same command line
(src/lib.rs) named by LACE, LACE_CLANG, PARLAY or SPICE. A round launches each side on each test once, in random order,
and takes about a minute; a launch reports the median of its repeats. Prints medians over rounds, and for each claim the
median over rounds of ours / peer with a 90 % interval (bootstrap over rounds, both sides from the same round). A claim
holds, or is lost, if the whole interval says so; otherwise it is open.

Usage: bench/runtime/compare.py [--launches 25] [--only fib,tree] [--cpus 0,1] [--json OUT]
"""

import argparse
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIDES = Path(__file__).parent / "target" / "sides"
FROM_OUTSIDE = ("LACE", "LACE_CLANG", "PARLAY", "SPICE")
# Unit, and the factor that converts nanoseconds (or a share) to it.
TESTS = {
    "fib": ("ns a spawn", 1),
    "tree1023": ("ns a node", 1),
    "tree2M": ("ns a node", 1),
    "loop1000": ("µs a loop", 1e-3),
    "loop100000": ("µs a loop", 1e-3),
    "scope": ("ns a spawn", 1),
    "sum": ("ms", 1e-6),
    "wake1": ("µs", 1e-3),
    "wake50": ("µs", 1e-3),
    "idle": ("% of one cpu", 100),
}
NEEDS_TWO = ("wake1", "wake50", "idle")
DYNAMIC = ("rayon", "rayon unpinned", "tbb auto", "openmp-gcc guided", "openmp-clang guided", "parlay")
# Idle workers that use more of a cpu than this do not sleep: twice the limit for our own workers, to allow for the cost
# of the measurement.
AWAKE = 0.02
RESAMPLES = 2000
LEVEL = 0.90
FEW = 10


@dataclass(frozen=True)
class Side:
    """A program to compare."""

    name: str
    program: Path
    pinned: bool = True


@dataclass(frozen=True)
class Job:
    """One launch: a side, a test with its variant, and a thread count."""

    side: Side
    test: str
    threads: int

    @property
    def key(self) -> tuple[str, int, str]:
        """Test, threads and the side's name in the tables."""
        test, _, variant = self.test.partition("/")
        return test, self.threads, f"{self.side.name} {variant}".strip()

    def run(self, repeats: int, cpus: str) -> dict[str, Any] | str:
        """Make the launch; return its result, or why there is none."""
        words = [self.side.program, self.test, str(self.threads), str(repeats), cpus if self.side.pinned else "-"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
            return json.loads(done.stdout)
        except subprocess.CalledProcessError as error:
            return f"status {error.returncode}: {error.stderr.strip()[-200:]}"
        except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
            return str(error)


class Results:
    """The median of every launch, by test, threads, name and round."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, int, str], dict[int, float]] = {}
        self.busy_idlers: dict[str, list[float]] = {}
        self.raw: list[dict[str, Any]] = []
        self.failures: dict[str, str] = {}

    def add(self, job: Job, number: int, answer: dict[str, Any] | str) -> None:
        """Add the result of a launch."""
        test, threads, name = job.key
        if isinstance(answer, str):
            self.failures[f"{name}, {test} on {threads}"] = answer
            return
        self.raw.append(answer | {"name": name, "round": number})
        self.values.setdefault(job.key, {})[number] = answer["value"]
        if test == "wake50":
            self.busy_idlers.setdefault(name, []).append(answer["idle_share"])

    def names(self, test: str, threads: int) -> list[str]:
        """Return the sides that were measured, fastest first."""
        found = [name for at, count, name in self.values if (at, count) == (test, threads)]
        return sorted(found, key=lambda name: self.median(test, threads, name))

    def median(self, test: str, threads: int, name: str) -> float:
        """Return the median over rounds; NaN without a measurement."""
        rounds = self.values.get((test, threads, name))
        return statistics.median(rounds.values()) if rounds else math.nan

    def together(self, test: str, threads: int, names: Sequence[str]) -> list[tuple[float, ...]]:
        """Return the values of several sides for the rounds in which all have one."""
        columns = [self.values.get((test, threads, name), {}) for name in names]
        return [tuple(column[at] for column in columns) for at in columns[0] if all(at in column for column in columns)]

    def sleeps(self, name: str) -> bool:
        """Whether its idle workers sleep in the 50 ms before a timed wake-up."""
        shares = self.busy_idlers.get(name)
        return bool(shares) and statistics.median(shares) < AWAKE


Rows = Sequence[tuple[float, ...]]


def ratio(rows: Rows) -> float:
    """Return the median of ours / peer."""
    return math.exp(statistics.median(math.log(ours / peer) for ours, peer in rows))


def overhead(rows: Rows) -> float:
    """Return our time above serial over the peer's, from medians, since single differences may be negative."""
    above_serial = statistics.median(ours - serial for ours, _, serial in rows)
    return above_serial / statistics.median(peer - serial for _, peer, serial in rows)


def level(rows: Rows) -> float:
    """Return the median of ours."""
    return statistics.median(ours for (ours,) in rows)


def with_interval(rows: Rows, statistic: Callable[[Rows], float]) -> tuple[float, float, float]:
    """Return the estimate and the ends of its interval."""
    draw = random.Random(1)
    again = sorted(statistic(draw.choices(rows, k=len(rows))) for _ in range(RESAMPLES))
    cut = round(RESAMPLES * (1 - LEVEL) / 2)
    return statistic(rows), again[cut], again[-1 - cut]


class Judge:
    """Checks each claim against the results."""

    def __init__(self, results: Results, ours: str) -> None:
        self.results = results
        self.ours = ours
        self.rows: list[tuple[str, str, str, str]] = []

    def peers(self, test: str, threads: int) -> list[str]:
        """Return all sides but ours and the serial loop, fastest first."""
        mine = (self.ours, "serial")
        return [name for name in self.results.names(test, threads) if name.split()[0] not in mine]

    def check(self, claim: str, limit: float, rows: Rows, statistic: Callable[[Rows], float] = ratio) -> None:
        """Judge one claim: it holds or is lost if the whole interval says so."""
        if not rows:
            self.rows.append((claim, f"{limit:.3g}", "not measured", ""))
            return
        estimate, low, high = with_interval(rows, statistic)
        verdict = "holds" if high <= limit else "LOST" if low > limit else "open"
        self.rows.append((claim, f"{limit:.3g}", f"{estimate:.3g} [{low:.3g}, {high:.3g}]", verdict))

    def against(self, test: str, threads: int, limit: float, peers: Iterable[str]) -> None:
        """Judge ours / peer for some peers."""
        for peer in peers:
            rows = self.results.together(test, threads, (self.ours, peer))
            self.check(f"{test} on {threads}: ours / {peer}", limit, rows)

    def all(self, asked: Callable[[str], bool]) -> None:
        """Judge all claims about the requested tests."""
        results, ours = self.results, self.ours
        if asked("fib"):
            self.against("fib", 1, 1.25, ["lace", "lace clang"])
            self.against("fib", 1, 1, ["chili"])
            self.against("fib", 2, 1 / 1.5, ["chili"])
            rows = results.together("fib", 1, (ours, "rayon", "serial"))
            self.check("fib on 1, time above serial: ours / rayon", 1 / 5, rows, overhead)
        if asked("tree1023"):
            self.against("tree1023", 2, 1, self.peers("tree1023", 2))
        if asked("loop1000"):
            self.against("loop1000", 2, 1.2, ["tbb static"])
            self.against("loop1000", 2, 1, [name for name in self.peers("loop1000", 2) if name in DYNAMIC])
        if asked("scope"):
            self.against("scope", 1, 1 / 6, ["rayon"])
            self.against("scope", 2, 1 / 6, ["rayon"])
        if asked("sum"):
            self.against("sum", 2, 1 / 0.95, self.peers("sum", 2)[:1])
        if asked("wake50"):
            self.against("wake50", 2, 1, filter(results.sleeps, self.peers("wake50", 2)))
        if asked("idle"):
            self.check("idle, share of one cpu: ours", 0.01, results.together("idle", 2, (ours,)), level)


def find_sides() -> list[Side]:
    """Return the sides that were built, and those named by the environment."""
    sides = [Side(path.name, path) for path in sorted(SIDES.glob("*")) if os.access(path, os.X_OK)]
    sides += [Side("rayon unpinned", side.program, pinned=False) for side in sides if side.name == "rayon"]
    for variable in FROM_OUTSIDE:
        name, path = variable.lower().replace("_", " "), os.environ.get(variable, "")
        if os.access(path, os.X_OK):
            sides.append(Side(name, Path(path)))
        else:
            print(f"{name}: skipped: {variable}='{path}' is not a program", file=sys.stderr)
    return sides


def find_jobs(sides: Iterable[Side], asked: Callable[[str], bool]) -> list[Job]:
    """Return each side's requested tests, on one thread and on two."""
    jobs: list[Job] = []
    for side in sides:
        listed = subprocess.run([side.program, "list"], capture_output=True, text=True, check=True).stdout.split()
        for test in listed:
            base = test.split("/")[0]
            counts = (1,) if side.name == "serial" else (2,) if base in NEEDS_TWO else (1, 2)
            jobs += [Job(side, test, threads) for threads in counts if asked(base)]
    return jobs


def measure(jobs: Sequence[Job], launches: int, repeats: int, cpus: str) -> Results:
    """Run all rounds."""
    results = Results()
    draw = random.Random(1)
    begin = time.monotonic()
    for number in range(launches):
        for job in draw.sample(jobs, len(jobs)):
            results.add(job, number, job.run(repeats, cpus))
        print(f"round {number + 1} of {launches}, {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return results


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table."""
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_medians(results: Results) -> None:
    """Print one table per test, fastest on two threads first."""
    for test, (unit, scale) in TESTS.items():
        names = results.names(test, 2)
        names += [name for name in results.names(test, 1) if name not in names]
        medians = {name: [scale * results.median(test, threads, name) for threads in (1, 2)] for name in names}
        texts = {
            name: ["" if math.isnan(number) else f"{number:.4g}" for number in pair] for name, pair in medians.items()
        }
        if names:
            print_table([f"{test}, {unit}", "1 thread", "2 threads"], [[name, *texts[name]] for name in names])


def main() -> None:
    """Run the benchmark, print the results, and judge the claims."""
    parser = argparse.ArgumentParser(description="Compare knee's runtime with its peers.")
    parser.add_argument(
        "--launches",
        type=int,
        default=25,
        help="number of rounds; each launches every side on every test once  [default: 25]",
    )
    parser.add_argument(
        "--repeats", type=int, default=9, help="repeats within a launch, which reports their median  [default: 9]"
    )
    parser.add_argument("--only", default="", help="tests to run, by name or prefix: fib,tree  [default: all]")
    parser.add_argument(
        "--cpus",
        default=",".join(map(str, sorted(os.sched_getaffinity(0))[:2])),
        help="cpus, one per worker  [default: the first two allowed]",
    )
    parser.add_argument("--ours", default="knee", help="side whose claims are judged  [default: knee]")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    options = parser.parse_args()
    only = options.only.split(",")

    def asked(test: str) -> bool:
        return test in only or any(test.startswith(word) for word in only if word not in TESTS)

    if len(options.cpus.split(",")) < 2:
        parser.error("two cpus are needed: --cpus 0,1")

    jobs = find_jobs(find_sides(), asked)
    if not jobs:
        parser.error("nothing to measure: run bench/runtime/build.sh, and see --only")
    results = measure(jobs, options.launches, options.repeats, options.cpus)
    if options.json:
        machine = {"kernel": platform.release(), "machine": platform.machine(), "cpus": options.cpus}
        head = {"date": time.strftime("%Y-%m-%d"), "launches": options.launches, "repeats": options.repeats} | machine
        options.json.write_text(json.dumps(head | {"failures": results.failures, "launched": results.raw}, indent=1))

    print_medians(results)
    for what, why in results.failures.items():
        print(f"FAILED: {what}: {why}")
    if all(name != options.ours for _, _, name in results.values):
        print(f"No claim is judged: there is no side called {options.ours}.")
        return
    judge = Judge(results, options.ours)
    judge.all(asked)
    print_table(["claim (on 1 or 2 threads)", "at most", "seen, 90 % interval", ""], judge.rows)
    if options.launches < FEW:
        print(f"With fewer than {FEW} rounds these intervals are too narrow.")
    lost = [claim for claim, _, _, verdict in judge.rows if verdict == "LOST"]
    print(f"Lost: {'; '.join(lost)}." if lost else "Nothing is lost beyond doubt.")


if __name__ == "__main__":
    main()
