"""Rates of wrong and of missing verdicts: the simulations of the tests, with more studies.

    python bench/verdict_rates.py [STUDIES]

Flat curves and recommendations use twice as many studies, knees a quarter.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

from test_verdict_rates import (  # noqa: E402 -- it is a module of the tests
    flat_named,
    gains_named,
    knees_kept,
    lossy_recommendations,
    tied_and_wrong,
)

from knee.stats.proportion import clopper_pearson  # noqa: E402


def main() -> None:
    """Print every rate with its interval, as a row of a table."""
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    named, silent, of = gains_named(studies)
    wrong, decided, tied = tied_and_wrong(studies)
    rows = {
        "flat curves with a gain in the headline": flat_named(2 * studies),
        "recommendations that truly lose more than 3 %": lossy_recommendations(2 * studies),
        "gains of at least 10 % that are reported, quiet machine, 5 blocks, 2 % noise": (named, of),
        "no verdict in the same studies": (silent, of),
        "wrong verdicts if other programs run mostly at one thread count": (wrong, tied),
        "decided verdicts in the same studies": (decided, tied),
        "knees that are reported": knees_kept(studies // 4),
    }
    for what, (hits, trials) in rows.items():
        ends = clopper_pearson(hits, trials)
        rate, low, high = (100 * value for value in (hits / trials, ends.low, ends.high))
        print(f"| {what} | {hits} of {trials} | {rate:.2f} % | [{low:.2f}, {high:.2f}] |")


if __name__ == "__main__":
    main()
