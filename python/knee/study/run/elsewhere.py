"""Refuses to go on with a study on another machine, or on other cpus of it.

Its runs would be compared with those of the first one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knee import terminal
from knee.store import Folder, StudyError
from knee.study.run.trust import Doing


def refuse_elsewhere(folder: Folder, machine: Mapping[str, Any], doing: Doing) -> None:
    """Raise :class:`StudyError` if a machine is not that of the plan.

    It is another one if it has other sockets or cores, is another model, or allows other cpus. Another quota is said.
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


def _allowed(allowed: Mapping[str, Any]) -> str:
    """Write the cpus."""
    cpus = sorted(map(int, allowed["cpus"]))
    starts = [cpu for cpu in cpus if cpu - 1 not in cpus]
    ends = [cpu for cpu in cpus if cpu + 1 not in cpus]
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True))


def _quota(allowed: Mapping[str, Any]) -> str:
    quota = allowed.get("quota_cpus")
    return "no quota" if quota is None else f"a quota of {quota:g} cpus"
