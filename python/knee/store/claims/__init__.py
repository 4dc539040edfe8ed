"""The claims of a study file: sentences with a test on the results, which the report then decides.

A claim is about one number, which its kind says how to find (:mod:`knee.store.claims.kinds`), and says where that
number has to lie (``above``, ``below``). ``needs`` says what a machine must have for the claim to mean anything on it.
"""

from knee.store.claims.check import Claim, Fail, claims
from knee.store.claims.kinds import KINDS, MOST_LAST, Kind
from knee.store.claims.levels import is_level
from knee.store.claims.schema import claim_schema

__all__ = ["KINDS", "MOST_LAST", "Claim", "Fail", "Kind", "claim_schema", "claims", "is_level"]
