"""Marks the phases of a Python program, so that ``knee run`` records the time that each of them takes.

::

    from knee import region

    with region("load"):
        ...

    @region("solve")
    def solve(): ...

A region belongs to the thread that enters it. Regions may be inside each other, and may be entered as often as one
likes. Coroutines and generators give their thread away in the middle: mark what they call instead.

Workers may also publish running counters, numbers that only grow, so that they can be drawn over time::

    counter("matches").add(len(found))  # once for each chunk of work

Nothing but the standard library is imported, and next to nothing of it where nobody listens. Somebody listens where
``knee run`` started the program; then ``KNEE_REGIONS`` names the file in which regions are noted.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
"""As in typing, whose import takes longer than all of this."""

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import ParamSpec, TypeVar

    from knee.regions.listener import Listener

    P = ParamSpec("P")
    R = TypeVar("R")

VARIABLE = "KNEE_REGIONS"
"""The variable that names the file."""


class Region:
    """A region: a context manager, and a decorator. This one notes nothing."""

    __slots__ = ()

    def __enter__(self) -> None:
        """Enter the region."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave it."""

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function such that every call of it is in the region."""
        return function


class Noted(Region):
    """A region while somebody listens. What it knows is kept for each thread, so one object may serve them all."""

    __slots__ = ("_listener", "_name")

    def __init__(self, listener: Listener, name: str) -> None:
        self._listener = listener
        self._name = name

    def __enter__(self) -> None:
        self._listener.begin(self._name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.end(self._name)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function such that every call of it is in the region."""
        from functools import wraps

        begin, end, name = self._listener.begin, self._listener.end, self._name

        @wraps(function)
        def marked(*args: P.args, **named: P.kwargs) -> R:
            begin(name)
            try:
                return function(*args, **named)
            finally:
                end(name)

        return marked


class Counter:
    """A running counter. This one notes nothing."""

    __slots__ = ()

    def add(self, more: int) -> None:
        """Add to what the calling thread has counted: whole numbers, of a fraction what is before the point."""


class Published(Counter):
    """A running counter while somebody listens. One object may serve all threads."""

    __slots__ = ("_listener", "_name")

    def __init__(self, listener: Listener, name: str) -> None:
        self._listener = listener
        self._name = name

    def add(self, more: int) -> None:
        """Add to what the calling thread has counted: whole numbers, of a fraction what is before the point."""
        self._listener.add(self._name, more)


def _look() -> Listener | None:
    path = os.environ.get(VARIABLE)
    if not path:
        return None
    from knee.regions.listener import Listener

    return Listener.at(path)


_SILENT = Region()
_UNHEARD = Counter()
_LISTENER = _look()


def region(name: str) -> Region:
    """Return the region of this name, to be entered with ``with`` or put on a function.

    Parameters
    ----------
    name
        Its name in the record. Two of the same name are the same region.

    Returns
    -------
    Region
        What marks it. Where nobody listens, it does nothing.

    Examples
    --------
    >>> with region("load"):
    ...     pass
    """
    return _SILENT if _LISTENER is None else Noted(_LISTENER, name)


def counter(name: str) -> Counter:
    """Return the running counter of this name.

    Parameters
    ----------
    name
        Its name in the samples. What is added to two of the same name, in any thread or process, is one sum.

    Returns
    -------
    Counter
        What takes additions. Where nobody listens, it does nothing.

    Examples
    --------
    >>> counter("matches").add(3)
    """
    return _UNHEARD if _LISTENER is None else Published(_LISTENER, name)
