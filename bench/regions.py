"""Cost of a region in C, Rust and Python: without recording, under `knee run`, and with counters.

Nanoseconds to enter and leave a region, and the empty loop for comparison; launches of all languages and kinds are
interleaved, and medians of LAUNCHES are printed. Run `cargo build --release -p knee-region --lib --examples` first.

Usage: .venv/bin/python bench/regions.py [LAUNCHES]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from knee import _binary, region

ROOT = Path(__file__).parents[1]
KINDS = {"not recorded": None, "under knee run": [], "with two counters": ["--counters", "task-clock,minor-faults"]}
"""Options of `knee run`; None runs the program without it."""
SILENT_CALLS, HEARD_CALLS = {"C": 50_000_000, "Rust": 50_000_000, "Python": 1_000_000}, 200_000


def own(calls: int) -> None:
    """Measure in this process; the launched Python interpreter calls this."""
    known = region("known")

    def per_call(begin: int) -> float:
        return (time.perf_counter_ns() - begin) / calls

    begin = time.perf_counter_ns()
    for _ in range(calls):
        pass
    print(f"nothing {per_call(begin):.2f}")
    begin = time.perf_counter_ns()
    for _ in range(calls):
        with known:
            pass
    print(f"handle {per_call(begin):.2f}")
    begin = time.perf_counter_ns()
    for _ in range(calls):
        with region("named"):
            pass
    print(f"name {per_call(begin):.2f}")


def in_c(folder: str) -> str:
    """Build the C program; return its path."""
    program, library = str(Path(folder) / "regions"), ROOT / "target/release/libknee_region.a"
    words = ["gcc", "-O2", "-pthread", "-I", ROOT / "crates/region/include", "-o", program, ROOT / "bench/regions.c"]
    subprocess.run([*words, library], check=True)
    return program


def launch(command: list[str], calls: int, options: list[str] | None) -> dict[str, float]:
    """Run a loop once and return what it printed. Under `knee run`, also check that every call is in the record."""
    heard = options is not None
    run = [str(_binary.find()), "run", "--json", "--sample-ms", "0", *options, "--"] if heard else []
    done = subprocess.run([*run, *command, str(calls)], capture_output=True, text=True, check=True)
    if heard:
        phases = {phase["name"]: phase["counters"]["calls"] for phase in json.loads(done.stdout)["phases"]}
        assert phases == {"known": calls, "named": calls}, phases
    lines = (done.stderr if heard else done.stdout).splitlines()
    return {name: float(number) for name, number in (line.split() for line in lines)}


def main() -> None:
    """Run the benchmark and print the results."""
    launches = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        programs = {
            "C": [in_c(folder)],
            "Rust": [str(ROOT / "target/release/examples/cost")],
            "Python": [sys.executable, __file__, "--own"],
        }
        found: dict[tuple[str, str], list[dict[str, float]]] = {}
        for _ in range(launches):
            for language, command in programs.items():
                for kind, options in KINDS.items():
                    calls = SILENT_CALLS[language] if options is None else HEARD_CALLS
                    found.setdefault((language, kind), []).append(launch(command, calls, options))
    for (language, kind), each in found.items():
        nothing, handle, name = (median(one[what] for one in each) for what in ("nothing", "handle", "name"))
        print(f"{language}, {kind}: {handle:.1f} ns by handle, {name:.1f} ns by name; the empty loop {nothing:.1f} ns")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--own"]:
        own(int(sys.argv[2]))
    else:
        main()
