#!/usr/bin/env python3
"""Our runtime beside its peers: fork cost, loops, sums, wake-ups and idling, on one thread and on two.

Every program of target/sides takes part (bench/runtime/build.sh makes them), and so do finished programs that speak the
same command line (src/lib.rs) and are named by LACE, LACE_CLANG, PARLAY or SPICE. A round launches each side on each
test once, in random order, and takes about a minute; a launch reports the median of its repeats. Shown are medians over
rounds, and for each claim the median over rounds of ours / peer with a 90 % interval (bootstrap over rounds, both sides
from the same round). A claim holds, or is lost, where the whole interval says so, and is open where it does not.

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
# Unit, and how many of it are one nanosecond (or one, for a share).
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
# Who takes more of a cpu than this while there is nothing to do does not sleep: what is asked of our own workers, and
# as much again for what the probe itself takes.
AWAKE = 0.02
RESAMPLES = 2000
LEVEL = 0.90
FEW = 10


@dataclass(frozen=True)
class Side:
    """A program that takes part."""

    name: str
    program: Path
    pinned: bool = True


@dataclass(frozen=True)
class Job:
    """One launch: a side on a test, the side's variant included, with so many threads."""

    side: Side
    test: str
    threads: int

    @property
    def key(self) -> tuple[str, int, str]:
        """Test, threads and the name in the tables."""
        test, _, variant = self.test.partition("/")
        return test, self.threads, f"{self.side.name} {variant}".strip()

    def run(self, repeats: int, cpus: str) -> dict[str, Any] | str:
        """Make the launch: what it printed, or why there is nothing."""
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
        """Keep what a launch said."""
        test, threads, name = job.key
        if isinstance(answer, str):
            self.failures[f"{name}, {test} on {threads}"] = answer
            return
        self.raw.append(answer | {"name": name, "round": number})
        self.values.setdefault(job.key, {})[number] = answer["value"]
        if test == "wake50":
            self.busy_idlers.setdefault(name, []).append(answer["idle_share"])

    def names(self, test: str, threads: int) -> list[str]:
        """Who was measured, fastest first."""
        found = [name for at, count, name in self.values if (at, count) == (test, threads)]
        return sorted(found, key=lambda name: self.median(test, threads, name))

    def median(self, test: str, threads: int, name: str) -> float:
        """The median over rounds; NaN where nothing was measured."""
        rounds = self.values.get((test, threads, name))
        return statistics.median(rounds.values()) if rounds else math.nan

    def together(self, test: str, threads: int, names: Sequence[str]) -> list[tuple[float, ...]]:
        """The values of several sides, for the rounds in which each of them has one."""
        columns = [self.values.get((test, threads, name), {}) for name in names]
        return [tuple(column[at] for column in columns) for at in columns[0] if all(at in column for column in columns)]

    def sleeps(self, name: str) -> bool:
        """Whether its idle workers leave the cpu alone in the 50 ms before a wake-up is timed."""
        shares = self.busy_idlers.get(name)
        return bool(shares) and statistics.median(shares) < AWAKE


Rows = Sequence[tuple[float, ...]]


def ratio(rows: Rows) -> float:
    """The median of ours / peer."""
    return math.exp(statistics.median(math.log(ours / peer) for ours, peer in rows))


def overhead(rows: Rows) -> float:
    """Our time above serial, over the peer's. Of medians, since a difference of noisy times may be negative."""
    above_serial = statistics.median(ours - serial for ours, _, serial in rows)
    return above_serial / statistics.median(peer - serial for _, peer, serial in rows)


def level(rows: Rows) -> float:
    """The median itself."""
    return statistics.median(ours for (ours,) in rows)


def with_interval(rows: Rows, statistic: Callable[[Rows], float]) -> tuple[float, float, float]:
    """The estimate, and the ends of its interval."""
    draw = random.Random(1)
    again = sorted(statistic(draw.choices(rows, k=len(rows))) for _ in range(RESAMPLES))
    cut = round(RESAMPLES * (1 - LEVEL) / 2)
    return statistic(rows), again[cut], again[-1 - cut]


class Judge:
    """Holds each claim against the results."""

    def __init__(self, results: Results, ours: str) -> None:
        self.results = results
        self.ours = ours
        self.rows: list[tuple[str, str, str, str]] = []

    def peers(self, test: str, threads: int) -> list[str]:
        """Everybody but ourselves and the serial loop, fastest first."""
        mine = (self.ours, "serial")
        return [name for name in self.results.names(test, threads) if name.split()[0] not in mine]

    def check(self, claim: str, limit: float, rows: Rows, statistic: Callable[[Rows], float] = ratio) -> None:
        """Judge one number: it holds or is lost where the whole interval says so."""
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
        """Judge everything that was claimed of the tests that were asked for."""
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
    """Whoever was built, and whoever the environment names."""
    sides = [Side(path.name, path) for path in sorted(SIDES.glob("*")) if os.access(path, os.X_OK)]
    sides += [Side("rayon unpinned", side.program, pinned=False) for side in sides if side.name == "rayon"]
    for variable in FROM_OUTSIDE:
        name, path = variable.lower().replace("_", " "), os.environ.get(variable, "")
        if os.access(path, os.X_OK):
            sides.append(Side(name, Path(path)))
        else:
            print(f"{name} takes no part: {variable}='{path}' names no program", file=sys.stderr)
    return sides


def find_jobs(sides: Iterable[Side], asked: Callable[[str], bool]) -> list[Job]:
    """Each side's tests, as far as they are asked for, on one thread and on two."""
    jobs: list[Job] = []
    for side in sides:
        listed = subprocess.run([side.program, "list"], capture_output=True, text=True, check=True).stdout.split()
        for test in listed:
            base = test.split("/")[0]
            counts = (1,) if side.name == "serial" else (2,) if base in NEEDS_TWO else (1, 2)
            jobs += [Job(side, test, threads) for threads in counts if asked(base)]
    return jobs


def measure(jobs: Sequence[Job], launches: int, repeats: int, cpus: str) -> Results:
    """Make all rounds."""
    results = Results()
    draw = random.Random(1)
    begin = time.monotonic()
    for number in range(launches):
        for job in draw.sample(jobs, len(jobs)):
            results.add(job, number, job.run(repeats, cpus))
        print(f"round {number + 1} of {launches}, {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return results


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table as Markdown has them."""
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_medians(results: Results) -> None:
    """Print one table a test, fastest on two threads first."""
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
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description="Our runtime beside its peers.")
    parser.add_argument("--launches", type=int, default=25, help="rounds; each launches every side on every test once")
    parser.add_argument("--repeats", type=int, default=9, help="of one launch, which reports their median")
    parser.add_argument("--only", default="", help="tests, by name or by how it begins: fib,tree")
    parser.add_argument("--cpus", default=",".join(map(str, sorted(os.sched_getaffinity(0))[:2])), help="one a worker")
    parser.add_argument("--ours", default="knee", help="the side whose claims are judged")
    parser.add_argument("--json", type=Path, help="where to keep every number")
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
        print(f"No claim is judged: the side «{options.ours}» is not there.")
        return
    judge = Judge(results, options.ours)
    judge.all(asked)
    print_table(["claim (on so many threads)", "at most", "seen, 90 % interval", ""], judge.rows)
    if options.launches < FEW:
        print(f"With fewer than {FEW} rounds these intervals are too narrow.")
    lost = [claim for claim, _, _, verdict in judge.rows if verdict == "LOST"]
    print(f"Lost: {'; '.join(lost)}." if lost else "Nothing is lost beyond doubt.")


if __name__ == "__main__":
    main()
