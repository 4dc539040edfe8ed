"""The threads that were observed in runs: most of what a record weighs, so they are read again by who needs them."""

from __future__ import annotations

from collections.abc import Collection

from knee.store.check import listed
from knee.store.folder import Folder
from knee.store.seam import THREAD_USE, ThreadUse
from knee.store.types import StudyError


def observed_threads(folder: Folder, runs: Collection[str]) -> dict[str, list[ThreadUse]]:
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

    Raises
    ------
    StudyError
        When a record's threads were damaged.
    """
    threads: dict[str, list[ThreadUse]] = {}
    for number, record in folder.numbered_records():
        if record["id"] in runs:
            if reason := listed(THREAD_USE).mismatch(record["observed_threads"], "observed_threads"):
                message = f"cannot read line {number}: {folder.records}: {reason}"
                raise StudyError(message, hint=folder.without_line())
            threads[record["id"]] = list(record["observed_threads"])
    return threads
