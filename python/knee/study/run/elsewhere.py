"""Refuses to go on with a study on another machine: its runs would be compared with those of the first one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knee.store import Folder, StudyError
from knee.study.run.trust import Doing


def refuse_elsewhere(folder: Folder, machine: Mapping[str, Any], doing: Doing) -> None:
    """Raise :class:`StudyError` if a machine has other sockets or cores than that of the plan, or is another model."""
    planned = folder.read_machine()
    models = [one["facts"].get("model") for one in (planned, machine)]
    # A model that is not known is an object that says why.
    other = all(isinstance(model, str) for model in models) and models[0] != models[1]
    if other or any(planned[part] != machine[part] for part in ("sockets", "cores")):
        which = f" ({models[0]}; this is {models[1]})" if other else ""
        message = f"cannot {doing.infinitive}: {folder.path}: it was made on another machine{which}"
        raise StudyError(message, hint=f"{doing.infinitive} on the machine of the study, or plan one here")
