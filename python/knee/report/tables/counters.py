"""Counters in the report: tables of medians, and notes on them."""

from __future__ import annotations

from typing import Any

from knee.explain.counters import Counters

Row = dict[str, Any]

POWERS = {0: "", 3: "10³", 6: "10⁶", 9: "10⁹", 12: "10¹²", 15: "10¹⁵"}


def counter_rows(counters: Counters) -> list[Row]:
    """Return the requested counters: one row for each series and thread count that has any."""
    return _rows(counters, [name for name in counters.asked if name in counters.known])


def part_rows(counters: Counters) -> list[Row]:
    """Return the same for each part of the machine, such as ``numa_hit@node0``."""
    parts = dict.fromkeys(one.counter for one in counters.medians if one.counter not in counters.asked)
    return _rows(counters, sorted(parts))


def _rows(counters: Counters, names: list[str]) -> list[Row]:
    medians = {(one.series, one.threads, one.counter): one for one in counters.medians}
    powers = {name: _power([one.value for one in counters.medians if one.counter == name]) for name in names}
    heads = {name: _head(name, powers[name], counters) for name in names}
    rows: list[Row] = []
    for series, threads in dict.fromkeys((one.series, one.threads) for one in counters.medians):
        cell = {name: medians.get((series, threads, name)) for name in names}
        values = {heads[name]: one and one.value / 10 ** powers[name] for name, one in cell.items()}
        rows.append({"series": series, "threads": threads} | values)
    return rows if names else []


def _power(values: list[float]) -> int:
    """Return the power of ten that shortens the numbers of a column; 0 up to four digits."""
    largest = max(map(abs, values), default=0.0)
    return max(power for power in POWERS if 10.0**power <= largest) if largest >= 1e4 else 0


def _head(name: str, power: int, counters: Counters) -> str:
    unit = next((one.unit for one in counters.medians if one.counter == name), "")
    measure = f"{POWERS[power]} {unit}".strip()
    return f"{name}, {measure}" if measure else name


def notes(counters: Counters) -> list[str]:
    """Return notes on the tables, each once for all counters that it is true of.

    They say what values cover, for which share of the time they were counted, and how many runs have none.
    """
    said: dict[str, list[str]] = {}
    for name in (one for one in counters.asked if one in counters.known):
        for note in [*counters.remarks.get(name, []), *_scaled(counters, name), *_partly(counters, name)]:
            said.setdefault(note, []).append(name)
    return [f"{', '.join(names)}: {note}" for note, names in said.items()]


def _scaled(counters: Counters, name: str) -> list[str]:
    counted = [(one.counted_share, one) for one in counters.medians if one.counter == name]
    shares = [(share, one) for share, one in counted if share is not None]
    if not shares:
        return []
    share, one = min(shares, key=lambda pair: pair[0])
    where = f"{one.series}, threads={one.threads}"
    return [f"scaled up: counted in a part of the time only, at least in {100 * share:.0f} % of it ({where})"]


def _partly(counters: Counters, name: str) -> list[str]:
    return [counters.partly[name]] if name in counters.partly else []


def sentence(counters: Counters) -> str:
    """Return the terminal's line about the requested counters."""
    known = len(counters.known)
    have = "counters have values" if len(counters.asked) > 1 else "counter has values"
    said = f"{known} of {len(counters.asked)} {have}; the report shows their medians."
    if not counters.missing:
        return said
    name, why = next(iter(counters.missing.items()))
    others = f", and {len(counters.missing) - 1} more" if len(counters.missing) > 1 else ""
    return f"{said if known else 'No counter has a value.'} Not available: {name} ({why}){others}."
