"""Tables within JSON, written column by column: a page repeats the names of columns and series in thousands of rows.

``page.js`` unpacks them as it reads them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeGuard, cast

ROWS = "$rows"
"""First of two elements of a packed table. The second is an object with the columns, which no list of names has."""

FEWEST = 8
"""Tables with fewer rows stay as they are."""


def packed(value: Any) -> Any:
    """Return JSON in which each table, a list of objects with the same keys, is written as columns.

    A column that repeats texts or lists is written as its levels and, for each row, the place of its level.
    """
    if isinstance(value, dict):
        return {name: packed(one) for name, one in cast("dict[str, Any]", value).items()}
    if not isinstance(value, (list, tuple)):
        return value
    each = cast("Sequence[Any]", value)
    if not _table(each):
        return [packed(one) for one in each]
    return [ROWS, {name: _column([row[name] for row in each]) for name in each[0]}]


def _table(values: Sequence[Any]) -> TypeGuard[Sequence[dict[str, Any]]]:
    if len(values) < FEWEST or not all(isinstance(row, dict) for row in values):
        return False
    rows = cast("Sequence[dict[str, Any]]", values)
    return bool(rows[0]) and all(list(row) == list(rows[0]) for row in rows)


def _column(values: list[Any]) -> Any:
    if _table(values):
        return packed(values)
    short = [packed(one) for one in values]
    if any(isinstance(one, (int, float)) for one in values):
        return short
    texts = [json.dumps(one) for one in short]
    levels = dict(zip(texts, short, strict=True))
    if 2 * len(levels) > len(values):
        return short
    places = {text: place for place, text in enumerate(levels)}
    return {"levels": list(levels.values()), "places": [places[text] for text in texts]}
