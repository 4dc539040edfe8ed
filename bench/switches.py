"""Cost of recording context switches, or of sampling instructions: pairs of runs with and without it, interleaved, in
random order within each pair.

Usage: .venv/bin/python bench/switches.py [--hotspots] [PAIRS]
"""

import json
import random
import subprocess
import sys

import numpy as np

from knee import _binary
from knee.stats.intervals import ratio

PING = """
import os, sys
(ar, aw), (br, bw) = os.pipe(), os.pipe()
if os.fork():
    for _ in range(int(sys.argv[1])):
        os.write(aw, b"x"); os.read(br, 1)
else:
    for _ in range(int(sys.argv[1])):
        os.read(ar, 1); os.write(bw, b"x")
"""
"""Two processes that wake each other: nearly every system call is a switch."""

THREADS = """
import threading
for _ in range(3000):
    one = threading.Thread(target=lambda: None); one.start(); one.join()
"""

PROGRAMS = {
    "sumeuler, 1 thread": ["-n", "1", "-p", "cores-close", "sumeuler", "--n", "12000"],
    "sumeuler, 2 threads": ["-n", "2", "-p", "cores-close", "sumeuler", "--n", "12000"],
    "3000 short threads": ["--", sys.executable, "-c", THREADS],
    "ping-pong of two processes": ["--", sys.executable, "-c", PING, "20000"],
}


WHAT = "hotspots" if "--hotspots" in sys.argv else "switches"
"""What is recorded."""

COUNTED = {"switches": "count", "hotspots": "samples"}
"""How many records there were."""


def run(words: list[str], records: bool) -> dict:
    """Make one run; return its record."""
    asked = [f"--{WHAT}"] if records else []
    words = [str(_binary.find()), "run", "--json", *asked, *words]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Run the benchmark and print the results."""
    pairs = next((int(word) for word in sys.argv[1:] if word.isdigit()), 15)
    draw = random.Random(1)
    for name, words in PROGRAMS.items():
        times: dict[bool, list[tuple[int, int]]] = {False: [], True: []}
        reading, rates, ends = [], [], set()
        for _ in range(pairs):
            for records in draw.sample([False, True], 2):
                record = run(words, records)
                times[records].append((record["wall_ns"], record["user_ns"] + record["system_ns"]))
                if records:
                    found = record[WHAT]
                    reading.append(100 * found["cost_ns"] / record["wall_ns"])
                    rates.append(found[COUNTED[WHAT]] / record["wall_ns"] * 1e9)
                    ends.add(found.get("unavailable", "").split(":")[0])
        print(
            f"{name}, {pairs} pairs: {np.median(rates):.0f} records/s; reading {np.median(reading):.2f} % of a cpu",
            *ends,
        )
        for number, what in enumerate(("wall", "CPU time")):
            one, other = (np.array([time[number] for time in times[records]], dtype=float) for records in (True, False))
            found = ratio(one, other)
            interval = found.interval
            print(f"  {what} with / without {found.estimate:.4f} [{interval.low:.4f}, {interval.high:.4f}]")


if __name__ == "__main__":
    main()
