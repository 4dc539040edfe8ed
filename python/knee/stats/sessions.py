"""Two sessions: the factor that all times of one of them have in common, which no block of it can show.

A machine is never quite the same on another day: clock, heat, neighbours, where pages and code came to lie. That
changes all times of one session together, so their scatter says nothing about it, and an interval from scatter alone
takes the mood of a day for a difference of programs. Only the same program measured in both sessions (A and A) would
show it. Without that its size is declared: the log ratio of two sessions of one program is taken as normal with mean 0
and that standard deviation. What is observed is then the true ratio, plus this one unknown, plus the mean of the
scatter, which is Student's.

Here the unknown is replaced by equally likely values of it; chances are means over them.

Cochran, *The combination of estimates from different experiments*, Biometrics 10, 1954 (a component between
experiments). Mytkowicz and others, *Producing wrong data without doing anything obviously wrong!*, ASPLOS 2009.
"""

from __future__ import annotations

import numpy as np

from knee.stats.answers import ERROR
from knee.stats.distributions import Array, normal_values, student_value, students_beyond

SPREAD = 0.03
"""Standard deviation of what two sessions differ by, unless another is declared: 3 %."""

VALUES = 200
STEPS = 18


def offsets(spread: float) -> Array:
    """Return equally likely log ratios of two sessions of one program, shape (values,); one, 0, without a spread."""
    if spread == 0:
        return np.zeros(1)
    return np.log1p(spread) * normal_values((np.arange(VALUES) + 0.5) / VALUES)


def beyond(values: Array, error: float, freedom: float) -> Array:
    """Return the chances that scatter alone gives more than each value: of log ratios with this standard error.

    NaN where the error is not known.
    """
    if error != 0:
        return students_beyond(values / error, freedom)
    # Without any scatter a difference is certain, and none is not.
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
