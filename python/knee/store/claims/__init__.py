"""The claims of a study file: sentences with a test on the results, which the report judges.

A claim is about one number, defined by its kind (:mod:`knee.store.claims.kinds`), and gives bounds for it (``above``,
``below``). ``needs`` says what a machine must have for the claim to apply to it.
"""

from knee.store.claims.check import Claim, Fail, claims
from knee.store.claims.kinds import KINDS, MOST_LAST, Kind
from knee.store.claims.levels import is_level
from knee.store.claims.needs import claimed_counts, lacking
from knee.store.claims.schema import claim_schema

__all__ = [
    "KINDS",
    "MOST_LAST",
    "Claim",
    "Fail",
    "Kind",
    "claim_schema",
    "claimed_counts",
    "claims",
    "is_level",
    "lacking",
]
