"""Checks the claims of a study file: what is wrong is told with its key, and with a hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from knee.store.claims.kinds import ALWAYS, AMONG, KEYS, KINDS, MOST_LAST, NEEDS, OF_THREADS, Kind
from knee.store.claims.levels import are_levels, is_number, is_range

Claim = dict[str, Any]
Fail = Callable[[str, str, str | None], Exception]

TEXTS = tuple(name for name, schema in KEYS.items() if schema.get("type") == "string")


def claims(tables: object, fail: Fail) -> list[Claim]:
    """Return the claims of a study file.

    Parameters
    ----------
    tables
        What stands under ``claim``; None where there is nothing.
    fail
        Makes the error of a key, a reason and a hint.

    Raises
    ------
    Exception
        That of ``fail``, for the first thing that is wrong.
    """
    if tables is None:
        return []
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in cast("list[Any]", tables)):
        raise fail("claim", "it is not a list of tables", "each claim stands under [[claim]]")
    listed = cast("list[Claim]", tables)
    for number, one in enumerate(listed, 1):
        _check(one, f"claim {number}", fail)
    return listed


def _check(claim: Claim, where: str, fail: Fail) -> None:
    for name in claim:
        if name not in KEYS and name not in KINDS:
            raise fail(f"{where}: {name}", "no such key", f"a claim takes {', '.join((*KEYS, *KINDS))}")
    for name in TEXTS:
        if not isinstance(claim.get(name, ""), str):
            raise fail(f"{where}: {name}", "it is not text", None)
    if not claim.get("says"):
        raise fail(f"{where}: says", "a claim says something", 'says = "Two threads run 1.8 times as fast as one."')
    kinds = [kind for name, kind in KINDS.items() if name in claim]
    if len(kinds) != 1:
        raise fail(where, f"it has one of {', '.join(KINDS)}", 'speedup = { threads = 2, placement = "cores-close" }')
    _check_keys(claim, kinds[0], where, fail)
    _check_chosen(claim, kinds[0], where, fail)
    _check_values(claim, where, fail)
    _check_bounds(claim, kinds[0], where, fail)
    needs: Any = claim.get("needs", {})
    if not isinstance(needs, dict) or not all(_is_count(name, n) for name, n in cast("Claim", needs).items()):
        raise fail(f"{where}: needs", f"it is no table of numbers of {', '.join(NEEDS)}", "needs = { sockets = 2 }")


def _is_count(name: str, number: object) -> bool:
    return name in NEEDS and type(number) is int and number > 0


def _check_keys(claim: Claim, kind: Kind, where: str, fail: Fail) -> None:
    """See that a claim has the keys of its kind, all that it must have, and no other."""
    for name in claim:
        if name not in (*ALWAYS, *kind.keys, kind.name):
            having = ", ".join(one.name for one in KINDS.values() if name in one.keys)
            raise fail(f"{where}: {name}", f"it goes with {having}, not with {kind.name}", None)
    for name in kind.must:
        if not claim.get(name):
            raise fail(f"{where}: {kind.name}", f"it takes the key {name}", kind.example)


def _check_chosen(claim: Claim, kind: Kind, where: str, fail: Fail) -> None:
    chosen: Any = claim[kind.name]
    if kind.chooses == "factor":
        if not isinstance(chosen, str):
            raise fail(f"{where}: {kind.name}", "it does not name a factor", kind.example)
        return
    cells = [chosen]
    if kind.chooses == "two cells":
        if not isinstance(chosen, dict) or cast("Claim", chosen).keys() != set(kind.sides):
            raise fail(f"{where}: {kind.name}", "it compares two cells", kind.example)
        cells = [cast("Claim", chosen)[side] for side in kind.sides]
    for one in cells:
        if not are_levels(one):
            hint = 'for instance { threads = 8, runtime = "near" }'
            raise fail(f"{where}: {kind.name}", "it does not choose by levels", hint)
        if "between" in kind.must and "threads" in one:
            raise fail(f"{where}: {kind.name}", "its thread counts stand in between", "between = [1, 8]")
    if kind.name == "speedup" and "threads" not in chosen:
        raise fail(f"{where}: speedup", "it does not say of how many threads", kind.example)


def _check_values(claim: Claim, where: str, fail: Fail) -> None:
    """See that the keys that only some kinds take have values that can be."""
    if not are_levels(claim.get("at", {})):
        raise fail(f"{where}: at", "it does not choose by levels", 'at = { threads = "cores" }')
    if "between" in claim and not is_range(claim["between"]):
        raise fail(f"{where}: between", "it is not two thread counts, the smaller one first", 'between = [1, "cores"]')
    if claim.get("during") == "":
        raise fail(f"{where}: during", "it names no phase", 'during = "match"')
    last = claim.get("last", MOST_LAST)
    if not is_number(last) or not 0 < last <= MOST_LAST:
        raise fail(f"{where}: last", "it is not a share of the run up to one half", "last = 0.1")
    if claim.get("among", "runs") not in AMONG:
        raise fail(f"{where}: among", f"it is not one of {', '.join(AMONG)}", 'among = "threads"')
    if claim.get("among") == "threads":
        if "per" in claim:
            raise fail(f"{where}: per", "it does not go with the threads of a run", None)
        if claim.get("response", "cpu") not in OF_THREADS:
            known = ", ".join(OF_THREADS)
            raise fail(f"{where}: response", f"of the threads of a run it is one of {known}", 'response = "cpu"')


def _check_bounds(claim: Claim, kind: Kind, where: str, fail: Fail) -> None:
    bounds = [claim[name] for name in ("above", "below") if name in claim]
    if not bounds or not all(is_number(one) for one in bounds):
        raise fail(where, "it does not say where the number has to lie", "above = 1.2, below = 2, or both")
    if len(bounds) == 2 and kind.name == "order":
        raise fail(where, "an order is claimed either above or below", "write two claims")
    if len(bounds) == 2 and bounds[0] >= bounds[1]:
        raise fail(where, f"above {bounds[0]} and below {bounds[1]} leaves nothing between", None)
