"""The kernels of `knee query` beside Typer and Tectorwise, on plain columns in memory, on one thread.

    KNEE_TYPER=.../run_tpch bench/query/kernels.py [--scale 1] [--blocks 5]

KNEE_TYPER names the program `run_tpch` of the paper's authors (db-engine-paradigms; Kersten et al., VLDB 2018), which
has both engines; without it nothing is measured. Its tables are made by the tpchgen-cli that
`examples/engines/build.sh` set up. Ours and theirs are taken in turns. Q1 in our best encoding on a table that stays in
the second-level cache, with AVX-512 and with AVX2, is held against Typer's better rate: that of such a table, which is
printed, or that of the large one, where the cost of starting a query counts for less.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from beside import ENGINES, KNEE
from limit import CACHED

PEER = os.environ.get("KNEE_TYPER")
SMALL = "0.003"
"""The scale whose plain columns of Q1 stay in a second-level cache of 1 MiB."""
THEIRS = {"q1": "1h 1v", "q6": "6h 6v"}
NAMES = {"hyper": "typer", "vectorwise": "tectorwise"}


def tables(folder: Path, scale: str) -> tuple[Path, int]:
    """Make tables in text; return where, and the rows of lineitem."""
    folder = folder / scale
    # They keep columns in binary form here, and do not begin without it.
    (folder / "cached").mkdir(parents=True)
    words = [ENGINES / "data/bin/tpchgen-cli", "tbl", "-s", scale, f"--output-dir={folder}"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    with (folder / "lineitem.tbl").open("rb") as lines:
        return folder, sum(1 for _ in lines)


def theirs(query: str, folder: Path, rows: int) -> dict[str, float]:
    """Return nanoseconds for a row of each of their engines; of selections with and without SIMD the faster one."""
    found: dict[str, float] = {}
    for simd in "01":
        flags = {"q": THEIRS[query], "SIMDsel": simd, "SIMDproj": simd, "EXTERNALPROFILE": "1"}
        words = ["taskset", "-c", "0", str(PEER), "20", f"{folder}/", "1"]
        text = subprocess.check_output(words, text=True, stderr=subprocess.DEVNULL, env=os.environ | flags)
        for name, milliseconds in re.findall(r"q\d+ (\w+) *, *([\d.]+)", text):
            each = float(milliseconds) * 1e6 / rows
            found[NAMES[name]] = min(each, found.get(NAMES[name], each))
    return found


def ours(query: str, scale: str, cache: str, encoding: str, isa: str = "auto") -> float:
    """Return nanoseconds for a row."""
    repeat = 3000 if scale == CACHED else 20
    words = [KNEE, "query", query, "--scale", scale, "--cache", cache, "--encoding", encoding, "--isa", isa, "--json"]
    words += ["-n", "1", "-p", "cores-close", "--runtime", "serial", "--repeat", str(repeat)]
    report: dict[str, Any] = json.loads(subprocess.check_output(words))
    time = next(phase["wall_ns"] for phase in report["phases"] if phase["name"] == "scan")
    return time / repeat / int(report["facts"]["rows"])


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--blocks", type=int, default=5)
    asked = parser.parse_args()
    if not PEER:
        print("left out: KNEE_TYPER does not name their run_tpch")
        return
    seen: dict[tuple[str, str], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        large, small = tables(Path(folder), asked.scale), tables(Path(folder), SMALL)
        for _ in range(asked.blocks):
            for query in THEIRS:
                seen[query, "knee plain"].append(ours(query, asked.scale, folder, "plain"))
                for name, each in theirs(query, *large).items():
                    seen[query, name].append(each)
            for isa in ["auto", "avx2"]:
                best = min(ours("q1", CACHED, folder, encoding, isa) for encoding in ["narrow", "split"])
                seen["q1 in cache", f"knee {isa}"].append(best)
            seen["small", "typer"].append(theirs("q1", *small)["typer"])
            seen["q1 in cache", "typer"].append(min(seen["q1", "typer"][-1], seen["small", "typer"][-1]))
    print(f"typer on the small table: {statistics.median(seen['small', 'typer']):.3f} ns a row")
    for query in [*THEIRS, "q1 in cache"]:
        base, *others = [name for of, name in seen if of == query]
        if query == "q1 in cache":
            compare(query, base, ["typer"], seen)
            base, others = "knee avx2", ["typer"]
        compare(query, base, others, seen)


def compare(query: str, base: str, others: list[str], seen: dict[tuple[str, str], list[float]]) -> None:
    """Print what others take of the time of one."""
    print(f"{query}: {base} {statistics.median(seen[query, base]):.3f} ns a row")
    for name in others:
        each = [one / own for one, own in zip(seen[query, name], seen[query, base], strict=True)]
        middle = statistics.median(seen[query, name])
        ratio = f"{statistics.median(each):.2f} ({min(each):.2f}, {max(each):.2f})"
        print(f"    {name:12}{middle:>8.3f} ns a row, {ratio} times as long")


if __name__ == "__main__":
    main()
