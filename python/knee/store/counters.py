"""Reads the counters of a record: a number, a number with remarks, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from knee.store.seam import Record


@dataclass(frozen=True)
class Counted:
    """The counter of a run: its ``value``, or in ``unavailable`` the reason why there is none.

    ``counted_share`` is the share of the time in which the event was counted, if that was not all the time; the value
    is scaled up by it. ``scope`` says what the value covers, if that is not the process tree with kernel work;
    ``caution`` describes known errors of this event on this processor, or why the processor may be a different one.
    """

    value: float | None = None
    unit: str = ""
    counted_share: float | None = None
    scope: str = ""
    caution: str = ""
    unavailable: str = ""


def counted(record: Record) -> dict[str, Counted]:
    """Return all counters of a record by name, including those of parts of the machine (``numa_hit@node0``)."""
    return {name: _counted(counter) for name, counter in record["counters"].items()}


def _counted(counter: object) -> Counted:
    if not isinstance(counter, dict):
        return Counted(cast("float", counter))
    fields = cast("dict[str, Any]", counter)
    if "value" not in fields:
        return Counted(unavailable=str(fields.get("unavailable", "it has no value")))
    share = fields.get("counted_share")
    return Counted(fields["value"], fields.get("unit", ""), share, fields.get("scope", ""), fields.get("caution", ""))
