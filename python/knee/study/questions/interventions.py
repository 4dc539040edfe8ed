"""Runs with one setting of the program's runtime changed, to test a cause: the remedies of ``knee try`` for it.

A setting has an effect on one thread, too, so each is made at both thread counts: what counts is how much it changes
the loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from knee.store import RunSpec
from knee.study.remedies.remedy import Remedy
from knee.study.remedies.variables import with_variables

PREFERRED = {
    "garbage collection": "no garbage collection (Go)",
    "allocator": "jemalloc as allocator",
    "page faults": "kept memory",
    "spinning": "passive waiting",
    "I/O": "page cache alone",
}
"""Of several remedies for a cause this one is made, else the first."""

WORSE = ("one arena",)
"""Remedies that make things worse where their cause is there, and tell nothing by that."""

AT_BASE = ", base"
"""Ends the name of the run on the base's threads."""

SHORT = {"page faults": "page faults, mmap lock"}
"""Names of causes that remedies have in full."""


def for_cause(cause: str, remedies: Sequence[Remedy]) -> Remedy | None:
    """Return the remedy that tests a cause; None if none applies here."""
    named = SHORT.get(cause, cause)
    fitting = [one for one in remedies if one.applies and named in one.treats and _tests(one)]
    return next((one for one in fitting if one.name == PREFERRED.get(cause)), next(iter(fitting), None))


def _tests(remedy: Remedy) -> bool:
    """Whether it changes settings of the program only, neither its threads nor its cpus, and may help."""
    return set(remedy.change) <= {"program"} and remedy.name not in WORSE


def interventions(cause: str, remedy: Remedy, specs: Sequence[RunSpec]) -> Iterator[RunSpec]:
    """Yield the runs that test a cause: with the remedy, for the explained cell and the base.

    Parameters
    ----------
    cause, remedy
        The cause, and the remedy for it.
    specs
        The run spec of the cell that is explained, and that of the base.
    """
    explained = specs[0]
    for spec in specs:
        changed: Mapping[str, Any] = {**spec, **_settings(remedy, spec)}
        name = f"{cause}: {remedy.name}" + (AT_BASE if spec is not explained else "")
        yield cast(
            "RunSpec", {**changed, "role": "intervention", "cell": explained["cell"], "test": name, "switches": True}
        )


def _settings(remedy: Remedy, spec: RunSpec) -> dict[str, Any]:
    """Return the remedy's change for a run whose program may have other levels."""
    return {"program": with_variables(spec["program"], remedy.change["program"].get("env", {}))}
