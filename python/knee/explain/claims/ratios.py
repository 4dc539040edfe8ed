"""Claims about cells: a ratio of two, a difference, what cells have, and a speedup over the fewest threads."""

from __future__ import annotations

from knee.explain.claims.cells import Cells, arithmetic, fits, mean, one, without_threads
from knee.explain.claims.evidence import Claim, Evidence, NoNumberError, Number
from knee.stats.distributions import Array
from knee.stats.intervals import ratio


def ratio_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the response of one cell over that of another, block by block."""
    cells = Cells.of(claim, evidence)
    of, over = (claim["ratio"][side] for side in ("of", "over"))
    return _ratio(cells.means(of, over), cells.means(over, of))


def difference_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the response of one cell less that of another, block by block, as the mean over what is left open.

    Its interval is Student's on the values themselves. Where they are as skewed as lognormal ones with a deviation of
    0.5, it covers 84 to 89 of 90; a claim that a ratio can be about is better one of a ratio.
    """
    cells = Cells.of(claim, evidence)
    of, other = (claim["difference"][side] for side in ("of", "from"))
    apart = cells.by_block(of, other).mean(axis=0) - cells.by_block(other, of).mean(axis=0)
    return arithmetic(apart, "both")


def value_number(claim: Claim, evidence: Evidence) -> Number:
    """Return what cells have."""
    return mean(Cells.of(claim, evidence).by_block(claim["value"]))


def speedup_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the response on the fewest threads over that of a cell, block by block."""
    cells = Cells.of(claim, evidence)
    cell = one(cells.runs, claim["speedup"])
    base = min(run.threads for run in cells.runs if fits(run, without_threads(cell)))
    first, many = (cells.means({**cell, "threads": n}) for n in (base, cell["threads"]))
    # Where the input grows with the threads, so does the work that the time is spent on.
    grown = int(cell["threads"]) / base if any(member.weak for member in evidence.series) else 1.0
    return _ratio(first * grown, many)


def _ratio(numerator: Array, denominator: Array) -> Number:
    compared = ratio(numerator, denominator)
    if compared.blocks < 2:
        raise NoNumberError("fewer than two blocks have a good run of both")
    return Number(compared.estimate, compared.interval)
