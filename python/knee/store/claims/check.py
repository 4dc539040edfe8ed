"""Checks the claims of a study file; an error names the key and gives a hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from knee.store.claims.kinds import ALWAYS, AMONG, KEYS, KINDS, MOST_LAST, NEEDS, OF_THREADS, Kind
from knee.store.claims.levels import are_levels, is_number, is_range
from knee.store.types import one_of

Claim = dict[str, Any]
Fail = Callable[[str, str, str | None], Exception]

TEXTS = tuple(name for name, schema in KEYS.items() if schema.get("type") == "string")


def claims(tables: object, fail: Fail) -> list[Claim]:
    """Return the claims of a study file.

    Parameters
    ----------
    tables
        The value of ``claim``; None if there is none.
    fail
        Makes an error from a key, a reason and a hint.

    Raises
    ------
    Exception
        The error that ``fail`` makes, for the first problem.
    """
    if tables is None:
        return []
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in cast("list[Any]", tables)):
        raise fail("claim", "it is not a list of tables", "start each claim with [[claim]]")
    listed = cast("list[Claim]", tables)
    for number, one in enumerate(listed, 1):
        _check(one, f"claim {number}", fail)
    return listed


def _check(claim: Claim, where: str, fail: Fail) -> None:
    for name in claim:
        if name not in KEYS and name not in KINDS:
            raise fail(f"{where}: {name}", "unknown key", f"keys of a claim are {', '.join((*KEYS, *KINDS))}")
    for name in TEXTS:
        if not isinstance(claim.get(name, ""), str):
            raise fail(f"{where}: {name}", "it is not text", None)
    if not claim.get("says"):
        raise fail(f"{where}: says", "a claim needs a sentence", 'says = "Two threads run 1.8 times as fast as one."')
    kinds = [kind for name, kind in KINDS.items() if name in claim]
    if len(kinds) != 1:
        raise fail(where, f"it needs one of {one_of(KINDS)}", 'speedup = { threads = 2, placement = "cores-close" }')
    _check_keys(claim, kinds[0], where, fail)
    _check_chosen(claim, kinds[0], where, fail)
    _check_values(claim, where, fail)
    _check_bounds(claim, kinds[0], where, fail)
    needs: Any = claim.get("needs", {})
    if not isinstance(needs, dict) or not all(_is_count(name, n) for name, n in cast("Claim", needs).items()):
        raise fail(f"{where}: needs", f"it is not a table of numbers of {', '.join(NEEDS)}", "needs = { sockets = 2 }")


def _is_count(name: str, number: object) -> bool:
    return name in NEEDS and type(number) is int and number > 0


def _check_keys(claim: Claim, kind: Kind, where: str, fail: Fail) -> None:
    """Raise an error unless a claim has all required keys of its kind, and no others."""
    for name in claim:
        if name not in (*ALWAYS, *kind.keys, kind.name):
            having = ", ".join(one.name for one in KINDS.values() if name in one.keys)
            raise fail(f"{where}: {name}", f"it belongs to {having}, not to {kind.name}", None)
    for name in kind.must:
        if not claim.get(name):
            raise fail(f"{where}: {kind.name}", f"it needs the key {name}", kind.example)


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
            raise fail(f"{where}: {kind.name}", "it is not a table of levels", hint)
        if "between" in kind.must and "threads" in one:
            raise fail(f"{where}: {kind.name}", "its thread counts belong in the key between", "between = [1, 8]")
    if kind.name == "speedup" and "threads" not in chosen:
        raise fail(f"{where}: speedup", "it needs a thread count", kind.example)


def _check_values(claim: Claim, where: str, fail: Fail) -> None:
    """Raise an error unless the keys of single kinds have valid values."""
    if not are_levels(claim.get("at", {})):
        raise fail(f"{where}: at", "it is not a table of levels", 'at = { threads = "cores" }')
    if "between" in claim and not is_range(claim["between"]):
        raise fail(f"{where}: between", "it is not two thread counts, smaller first", 'between = [1, "cores"]')
    if not is_number(claim.get("times", 1)) or claim.get("times", 1) <= 0:
        raise fail(f"{where}: times", "it is not a number above 0", "times = 100")
    if claim.get("against") == "":
        raise fail(f"{where}: against", "it names no response", 'against = "instructions"')
    if "against" in claim and "per" in claim:
        raise fail(f"{where}: per", "it cannot be combined with against", None)
    if claim.get("during") == "":
        raise fail(f"{where}: during", "it names no phase", 'during = "match"')
    last = claim.get("last", MOST_LAST)
    if not is_number(last) or not 0 < last <= MOST_LAST:
        raise fail(f"{where}: last", "it is not a share of the run up to one half", "last = 0.1")
    among = claim.get("among", "runs")
    if among not in AMONG:
        raise fail(f"{where}: among", f"bad value {among!r}; expected {one_of(AMONG)}", 'among = "threads"')
    if among == "threads":
        if "per" in claim:
            raise fail(f"{where}: per", 'it cannot be combined with among = "threads"', None)
        if claim.get("response", "cpu") not in OF_THREADS:
            known = f'with among = "threads" expected {one_of(OF_THREADS)}'
            raise fail(f"{where}: response", f"bad value {claim['response']!r}; {known}", 'response = "cpu"')


def _check_bounds(claim: Claim, kind: Kind, where: str, fail: Fail) -> None:
    bounds = [claim[name] for name in ("above", "below") if name in claim]
    if not bounds or not all(is_number(one) for one in bounds):
        raise fail(where, "it has no bound", "above = 1.2, below = 2, or both")
    if len(bounds) == 2 and kind.name == "order":
        raise fail(where, "an order takes either above or below", "write two claims")
    if len(bounds) == 2 and bounds[0] >= bounds[1]:
        raise fail(where, f"no number is above {bounds[0]} and below {bounds[1]}", None)
