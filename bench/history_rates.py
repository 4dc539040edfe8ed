"""Error rates of `knee compare` over several studies: false claims of a change, and detection of a real one.

    python bench/history_rates.py [HISTORIES]

Simulated histories are those of the tests. Every rate is printed with its Clopper-Pearson 90 % interval.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

from test_history_rates import MOODS, claimed, made  # noqa: E402 -- it is a module of the tests

from knee.stats.proportion import clopper_pearson  # noqa: E402

STUDIES = 5


def rates(histories: int) -> Iterator[tuple[str, int]]:
    """Yield what was counted, and in how many histories."""
    step = STUDIES // 2
    at = (f"s{step + 1:02d}", "lower")
    for mood in MOODS:
        random = np.random.default_rng(21)
        false = [claimed(made(random, mood, studies=STUDIES)) for _ in range(histories)]
        yield f"any change claimed where there is none, moods {mood}", sum(map(bool, false))
        stepped = [claimed(made(random, mood, studies=STUDIES, step=step)) for _ in range(histories)]
        yield f"10 % step found, moods {mood}", sum(at in one for one in stepped)
        yield "any other change claimed in these", sum(bool(one - {at}) for one in stepped)


def main() -> None:
    """Print every rate as a row of a Markdown table."""
    histories = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"| {histories:,} histories each | rate | 90 % interval |\n|---|---|---|")
    for what, hits in rates(histories):
        ends = clopper_pearson(hits, histories)
        told = f"{100 * hits / histories:.1f} % | [{100 * ends.low:.1f}, {100 * ends.high:.1f}]"
        print(f"| {what} | {told} |", flush=True)


if __name__ == "__main__":
    main()
