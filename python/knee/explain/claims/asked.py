"""Describes a claim in one line: the number that it is about, and its bounds."""

from __future__ import annotations

from knee.explain.claims.cells import words
from knee.explain.claims.evidence import Claim
from knee.store import KINDS, MOST_LAST


def asked(claim: Claim) -> str:
    """Return the number that a claim is about, and its bounds, in words."""
    [kind] = [KINDS[name] for name in KINDS if name in claim]
    chosen = claim[kind.name]
    told = {"response": _response(claim), "sampled": claim.get("sampled"), "parts": _parts(claim)}
    told["against"] = claim.get("against", "that")
    told["of_response"] = f" in {told['response']}" if "response" in claim or "per" in claim else ""
    told["between"] = " and ".join(map(str, claim.get("between", []))) + " threads"
    told["times"] = f"{claim['times']:,} times " if "times" in claim else ""
    told["at"] = f" at {words(claim['at'])}" if "at" in claim else ""
    many = claim.get("among") == "threads"
    told["spread"] = ("largest over smallest {} of the threads" if many else "variation of {}").format(told["response"])
    if kind.chooses == "two cells":
        told |= {side: words(chosen[side]) for side in kind.sides}
    elif kind.chooses == "factor":
        told["factor"] = chosen
    else:
        told |= {"cell": words(chosen) or "all cells", "series": words(chosen) or "the study"}
    bounds = " and ".join(f"{name} {claim[name]:g}" for name in ("above", "below") if name in claim)
    return f"{kind.words.format_map(told)}: {bounds}"


def _response(claim: Claim) -> str:
    usual = "cpu" if claim.get("among") == "threads" else "time"
    return (claim.get("response") or usual) + (f" per {claim['per']}" if "per" in claim else "")


def _parts(claim: Claim) -> str:
    last, during = claim.get("last", MOST_LAST), f" of {claim['during']}" if "during" in claim else ""
    if last == MOST_LAST:
        return f"the second half{during} over that in the first half"
    return f"the last {100 * last:g} %{during} over that in the same time before"
