"""Huge pages for memory that glibc allocates."""

from __future__ import annotations

from knee.study.remedies.glibc import not_glibc, tunables, version
from knee.study.remedies.remedy import FAULTS, TLB, Remedy
from knee.study.remedies.situation import Situation

NAME, TREATS = "huge pages", (TLB, FAULTS)
SINCE = (2, 35)
FILE = "/sys/kernel/mm/transparent_hugepage/enabled"
ROOT = f"echo madvise > {FILE}"


def remedies(here: Situation) -> list[Remedy]:
    """Return the remedy: glibc asks the kernel for huge pages (``madvise``), which must be allowed."""
    value = tunables(here, "glibc.malloc.hugetlb=1")
    reason, allowed = not_glibc(here), here.machine["facts"].get("transparent_huge_pages")
    if reason is None and version() < SINCE:
        reason = f"glibc has the setting since {SINCE[0]}.{SINCE[1]}"
    if reason is None and allowed == "always":
        reason = "the kernel uses them for all memory already"
    if reason is None and not isinstance(allowed, str):
        reason = "the kernel has no transparent huge pages"
    if reason is None and allowed == "never":
        return [Remedy(NAME, TREATS, root=ROOT)]
    return [Remedy(NAME, TREATS, f"GLIBC_TUNABLES={value}", here.setting(GLIBC_TUNABLES=value), reason)]
