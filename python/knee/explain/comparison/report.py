"""The result of a comparison: an answer for every cell, one verdict for all, and its sentence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from knee.explain.comparison.parts import Losses
from knee.stats.answers import Answer
from knee.stats.paired import Comparison
from knee.store import SCHEMA, Level, finite


@dataclass(frozen=True)
class Compared:
    """A cell that both sides have. Times are geometric means in seconds, NaN without a good run.

    ``blocks_needed`` is about how many blocks of a new study, or of two, would decide a cell whose verdict is "cannot
    tell"; None if it is decided, or if a thousand would not be enough.
    """

    name: str
    cell: dict[str, Level]
    a_s: float
    b_s: float
    comparison: Comparison
    verdict: Answer
    blocks_needed: int | None
    disturbed: bool = False
    """Whether other programs are the reason for "cannot tell": they may have changed the answer, or cost more than the
    smallest effect, so that more blocks of that kind would not help.
    """


@dataclass(frozen=True)
class Report:
    """All cells, the verdict, and notes on how far to trust it."""

    a: str
    b: str
    shared_blocks: bool
    session_spread: float
    """Expected difference between two sessions, as a share; 0 if blocks are shared."""
    smallest: float
    verdict: Answer
    cells: tuple[Compared, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    lost: tuple[str, ...]
    """Cells in which A has good runs and B only bad ones."""
    losses: tuple[Losses, ...]
    """The parts of the loss of every series that both sides have."""
    notes: tuple[str, ...]

    @property
    def judged(self) -> list[Compared]:
        """Cells with good runs on both sides."""
        return [one for one in self.cells if one.name not in self.lost]

    @property
    def open(self) -> list[Compared]:
        """Cells whose answer is "cannot tell"."""
        return [one for one in self.judged if one.verdict == "cannot tell"]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        said = [words for words in (self._shown(), self._open()) if words]
        if self.lost:
            said.append(f"B has no good run of {'; '.join(self.lost)}, where A has one.")
        return " ".join(said)

    def _shown(self) -> str:
        """Return the sentence on a difference in some cells, or that all are equal."""
        many = _cells(len(self.judged))
        if self.verdict == "equal":
            where = f"in {many}" if len(self.judged) > 1 else f"with {self.judged[0].name}"
            return f"B and A are equal within {_percent(self.smallest)} {where}."
        alike = [one for one in self.judged if one.verdict == self.verdict]
        if self.verdict == "cannot tell" or not alike:
            return ""
        most = max(alike, key=lambda one: abs(np.log(one.comparison.estimate)))
        # One slower cell makes the verdict, however many are faster.
        others = sum(one.verdict == "faster" for one in self.judged) if self.verdict == "slower" else 0
        beside = f" (faster in {others})" if others else ""
        where = f"with {most.name}"
        if len(self.judged) > 1:
            where = f"in {len(alike)} of {many}{beside}, most {where}"
        much = f"{_difference(most.comparison)} {'more' if self.verdict == 'slower' else 'less'} time"
        return f"B is {self.verdict} than A {where}: {much}."

    def _open(self) -> str:
        """Return the sentence on undecided cells, and what would decide them."""
        if not self.open:
            return ""
        widest = max(self.open, key=lambda one: _width(one.comparison))
        ends = widest.comparison.interval
        said = "Cannot tell" + (f" in {len(self.open)} of {len(self.judged)} cells" if len(self.judged) > 1 else "")
        if ends.low == ends.low and not widest.disturbed:
            said += f" (B / A lies between {ends.low:.2f} and {ends.high:.2f} with {widest.name})"
        return f"{said}: {self._what_would_tell()}."

    def _what_would_tell(self) -> str:
        if any(one.disturbed for one in self.open):
            return "other programs may have cost the runs too much time; measure on a quiet machine"
        if few := [one.name for one in self.open if one.comparison.values < 2]:
            return f"one side or both have fewer than two good runs of {'; '.join(few)}"
        needed = [one.blocks_needed for one in self.open]
        if all(one is not None for one in needed):
            blocks = max(one or 0 for one in needed)
            studies = "a new study" if self.shared_blocks else "two new studies"
            return f"{studies} of about {blocks} blocks would tell (--blocks {blocks})"
        if self.session_spread:
            spread = _percent(self.session_spread)
            return f"two sessions of one program may differ by {spread}; measure A and B in one study"
        return "even a thousand blocks would not tell"

    def to_json(self) -> dict[str, Any]:
        """Return plain data: numbers that are not known are null."""
        return cast("dict[str, Any]", finite({"schema": SCHEMA, "sentence": self.sentence} | asdict(self)))


def _cells(many: int) -> str:
    return f"{many} cell{'s' if many > 1 else ''}"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _width(comparison: Comparison) -> float:
    ends = comparison.interval
    return 0.0 if ends.low != ends.low else ends.high / ends.low if ends.low > 0 else float("inf")


def _difference(comparison: Comparison) -> str:
    """Return how much more or less time B takes, in percent of the time of A."""
    ends = comparison.interval
    shares = [100 * abs(ratio - 1) for ratio in (comparison.estimate, ends.low, ends.high)]
    return f"{shares[0]:.1f} % [{min(shares[1:]):.1f}, {max(shares[1:]):.1f}]"
