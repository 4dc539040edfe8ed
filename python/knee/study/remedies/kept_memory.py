"""Kept memory: what a program frees stays with it, so the kernel need not clear the same pages again."""

from __future__ import annotations

from knee.study.remedies.glibc import not_glibc, tunables, version
from knee.study.remedies.remedy import FAULTS, Remedy
from knee.study.remedies.situation import Situation

NAME, TREATS = "kept memory", (FAULTS,)

TOP_PAD, NEVER = 64 << 20, 1 << 40

OLD = 32 << 20
"""Older versions of glibc ignore a larger threshold."""


def remedies(here: Situation) -> list[Remedy]:
    """Return the remedy."""
    threshold = NEVER if version() >= (2, 35) else OLD
    ours = {"trim_threshold": NEVER, "top_pad": TOP_PAD, "mmap_threshold": threshold}
    value = tunables(here, *(f"glibc.malloc.{name}={number}" for name, number in ours.items()))
    note = "memory that the program has freed is not given back to the machine"
    change = here.setting(GLIBC_TUNABLES=value)
    return [Remedy(NAME, TREATS, f"GLIBC_TUNABLES={value}", change, not_glibc(here), note=note)]
