"""Functions that travel to workers with their code.

Dask sends a function that can be imported as its name, and workers may have nothing of this package.
"""

# pyright: basic
# Neither distributed nor cloudpickle has types.

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import cloudpickle

from knee.cluster import worker
from knee.cluster.dask import on_workers

R = TypeVar("R")

for _module in (on_workers, worker):
    cloudpickle.register_pickle_by_value(_module)


class ByValue(Generic[R]):
    """A function that is itself again where it arrives."""

    def __init__(self, function: Callable[..., R]) -> None:
        self._function = function
        self._code = cloudpickle.dumps(function)

    def __call__(self, *given: Any) -> R:
        """Call it."""
        return self._function(*given)

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return cloudpickle.loads, (self._code,)
