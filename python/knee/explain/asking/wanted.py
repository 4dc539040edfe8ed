"""The questions for the next block: those that can tell something, and fit into what is left of time and blocks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from knee.explain.asking.costs import cost_s, cpu_s, seconds
from knee.explain.asking.targets import CHAIN, at_knees, begun_at_knees, explained
from knee.explain.asking.telling import ANYWHERE, BLOCKS, GROWN, blocks_for, done, later, questions
from knee.explain.evidence.evidence import COPIES, FEWEST, ONE_CPU, SWITCHES, Evidence, answers, evidence
from knee.explain.ledger.explanation import explanation
from knee.explain.ledger.ledger import FEW, MACHINE, MORE, NOBODY, ONE, ledger
from knee.explain.scaling.series import group
from knee.explain.signs.beside import STREAM
from knee.explain.signs.idle.waits import own_waits
from knee.explain.signs.relief import relief
from knee.store import Level, Run

FIRST_LAUNCHES = 6
"""The first answer comes after this many launches."""

SPARE = 0.05
"""Share of the time for questions that is not planned, since some runs take longer than those before them."""

ENOUGH = 2
"""Where so many times the blocks of a question are left, all but one can wait for the next block."""

MOST = 4
"""A question that does not tell is asked in at most so many times the blocks in which it must be, others in half."""

PACE = 2.0
"""What is asked again takes so many times as long as the time that is left, spread evenly over the blocks."""

MATTERS = 0.15
"""What is at most this share of the loss is not asked for again: other questions tell more."""

PARTS = {ONE_CPU: MORE, COPIES: MACHINE}
"""The part of the loss that a question tells."""

FAILS = 2
"""A question whose run failed this often, and never succeeded, is not asked again."""


@dataclass(frozen=True)
class Wanted:
    """A question for a block.

    Parameters
    ----------
    cell
        The cell that is explained.
    name
        The name of the question, or of a cause that a changed setting tests.
    block
        The block.
    cost_s
        Seconds that its runs take in a block, estimated.
    """

    cell: dict[str, Level]
    name: str
    block: int
    cost_s: float


@dataclass(frozen=True)
class Left:
    """What is left of a study: its blocks and its time for questions.

    Parameters
    ----------
    block, blocks
        The next block, and the number of blocks of the design.
    share
        Time for the questions, as a share of the study's own.
    testable
        Whether a question about cores or memory fits a cell's cpus, or a changed setting of its program can test a
        cause.
    """

    block: int
    blocks: int
    share: float
    testable: Callable[[dict[str, Level], str], bool]


def wanted(runs: Sequence[Run], allowed: int, left: Left) -> list[Wanted]:
    """Return the questions for the next block.

    Parameters
    ----------
    runs
        All runs so far.
    allowed
        Number of cpus that the study may use.
    left
        What is left of the study.
    """
    if len(runs) < first(left.blocks) or left.block > left.blocks:
        return []
    own = [run for run in runs if run.role == "measure" and not run.replaced]
    made = max((run.spec["block"] for run in own), default=0)
    budget_s = (1 - SPARE) * left.share * seconds(own) * left.blocks / max(1, made)
    left_s = budget_s - seconds([run for run in runs if "test" in run.spec])
    largest = explained(group(list(runs), allowed))
    targets = [evidence(one, threads) for one, threads in largest]
    # What was begun at a knee is of use only with an interval, so its time is kept.
    begun = [evidence(one, threads) for one, threads in begun_at_knees(largest)]
    missing = [one for found in begun for one in _missing(found, left)]
    chosen = [one for one, _ in missing]
    left_s -= sum(blocks * one.cost_s for one, blocks in missing)
    asked = [(found, _affordable(found, left_s / len(targets), left)) for found in targets]
    chosen += [one for _, own in asked for one in own]
    if any(done(found, one.name) < blocks_for(found, one.name) for found, own in asked for one in own):
        return chosen
    # What the largest counts ask for was asked, so there is time for the knees.
    left_s -= sum(one.cost_s for _, own in asked for one in own)
    knees = [evidence(one, threads) for one, threads in at_knees(largest)]
    more = [one for found in knees for one in _affordable(found, left_s / len(knees), left, CHAIN)]
    return chosen + [one for one in more if one not in chosen]


def first(blocks: int) -> int:
    """Return after how many launches questions are asked: late enough to know what to ask, and in enough blocks."""
    return FIRST_LAUNCHES if blocks > BLOCKS + 2 else 1


def _affordable(found: Evidence, left_s: float, left: Left, among: Collection[str] | None = None) -> list[Wanted]:
    """Return the questions that fit into the time and the blocks that are left, most telling first.

    Those in ``among``, or any.
    """
    if not found.many.runs or not found.base.runs:
        return []
    cell, blocks = found.many.runs[0].cell, left.blocks - left.block + 1

    def can(name: str) -> bool:
        named = among is None or name in among
        return named and _askable(found, name) and (name in ANYWHERE or left.testable(cell, name))

    names = questions(found, can)
    if blocks > ENOUGH * BLOCKS and names[:1] == [COPIES] and COPIES not in found.tests:
        # How much of the loss is the machine's decides what else to ask.
        names = names[:1]
    often = {name: done(found, name) for name in names}
    chosen: list[Wanted] = []
    # First each question as often as it must be asked; more often only when it is too late to begin others.
    waiting = later(found)
    for name in names:
        missing, each = blocks_for(found, name) - often[name], cost_s(found, name)
        if name in waiting:
            # Its time is kept: what comes first may make it necessary.
            left_s -= missing * each
            continue
        once = max(each, cpu_s(found)) if name == ONE_CPU and not often[name] else each
        if often[name] >= BLOCKS:
            missing = min(missing, int(left_s / each)) if each > 0 else missing
        elif (often[name] or name == STREAM) and missing * each > left_s:
            missing = min(missing, FEWEST - often[name])
        if 0 < missing <= blocks and max(missing * each, once) <= left_s:
            chosen.append(Wanted(cell, name, left.block, each))
            left_s -= missing * each
    # Once there is nothing to begin, or it is too late to.
    return chosen + (_again(found, often, left_s, left) if not chosen or blocks < BLOCKS else [])


def _again(found: Evidence, often: dict[str, int], left_s: float, left: Left) -> list[Wanted]:
    """Return the questions to ask once more: those that do not tell yet, each time the one that was asked least.

    Their time is spread over the blocks that are left, so that what their answers ask for can still be asked.
    """
    undecided = {name for name in often if _undecided(found, name)}
    spent_s, pace_s = 0.0, PACE * left_s / (left.blocks - left.block + 1)
    cell, chosen = found.many.runs[0].cell, list[Wanted]()
    for name in sorted(often, key=lambda name: (name not in undecided, often[name])):
        each = cost_s(found, name)
        most = MOST if name in undecided else MOST / 2
        if BLOCKS <= often[name] < most * BLOCKS and spent_s < pace_s and spent_s + each <= left_s:
            chosen.append(Wanted(cell, name, left.block, each))
            spent_s += each
    return chosen


def _missing(found: Evidence, left: Left) -> list[tuple[Wanted, int]]:
    """Return the questions of the chain that were begun, and in how many blocks each must still be asked."""
    cell = found.many.runs[0].cell if found.many.runs else {}
    often = {name: done(found, name) for name in sorted(CHAIN) if _askable(found, name)}
    return [
        (Wanted(cell, name, left.block, cost_s(found, name)), BLOCKS - made)
        for name, made in often.items()
        if cell and 0 < made < BLOCKS
    ]


def _undecided(found: Evidence, name: str) -> bool:
    """Whether it does not tell yet what a setting takes away, whether CPU time grows, or threads pass a lock on."""
    book = ledger(found)
    least = MATTERS * book.loss.value
    if name in (ONE_CPU, SWITCHES) and book.value(NOBODY, ONE, FEW).value > least:
        waiting = own_waits(found)
        if waiting is not None and waiting.passed_on is None:
            return True
    if name in PARTS:
        grown = book.value(PARTS[name]).interval
        return grown.low < GROWN and grown.high > max(GROWN, least)
    changed = relief(found, name)
    return changed is not None and changed.undecided(least)


def _askable(found: Evidence, name: str) -> bool:
    failed = [many for test, (many, _) in found.failed.items() if answers(test, name)]
    return max(failed, default=0) < FAILS


def answered(runs: Sequence[Run], allowed: int) -> list[str]:
    """Return the answers so far, a line for each combination of factors that is explained."""
    return [
        f"{one.name}: {explanation(evidence(one, threads)).first_words}"
        for one, threads in explained(group(list(runs), allowed))
    ]
