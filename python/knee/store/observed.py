"""The threads that were observed in runs: most of what a record weighs, so they are read again by who needs them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from knee.store.folder import Folder


def observed_threads(folder: Folder, runs: Collection[str]) -> dict[str, list[dict[str, Any]]]:
    """Return what was seen of the threads of these runs, by run.

    Parameters
    ----------
    folder
        The study.
    runs
        Ids of runs.

    Returns
    -------
    dict
        For each of them that has a record a list, empty where nobody looked at its threads.
    """
    records = (record for _, record in folder.numbered_records())
    return {record["id"]: list(record["observed_threads"]) for record in records if record["id"] in runs}
