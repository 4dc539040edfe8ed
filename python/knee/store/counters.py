"""The counters of a record: a plain number, a number with something to be said beside it, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from knee.store.seam import Record


@dataclass(frozen=True)
class Counted:
    """What one run says of one counter: ``value``, or ``unavailable`` and why.

    ``counted_share`` is the share of the time in which it was really counted, when that was not all; the value is
    scaled up by it. ``scope`` says what the value covers, when that is not the process tree with the kernel's work;
    ``caution`` what is known to be wrong with it on this part, or why this may be another part.
    """

    value: float | None = None
    unit: str = ""
    counted_share: float | None = None
    scope: str = ""
    caution: str = ""
    unavailable: str = ""


def counted(record: Record) -> dict[str, Counted]:
    """Return every counter of a record by name, parts of the machine (``numa_hit@node0``) among them."""
    return {name: _counted(counter) for name, counter in record["counters"].items()}


def _counted(counter: object) -> Counted:
    if not isinstance(counter, dict):
        return Counted(cast("float", counter))
    fields = cast("dict[str, Any]", counter)
    if "value" not in fields:
        return Counted(unavailable=str(fields.get("unavailable", "it has no value")))
    share = fields.get("counted_share")
    return Counted(fields["value"], fields.get("unit", ""), share, fields.get("scope", ""), fields.get("caution", ""))
