"""Words for means and ratios in the signs of a finding."""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.means import Mean


def as_ratio(log: Mean) -> str:
    """Return a mean logarithm as a ratio with its interval."""
    return f"{np.exp(log.value):.2f} [{np.exp(log.interval.low):.2f}, {np.exp(log.interval.high):.2f}]"


def plain(mean: Mean) -> str:
    """Return a mean with its interval."""
    return f"{mean.value:.3g} [{mean.interval.low:.3g}, {mean.interval.high:.3g}]"
