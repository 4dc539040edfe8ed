"""Tables within the JSON of a page."""

from __future__ import annotations

import json
import random
from typing import Any

from knee.report.packed import FEWEST, ROWS, packed


def unpacked(value: Any) -> Any:
    """Undo it, as page.js does."""
    if isinstance(value, dict):
        return {name: unpacked(one) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) == 2 and value[0] == ROWS and isinstance(value[1], dict):
        columns = {
            name: unpacked([one["levels"][place] for place in one["places"]] if isinstance(one, dict) else one)
            for name, one in value[1].items()
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [unpacked(one) for one in value]


def made_up(draw: random.Random, depth: int = 3) -> Any:
    """Return some JSON, tables among it."""
    kind = draw.choice(["text", "number", "none", *(["table", "list", "object"] if depth else [])])
    if kind == "text":
        return draw.choice(["a", "b", "levels", ""])
    if kind == "number":
        return draw.choice([0, -1.5, 1e300, True])
    if kind == "none":
        return None
    several = range(draw.randrange(2 * FEWEST))
    if kind == "list":
        return [made_up(draw, depth - 1) for _ in several]
    if kind == "object":
        return {draw.choice(["x", "levels", ROWS, "places"]): made_up(draw, depth - 1) for _ in range(3)}
    names = draw.sample(["x", "levels", ROWS, "places", "7"], draw.randrange(4))
    texts = draw.random() < 0.5
    return [{name: draw.choice("abc") if texts else made_up(draw, depth - 1) for name in names} for _ in several]


def test_any_json_comes_back_as_it_was():
    draw = random.Random(1)
    for value in [[ROWS, "series"], {ROWS: [ROWS]}, *(made_up(draw) for _ in range(3000))]:
        assert unpacked(json.loads(json.dumps(packed(value)))) == value


def test_a_table_repeats_no_names():
    rows = [{"series": f"a long name of one of two series {n % 2}", "threads": n} for n in range(1000)]
    text = json.dumps(packed(rows))
    assert text.count("threads") == 1
    assert text.count("a long name") == 2
    assert packed(rows[: FEWEST - 1]) == rows[: FEWEST - 1]
    # Rows with other keys, or the same in another order, stay rows: a CSV has its columns in the order of the first.
    assert packed([*rows, {"threads": 1, "series": ""}])[0] == rows[0]
