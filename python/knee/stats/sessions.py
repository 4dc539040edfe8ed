"""The difference between two sessions: a factor common to all times of one session, which its blocks cannot show.

A machine is never quite the same on another day: clock, heat, neighbours, the addresses of pages and code. That changes
all times of a session together, so their scatter does not show it, and an interval from scatter alone would report it
as a difference between programs. Only the same program measured in both sessions (A and A) would show it. Without that
its size is declared: the log ratio of two sessions of one program is assumed normal with mean 0 and that standard
deviation. The observed log ratio is then the true one, plus this unknown, plus the mean of the scatter, which follows
Student's t.

The unknown is represented by equally likely values, and probabilities are averaged over them.

Cochran, *The combination of estimates from different experiments*, Biometrics 10, 1954 (a component between
experiments). Mytkowicz and others, *Producing wrong data without doing anything obviously wrong!*, ASPLOS 2009.
"""

from __future__ import annotations

import numpy as np

from knee.stats.answers import ERROR
from knee.stats.distributions import Array, normal_values, student_value, students_beyond

SPREAD = 0.03
"""Default standard deviation of the difference between two sessions: 3 %."""

VALUES = 200
FINE = 4000
"""Values for a p value, which many tests together need to be exact far out: 400 tests are at most 5 % wrong."""

STEPS = 18


def offsets(spread: float, values: int = VALUES) -> Array:
    """Return equally likely log ratios of two sessions of one program, shape (values,); only 0 without a spread."""
    if spread == 0:
        return np.zeros(1)
    return np.log1p(spread) * normal_values((np.arange(values) + 0.5) / values)


def beyond(values: Array, error: float, freedom: float) -> Array:
    """Return the probabilities that scatter alone exceeds each log ratio, given their standard error.

    NaN if the error is unknown.
    """
    if error != 0:
        return students_beyond(values / error, freedom)
    # Without scatter every difference is certain, and 0 is undecided.
    return np.where(values > 0, 0.0, np.where(values < 0, 1.0, 0.5))


def half_width(error: float, freedom: float, spread: float) -> float:
    """Return half the width of the 90 % interval of a log ratio of two sessions."""
    alone = student_value(1 - ERROR, freedom) * error
    if spread == 0:
        return alone
    unknown = offsets(spread)
    low, high = 0.0, alone + float(unknown[-1])
    for _ in range(STEPS):
        middle = (low + high) / 2
        enough = float(beyond(middle - unknown, error, freedom).mean()) < ERROR
        low, high = (low, middle) if enough else (middle, high)
    return high
