"""Is an engine's answer that of `knee query` in one process?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "query"))
from beside import KNEE

CLOSE = Decimal("1e-9")
WIDE = Context(prec=60)


class Truth:
    """The right answer to a query. Averages are asked as sums, whose quotient with the count of rows is exact."""

    def __init__(self, file: Path, sql: str) -> None:
        sums = re.sub(r"\bavg\(", "sum(", sql)
        report = json.loads(subprocess.check_output([KNEE, "query", "sql", file, "--json", "--sql", sums]))
        averages = re.findall(r"\bavg\(\w+\) as (\w+)", sql)
        counts = re.findall(r"\bcount\(\*\) as (\w+)", sql)
        names = list(report["rows"][0])
        self.averages = {names.index(name) for name in averages}
        self.rows = [
            [
                WIDE.divide(Decimal(row[name]), Decimal(row[counts[0]])) if name in averages else row[name]
                for name in names
            ]
            for row in report["rows"]
        ]

    def wrong(self, rows: list[list[Any]]) -> str:
        """Return what is wrong with an engine's rows, or nothing."""
        if [len(row) for row in rows] != [len(row) for row in self.rows]:
            return f"{len(rows)} rows for {len(self.rows)}, or other columns"
        for row, right in zip(rows, self.rows, strict=True):
            for number, (cell, good) in enumerate(zip(row, right, strict=True)):
                if not self.same(number, cell, good):
                    return f"wrong: {cell} for {good} in {row}"
        return ""

    def same(self, number: int, cell: Any, good: Any) -> bool:
        """Whether a value is right: a double to 1e-9, a decimal average when rounded or cut, and all others exactly."""
        if isinstance(cell, float):
            return abs(Decimal(cell) - Decimal(good)) <= CLOSE * abs(Decimal(good))
        if number in self.averages:
            ways = (ROUND_HALF_UP, ROUND_DOWN)  # Spark rounds; Sail cuts, which is said to the reader and counts
            return Decimal(cell) in [Decimal(good).quantize(Decimal(cell), way) for way in ways]
        if isinstance(good, str) and re.fullmatch(r"-?\d+\.\d+", good):
            return Decimal(cell) == Decimal(good)
        return cell == good
