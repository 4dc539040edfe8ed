"""Marks the phases of a Python program, so that ``knee run`` records the time of each.

::

    from knee import region

    with region("load"):
        ...

    @region("solve")
    def solve(): ...

A region belongs to the thread that enters it. Regions may be nested, and may be entered any number of times. Do not
mark coroutines and generators, which give up their thread in the middle; mark the functions that they call.

Workers may also publish running counters, which only grow; the report draws them over time::

    counter("matches").add(len(found))  # once per chunk of work

Only the standard library is imported, and almost nothing of it when recording is off. Recording is on when ``knee run``
started the program: then ``KNEE_REGIONS`` names the file into which regions are written.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
"""As in typing, whose import takes longer than this whole module."""

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import ParamSpec, TypeVar

    from knee.regions.listener import Listener

    P = ParamSpec("P")
    R = TypeVar("R")

VARIABLE = "KNEE_REGIONS"
"""The environment variable that names the file of regions."""


class Region:
    """A region, as a context manager and as a decorator. This one records nothing."""

    __slots__ = ()

    def __enter__(self) -> None:
        """Enter the region."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the region."""

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function wrapped so that each call of it is a region."""
        return function


class Noted(Region):
    """A region that is recorded. Its state is kept per thread, so all threads may share one object."""

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
        """Return the function wrapped so that each call of it is a region."""
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
    """A running counter. This one records nothing."""

    __slots__ = ()

    def add(self, more: int) -> None:
        """Add to the calling thread's count. A fraction is rounded towards zero."""


class Published(Counter):
    """A running counter that is recorded. All threads may share one object."""

    __slots__ = ("_listener", "_name")

    def __init__(self, listener: Listener, name: str) -> None:
        self._listener = listener
        self._name = name

    def add(self, more: int) -> None:
        """Add to the calling thread's count. A fraction is rounded towards zero."""
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
    """Return the region of this name, for a ``with`` statement or as a decorator.

    Parameters
    ----------
    name
        Its name in the record. Regions of the same name are one region.

    Returns
    -------
    Region
        A context manager and decorator, which does nothing when recording is off.

    Examples
    --------
    >>> with region("load"):
    ...     pass
    """
    # str: a name that is no text does no harm where nothing is recorded, so it must do none here.
    return _SILENT if _LISTENER is None else Noted(_LISTENER, str(name))


def counter(name: str) -> Counter:
    """Return the running counter of this name.

    Parameters
    ----------
    name
        Its name in the samples. Counters of the same name, in any thread or process, are summed.

    Returns
    -------
    Counter
        Its ``add`` does nothing when recording is off.

    Examples
    --------
    >>> counter("matches").add(3)
    """
    return _UNHEARD if _LISTENER is None else Published(_LISTENER, str(name))
