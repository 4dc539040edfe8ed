"""Time of a report and an analysis as whole processes: 120 records, and 100,000 of fifty and of a thousand cells.

    python bench/report.py [LAUNCHES]

Studies are simulated (`python/tests/big_study.py`). KNEE_PYTHON is the Python with knee  [default: this one].
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python/tests"))

import big_study  # noqa: E402 -- it is a module of the tests


def launch(*words: str) -> float:
    """Return the seconds of one launch."""
    python = os.environ.get("KNEE_PYTHON", sys.executable)
    began = time.monotonic()
    subprocess.run([python, "-m", "knee", *words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def main() -> None:
    launches = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as place:
        small = big_study.write_study(Path(place) / "small", big_study.SMALL, 10).path
        launch("report", str(small))
        times = [launch("report", str(small)) for _ in range(launches)]
        size = (small / "report.html").stat().st_size / 1e6
        print(f"120 records, report: median {statistics.median(times):.2f} s, most {max(times):.2f} s, {size:.2f} MB")
        for cells, factors in ((50, big_study.FIFTY), (1000, big_study.THOUSAND)):
            large = str(big_study.write_study(Path(place) / str(cells), factors, 100_000 // cells).path)
            for words in (["analyze", large, "--json"], ["report", "--format", "json", large]):
                took = launch(*words)
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
                print(f"100,000 records, {cells} cells, {words[0]}: {took:.1f} s, peak memory so far {peak:.0f} MiB")


if __name__ == "__main__":
    main()
