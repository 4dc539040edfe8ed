"""Time of a report and an analysis as whole processes: of 120 records, of 200 that explain, and of 100,000.

    python bench/report.py [LAUNCHES]

Studies are simulated (`python/tests/big_study.py`, `explained_study.py`). Those of 100,000 records have fifty cells,
and a thousand. Where the analysis of the 200 takes 3 s or more, the exit status is 1. KNEE_PYTHON is the Python with
knee  [default: this one].
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
import explained_study  # noqa: E402

MOST_S = 3.0
"""The analysis of a study that explains has to take less, in the median."""


def launch(*words: str) -> float:
    """Return the seconds of one launch."""
    python = os.environ.get("KNEE_PYTHON", sys.executable)
    began = time.monotonic()
    subprocess.run([python, "-m", "knee", *words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def several(launches: int, *words: str) -> list[float]:
    """Return the seconds of launches, after one that is not counted; and print them."""
    launch(*words)
    times = [launch(*words) for _ in range(launches)]
    print(f"  {' '.join(words[:-1])}: median {statistics.median(times):.2f} s, most {max(times):.2f} s")
    return times


def main() -> int:
    launches = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as place:
        small = big_study.write_study(Path(place) / "small", big_study.SMALL, 10).path
        print("120 records")
        several(launches, "report", str(small))
        print(f"  {(small / 'report.html').stat().st_size / 1e6:.2f} MB")
        explained = str(explained_study.write_study(Path(place) / "explained").path)
        print("200 records that explain")
        took_explained = statistics.median(several(launches, "analyze", "--json", explained))
        several(launches, "explain", explained)
        several(launches, "report", explained)
        if took_explained >= MOST_S:
            print(f"  FAILS: the analysis takes {took_explained:.2f} s, and must take less than {MOST_S} s")
        for cells, factors in ((50, big_study.FIFTY), (1000, big_study.THOUSAND)):
            large = str(big_study.write_study(Path(place) / str(cells), factors, 100_000 // cells).path)
            for words in (["analyze", large, "--json"], ["report", "--format", "json", large]):
                took = launch(*words)
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
                print(f"100,000 records, {cells} cells, {words[0]}: {took:.1f} s, peak memory so far {peak:.0f} MiB")
    return int(took_explained >= MOST_S)


if __name__ == "__main__":
    sys.exit(main())
