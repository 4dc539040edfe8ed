"""Refuses to go on with a study on another machine, or on other cpus of it.

Its runs would be compared with those of the first one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knee import terminal
from knee.store import VARIABLES, Folder, RunSpec, StudyError
from knee.study.run.trust import Doing

GIVEN = {
    "openmp": ("OMP_NUM_THREADS", "OMP_DYNAMIC"),
    "rayon": ("RAYON_NUM_THREADS",),
    "go": ("GOMAXPROCS",),
    "julia": ("JULIA_NUM_THREADS",),
    "polars": ("POLARS_MAX_THREADS",),
    "blas": ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"),
}
"""Variables that ``--for`` gives each run. Those that hold options keep the shell's as well, and are none of these."""


BOUND = ("OMP_PROC_BIND", "OMP_PLACES")
"""Those that OpenMP gets as well where each thread is bound to a cpu."""


def refuse_elsewhere(folder: Folder, machine: Mapping[str, Any], doing: Doing) -> None:
    """Raise :class:`StudyError` if a machine is not that of the plan.

    It is another one if it has other sockets or cores, is another model, or allows other cpus. Another quota is said,
    and other variables of runtimes.
    """
    planned = folder.read_machine()
    models = [one["facts"].get("model") for one in (planned, machine)]
    # A model that is not known is an object that says why.
    other = all(isinstance(model, str) for model in models) and models[0] != models[1]
    if other or any(planned[part] != machine[part] for part in ("sockets", "cores")):
        which = f" ({models[0]}; this is {models[1]})" if other else ""
        message = f"cannot {doing.infinitive}: {folder.path}: it was made on another machine{which}"
        raise StudyError(message, hint=f"{doing.infinitive} on the machine of the study, or plan one here")
    then, now = (_allowed(one["allowed"]) for one in (planned, machine))
    if then != now:
        message = f"cannot {doing.infinitive}: {folder.path}: it was made with cpus {then}, and here they are {now}"
        raise StudyError(message, hint="taskset and control groups set them: start knee as for the study")
    quotas = [_quota(one["allowed"]) for one in (planned, machine)]
    if quotas[0] != quotas[1]:
        was, is_ = quotas
        terminal.err(f"knee: the study was planned with {was}, and here it is {is_}: its runs may not be comparable")
    if (differ := _variables(folder, planned["facts"], machine["facts"])) is not None:
        terminal.err(f"knee: the study was planned {differ}: its runs may not be comparable")


def _allowed(allowed: Mapping[str, Any]) -> str:
    """Write the cpus."""
    cpus = sorted(map(int, allowed["cpus"]))
    starts = [cpu for cpu in cpus if cpu - 1 not in cpus]
    ends = [cpu for cpu in cpus if cpu + 1 not in cpus]
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True))


def _variables(folder: Folder, planned: Mapping[str, Any], here: Mapping[str, Any]) -> str | None:
    """Return in words with which variables of runtimes a study was planned, where they are others here.

    Those that its programs get from the study are the same.
    """
    both = [facts.get(VARIABLES) for facts in (planned, here)]
    if not all(isinstance(one, str) for one in both):
        return None
    own = [_own(spec) for spec in folder.read_plan()]
    same = own[0].intersection(*own)
    was, is_ = ({one for one in str(text).split("; ") if one.partition("=")[0] not in same | {"none"}} for text in both)
    lost, new = (", ".join(sorted(these)) for these in (was - is_, is_ - was))
    if lost and new:
        return f"with {lost}, and here it is {new}"
    if lost:
        return f"with {lost}, which this shell does not set"
    return f"without {new}, which this shell sets" if new else None


def _own(spec: RunSpec) -> set[str]:
    """Return the variables that a run gets from the study."""
    program: dict[str, Any] = spec["program"]
    runtime = program.get("for", "")
    bound = BOUND if runtime == "openmp" and spec.get("bind") == "each" else ()
    return {*program.get("env", {}), *GIVEN.get(runtime, ()), *bound}


def _quota(allowed: Mapping[str, Any]) -> str:
    quota = allowed.get("quota_cpus")
    return "no quota" if quota is None else f"a quota of {quota:g} cpus"
