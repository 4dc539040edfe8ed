"""Effect of `knee study --rerun-disturbed` on estimates and intervals: simulated studies with and without it.

    python bench/repeat_rates.py [TRIALS]

Studies are those of `python/tests/test_repeats_unbiased.py`: five blocks of one and two threads in real folders,
repeated by the rule of the verb. The error is the mean of ln(speedup found / true speedup), with its standard error.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

import test_repeats_unbiased as made_up  # noqa: E402 -- it is a module of the tests

from knee.stats.proportion import clopper_pearson  # noqa: E402

WORLDS = {
    "others cost nothing": made_up.INDEPENDENT,
    "others cost nothing, runs of 0.1 to 0.2 s": made_up.SHORT,
    "others slow two threads, but not while blocks are repeated": made_up.TIED_THEN_QUIET,
    "others slow two threads, always": made_up.TIED,
}


def main() -> None:
    """Print a row for each scenario, with and without repeats."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    # Writing to disk would take most of the time.
    os.fsync = lambda _: None
    print(f"| {trials:,} studies each | repeated | error | covered | 90 % interval |\n|---|---|---|---|---|")
    for what, world in WORLDS.items():
        for repeated in (False, True):
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
                found = made_up.tried(Path(folder) / "s", world, trials, repeated=repeated)
            ends = clopper_pearson(round(found.coverage * trials), trials)
            said = f"{found.error:+.4f} ± {found.standard:.4f} | {100 * found.coverage:.1f} %"
            words = "yes" if repeated else "no"
            print(f"| {what} | {words} | {said} | [{100 * ends.low:.1f}, {100 * ends.high:.1f}] |", flush=True)


if __name__ == "__main__":
    main()
