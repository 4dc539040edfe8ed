"""Error rates of `knee compare`: false alarms, detection, and decisions after the recommended number of blocks.

    python bench/compare_rates.py [TRIALS]

Simulated studies are those of the tests. Every rate is printed with its Clopper-Pearson 90 % interval.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

import test_blocks_needed  # noqa: E402 -- they are modules of the tests
import test_compare_rates  # noqa: E402

from knee.explain.comparison.sides import of_studies  # noqa: E402
from knee.stats.blocks_needed import blocks_needed  # noqa: E402
from knee.stats.proportion import clopper_pearson  # noqa: E402

Rate = tuple[str, int, int]
"""What was counted, how often, and the number of trials."""


def sessions(trials: int) -> Iterator[Rate]:
    """Two studies made at different times, with a random difference between sessions."""
    for mood in test_compare_rates.MOODS:
        for cells, blocks in ((1, 8), (4, 8), (4, 5)):
            words = {}
            for factor in (1.0, 1.1):
                random = np.random.default_rng(14)
                shape = {"spread": 0.03, "cells": cells, "blocks": blocks}
                words[factor] = [
                    test_compare_rates.compared(random, mood, factor, **shape).verdict for _ in range(trials)
                ]
            what = f"sessions differ by: {mood}; {cells} cell{'s' if cells > 1 else ''}, {blocks} blocks"
            yield f"equal programs called slower, {what}", words[1.0].count("slower"), trials
            yield f"equal programs called faster, {what}", words[1.0].count("faster"), trials
            yield f"10 % slower found, {what}", words[1.1].count("slower"), trials


def without_spread(trials: int) -> Iterator[Rate]:
    """The same without allowing for a difference between sessions."""
    random = np.random.default_rng(14)
    mood = "normal, 3 % a standard deviation"
    said = [test_compare_rates.compared(random, mood, 1.0, spread=0.0, cells=4).verdict for _ in range(trials)]
    what = f"equal programs called slower with --session-spread 0, sessions differ by: {mood}"
    yield what, said.count("slower"), trials


def beside_others(trials: int) -> Iterator[Rate]:
    """Other programs take up to half of B's time and nothing of A's."""
    random, said = np.random.default_rng(15), []
    for _ in range(trials):
        shape = {"blocks": 5, "counts": (1, 2), "factor": 1.0}
        a = test_compare_rates.side(random, "A", **shape)
        b = test_compare_rates.side(random, "B", **shape, others=0.5)
        said.append(of_studies(a, b, 0.03, 0.0).verdict)
    yield "equal programs called slower, other programs took up to half of B's time", said.count("slower"), trials


def more_blocks(trials: int) -> Iterator[Rate]:
    """Undecided comparisons, continued with the recommended number of blocks."""
    for blocks, noise in ((3, 0.05), (5, 0.05), (5, 0.1), (10, 0.1)):
        for truth in test_blocks_needed.TRUTHS:
            random, open_, told, drawn = np.random.default_rng(8), 0, 0, 0
            while open_ < trials and drawn < 50 * trials:
                first, drawn = random.normal(truth, noise, blocks), drawn + 1
                if test_blocks_needed.said(first) == "cannot tell":
                    more = blocks_needed(float(first.mean()), float(first.std(ddof=1)), blocks) or 0
                    whole = np.concatenate([first, random.normal(truth, noise, more)])
                    open_, told = open_ + 1, told + (test_blocks_needed.said(whole) != "cannot tell")
            what = f"{blocks} blocks first, {noise:.0%} noise, true difference {truth:.0%}"
            yield f"decided after the recommended blocks, {what}", told, open_


def main() -> None:
    """Print every rate as a row of a Markdown table."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"| {trials:,} trials each | rate | 90 % interval |\n|---|---|---|")
    for part in (sessions, without_spread, beside_others, more_blocks):
        for what, hits, of in part(trials):
            ends = clopper_pearson(hits, of)
            print(f"| {what} | {100 * hits / of:.1f} % | [{100 * ends.low:.1f}, {100 * ends.high:.1f}] |", flush=True)


if __name__ == "__main__":
    main()
