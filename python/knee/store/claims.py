"""The claims of a study file: sentences with a test on the results, which the report then decides.

A claim compares times of cells (``ratio``) or a cell with its one-thread run (``speedup``), looks at what cells have
(``value``), at a knee (``knee``) or at the share of the variation that a factor ``explains``, and says where the number
has to lie (``above``, ``below``). ``response`` is what is looked at instead of times, ``per`` another one of the same
runs that it is divided by, ``at`` the levels among which something explains. ``needs`` says what a machine must have
for the claim to mean anything on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

KINDS = ("ratio", "value", "speedup", "knee", "explains")
NEEDS = ("sockets", "nodes", "cores", "hardware_threads", "threads_per_core")
KNOWN = ("says", "source", "needs", "response", "per", "at", "above", "below", *KINDS)

Claim = dict[str, Any]
Fail = Callable[[str, str, str | None], Exception]


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
    found = cast("list[Claim]", tables)
    for number, one in enumerate(found, 1):
        _check(one, f"claim {number}", fail)
    return found


def _check(claim: Claim, where: str, fail: Fail) -> None:
    for name in claim:
        if name not in KNOWN:
            raise fail(f"{where}: {name}", "no such key", f"a claim takes {', '.join(KNOWN)}")
    for name in ("says", "source", "response", "per"):
        if not isinstance(claim.get(name, ""), str):
            raise fail(f"{where}: {name}", "it is not text", None)
    if not claim.get("says"):
        raise fail(f"{where}: says", "a claim says something", 'says = "Two threads run 1.8 times as fast as one."')
    kinds = [kind for kind in KINDS if kind in claim]
    if len(kinds) != 1:
        raise fail(where, f"it has one of {', '.join(KINDS)}", 'speedup = { threads = 2, placement = "cores-close" }')
    _check_cells(claim, kinds[0], where, fail)
    _check_bounds(claim, where, fail)
    needs: Any = claim.get("needs", {})
    if not isinstance(needs, dict) or not all(_is_count(name, n) for name, n in cast("Claim", needs).items()):
        raise fail(f"{where}: needs", f"it is no table of numbers of {', '.join(NEEDS)}", "needs = { sockets = 2 }")


def is_level(value: object) -> bool:
    """Whether something can be the level of a factor: text or a number."""
    return isinstance(value, str) or _is_number(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(name: str, number: object) -> bool:
    return name in NEEDS and type(number) is int and number > 0


def _check_cells(claim: Claim, kind: str, where: str, fail: Fail) -> None:
    cells: Any = claim[kind]
    for name in ("response", "per"):
        if kind == "knee" and name in claim:
            raise fail(f"{where}: {name}", "a knee is that of the time which the study measures", None)
    if "at" in claim and kind != "explains":
        raise fail(f"{where}: at", "it goes with explains alone: others choose their own levels", None)
    if kind == "explains":
        if not isinstance(cells, str):
            raise fail(f"{where}: explains", "it does not name a factor", 'explains = "runtime"')
        _check_levels([claim.get("at", {})], "at", where, fail)
        return
    if kind == "ratio":
        if not isinstance(cells, dict) or cast("Claim", cells).keys() != {"of", "over"}:
            raise fail(f"{where}: ratio", "it compares two cells", "ratio = { of = { … }, over = { … } }")
        chosen = list(cast("Claim", cells).values())
    else:
        chosen = [cells]
    _check_levels(chosen, kind, where, fail)
    if kind == "speedup" and "threads" not in cells:
        raise fail(f"{where}: speedup", "it does not say of how many threads", "speedup = { threads = 8 }")


def _check_levels(chosen: list[Any], kind: str, where: str, fail: Fail) -> None:
    for one in chosen:
        if not isinstance(one, dict) or not all(map(is_level, cast("Claim", one).values())):
            raise fail(
                f"{where}: {kind}", "it does not choose by levels", 'for instance { threads = 8, runtime = "near" }'
            )


def _check_bounds(claim: Claim, where: str, fail: Fail) -> None:
    bounds = [claim[name] for name in ("above", "below") if name in claim]
    if not bounds or not all(_is_number(one) for one in bounds):
        raise fail(where, "it does not say where the number has to lie", "above = 1.2, below = 2, or both")
    if len(bounds) == 2 and bounds[0] >= bounds[1]:
        raise fail(where, f"above {bounds[0]} and below {bounds[1]} leaves nothing between", None)
