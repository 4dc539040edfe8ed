"""Placements: the cpus of each placement's threads. The binary answers, which knows the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from knee import _binary
from knee.store import StudyError
from knee.study.kinds.near import suggestion

PLACES = ("threads", "cores", "ll_caches", "numa_domains", "sockets")
NAMES = [*(f"{place}-{spacing}" for place in PLACES for spacing in ("close", "spread")), "none"]
"""Placements to suggest for a misspelt one."""

Whole = dict[str, list[int] | None]
"""Placement to all its cpus in order; None where the kernel decides."""


class Placements:
    """The placements of a study, with the binary's answers kept.

    Parameters
    ----------
    whole
        Each placement's whole order.
    ask
        Gives the cpus of a placement that is not nested, for a number of threads.
    """

    def __init__(self, whole: Whole, ask: Callable[[str, int], list[int]] | None = None) -> None:
        self._whole = whole
        self._ask = ask or _cpus
        self._asked: dict[tuple[str, int], list[int]] = {}

    @classmethod
    def of(cls, names: Iterable[str]) -> Placements:
        """Return the placements of these names."""
        return cls({name: _whole_order(name) for name in names})

    def distinct(self) -> Placements:
        """Return the placements that differ: of two names for one order, the first is kept."""
        kept: Whole = {}
        for name, order in self._whole.items():
            if order not in kept.values():
                kept[name] = order
        return Placements(kept, self._ask)

    def with_kernel(self) -> Placements:
        """Return these placements and ``none`` (unpinned: the kernel decides)."""
        return Placements(self._whole | {"none": None}, self._ask)

    @cached_property
    def names(self) -> list[str]:
        """The placements, in the order given."""
        return list(self._whole)

    def places(self, placement: str) -> int | None:
        """Return how many threads get a cpu of their own; None where the kernel decides."""
        order = self._whole[placement]
        return None if order is None else len(order)

    def fits(self, placement: str, threads: int) -> bool:
        """Return whether each of so many threads gets a cpu of its own."""
        return threads <= (self.places(placement) or 0)

    def cpus(self, placement: str, threads: int) -> list[int]:
        """Return the cpus of the first threads: all cpus for more threads than cpus, none if the kernel decides."""
        order = self._whole[placement]
        # Place n+1 extends place n, but not where as few sockets as hold all threads are filled.
        if order is None or threads >= len(order) or "compact" not in placement.split("+")[1:]:
            return (order or [])[:threads]
        key = (placement, threads)
        if key not in self._asked:
            self._asked[key] = self._ask(placement, threads)
        return self._asked[key]


def _whole_order(name: str) -> list[int] | None:
    try:
        places = _binary.ask("place", name)["places"]
    except StudyError as error:
        kind, plus, rest = name.partition("+")
        raise StudyError(str(error), hint=suggestion(kind, NAMES, error.hint, f"{{}}{plus}{rest}")) from error
    return None if places is None else [place["cpu"] for place in places]


def _cpus(name: str, threads: int) -> list[int]:
    return [place["cpu"] for place in _binary.ask("place", name, "-n", str(threads))["places"]]
