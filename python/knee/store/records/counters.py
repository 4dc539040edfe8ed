"""Reads the counters of a record: a number, a number with remarks, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from knee.store.roles import role_of
from knee.store.seam import Record, RunSpec


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


def counts_cells(spec: RunSpec) -> bool:
    """Whether a run counts beside the timed run of its cell. Questions that count are others."""
    return role_of(spec) == "counting" and "test" not in spec


def uncounted(specs: Iterable[RunSpec], records: Iterable[Record]) -> set[str]:
    """Return the ids of counting runs that a study leaves out, since those of its first block counted nothing.

    Many virtual machines have no counters, and half of a study's runs would say so. Questions that count are not
    left out: they are only asked where there is something to count.
    """
    blocks: dict[int, set[str]] = {}
    for spec in specs:
        if counts_cells(spec):
            blocks.setdefault(spec["block"], set()).add(spec["id"])
    if len(blocks) < 2:
        return set()
    first, made = blocks.pop(min(blocks)), {record["id"]: record for record in records}
    good = [made[name] for name in first if name in made and made[name]["exit"].get("code") == 0]
    has_value = any(one.value is not None for record in good for one in counted(record).values())
    if has_value or not good or not first <= made.keys():
        return set()
    return {name for names in blocks.values() for name in names if name not in made}
