"""What makes equal runs take different times: moods of blocks, variation of runs, drift, and rare slow runs."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Noise:
    """Standard deviations in logarithms, and rates."""

    block: float = 0.01
    run: float = 0.01
    drift: float = 0.0
    """By how much runs get slower from the first block to the last."""
    outliers: float = 0.0
    """Share of runs that take up to half as long again."""
    seed: str = ""

    def factor(self, block: int, blocks: int, name: str) -> float:
        """Return by what the time of a run is multiplied; the same for the same run."""
        mood = random.Random(f"{self.seed} block {block}").gauss(0, self.block)
        draw = random.Random(f"{self.seed} run {name}")
        slow = draw.uniform(1.1, 1.5) if draw.random() < self.outliers else 1.0
        along = self.drift * (block - 1) / max(1, blocks - 1)
        return slow * 2.718281828 ** (mood + draw.gauss(0, self.run) + along)
