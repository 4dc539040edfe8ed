"""Work over thread counts: how many instructions a run takes, and how fast they are issued."""

from __future__ import annotations

from knee.plots.figure import Figure, Members, StudyData
from knee.plots.resources import spread
from knee.plots.resources.spread import FOR_ONE, Row, for_one
from knee.store import Run, counted

INSTRUCTIONS, RATE = "instructions", "instructions/s"

TITLE, GROUP = "Work over threads", "work"
SEES = (
    "Medians over runs, with smallest and largest values. A line that rises is more work for the same answer: "
    "spinning, task creation, duplicated work. If it is level and run time grows, the same work is done more slowly."
)
RATE_SEES = (
    "Instructions per second of wall time, the highest run of each cell down to the lowest. Where the line is level, "
    "threads wait for something that they share: issue slots of a core, memory, or each other."
)


def make(study: StudyData) -> list[Figure]:
    """Return instructions and their rate, where any run counted them."""
    members, dashed = study.counting, study.counterfactuals
    if not was_counted(members):
        return []
    counts, rates = rows(members), rate_rows(members)
    lacking = _lacking(members, counts)
    said = SEES + (FOR_ONE if study.weak else "") + lacking
    count = spread.chart(counts, INSTRUCTIONS, "instructions", dashed)
    rate = spread.chart(rates, RATE, "instructions a second", dashed)
    return [
        Figure("instructions", TITLE, said, count, counts, GROUP, "instructions"),
        Figure("issue-rate", TITLE, RATE_SEES + lacking, rate, rates, GROUP, "highest issue rate"),
    ]


def was_counted(members: Members) -> bool:
    """Whether any usable run counted instructions."""
    return any(run.bad is None and _instructions(run) is not None for runs in members.values() for run in runs)


def rows(members: Members) -> list[Row]:
    """Return the instructions of a run, for the work of one thread where it grows with them: one row a cell."""
    return spread.rows(members, for_one(_instructions), INSTRUCTIONS)


def rate_rows(members: Members) -> list[Row]:
    """Return how many instructions a second all threads together issued at most: one row a cell."""
    return [row | {RATE: row["most"]} for row in spread.rows(members, _rate, RATE)]


def _instructions(run: Run) -> float | None:
    count = counted(run.record).get(INSTRUCTIONS)
    return None if count is None else count.value


def _rate(run: Run) -> float | None:
    count = _instructions(run)
    return None if count is None or not run.record["wall_ns"] else count / (run.record["wall_ns"] / 1e9)


def _lacking(members: Members, table: list[Row]) -> str:
    """Return the sentence that names series without instructions; none where all have them."""
    having = {row["series"] for row in table}
    without = [name for name in members if name not in having]
    return f" There is nothing of {', '.join(without)}: no run counted instructions." if without else ""
