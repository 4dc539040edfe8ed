"""Passive or active waiting: whether OpenMP's threads sleep or spin while they wait."""

from __future__ import annotations

from knee.study.remedies.openmp import is_gnu, no_openmp
from knee.study.remedies.remedy import CROWDED, LOCK, SPINNING, Remedy
from knee.study.remedies.situation import Situation


def remedies(here: Situation) -> list[Remedy]:
    """Return both remedies."""
    reason, policy = no_openmp(here), (here.variable("OMP_WAIT_POLICY") or "").lower()
    many = here.as_is["threads"] > len(here.as_is["cpus"] or here.allowed)
    crowded = "there are more threads than cpus, so a thread that spins takes a cpu from another" if many else None
    return [
        _one(here, "passive", "0", (SPINNING, CROWDED), reason or _already(policy, "passive")),
        _one(here, "active", "infinite", (LOCK,), reason or _already(policy, "active") or crowded),
    ]


def _already(policy: str, asked: str) -> str | None:
    return f"OMP_WAIT_POLICY is {asked} already" if policy == asked else None


def _one(here: Situation, policy: str, spins: str, treats: tuple[str, ...], reason: str | None) -> Remedy:
    own = {"GOMP_SPINCOUNT": spins} if is_gnu(here) else {"KMP_BLOCKTIME": spins}
    variables = {"OMP_WAIT_POLICY": policy, **own}
    does = " ".join(f"{name}={value}" for name, value in variables.items())
    return Remedy(f"{policy} waiting", treats, does, here.setting(**variables), reason)
