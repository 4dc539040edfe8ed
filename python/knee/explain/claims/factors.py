"""Claims about the share of the variation that a factor explains."""

from __future__ import annotations

import numpy as np

from knee.explain.claims.cells import Cells, among
from knee.explain.claims.evidence import Claim, Evidence, NoNumberError, Number
from knee.explain.factorial.design import Asked, designed
from knee.explain.factorial.twins import without_twins
from knee.stats.linear.anova import anova
from knee.stats.linear.block_errors import by_blocks
from knee.stats.linear.least_squares import fit
from knee.stats.linear.share import share_interval
from knee.stats.linear.transform import box_cox, transformed
from knee.store import StudyError


def share_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the share of a response's variation that a factor explains, on the recommended scale."""
    factor = claim["explains"]
    response = without_twins(among(Cells.of(claim, evidence).response, claim.get("at", {})))
    values = np.array(response.values, dtype=np.float64)
    try:
        design, _ = designed(response, Asked())
    except StudyError as error:
        raise NoNumberError(str(error)) from error
    if factor not in design.named:
        raise NoNumberError(f"{factor} does not vary")
    table = anova(by_blocks(fit(transformed(values, box_cox(values, design).recommended), design)))
    return Number(table.of(factor).share, share_interval(table, factor))
