"""Go's garbage collector: a heap four times as large, and no collection at all."""

from __future__ import annotations

from knee.study.remedies.remedy import COLLECTOR, Remedy
from knee.study.remedies.situation import UNKNOWN, Situation

TREATS = (COLLECTOR,)
USUAL = 100
TIMES = 4


def remedies(here: Situation) -> list[Remedy]:
    """Return both remedies."""
    reason, now = _not_go(here), here.variable("GOGC") or str(USUAL)
    if reason is None and now == "off":
        reason = "GOGC is off already"
    # The heap may grow by so many percent of what lives before it is collected.
    percent = TIMES * (100 + (int(now) if now.isdecimal() else USUAL)) - 100
    # Without a limit, a program that allocates for long would take all memory.
    own, limit = here.variable("GOMEMLIMIT"), here.memory_bytes // 2
    own = None if own == "off" else own
    off = {"GOGC": "off", "GOMEMLIMIT": own or str(limit)}
    most = "as much as GOMEMLIMIT says" if own else "half of the memory that it may use"
    note = f"collects nothing until the heap has {most}"
    return [
        Remedy("four times the heap (Go)", TREATS, f"GOGC={percent}", here.setting(GOGC=str(percent)), reason),
        Remedy(
            "no garbage collection (Go)",
            TREATS,
            " ".join(f"{name}={value}" for name, value in off.items()),
            here.setting(**off),
            reason,
            note=note,
        ),
    ]


def _not_go(here: Situation) -> str | None:
    if here.programs is None:
        return UNKNOWN
    return None if any(one.is_go for one in here.executables) else "no program of it is made with Go"
