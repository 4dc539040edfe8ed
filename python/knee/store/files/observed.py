"""Reads the observed threads of runs. They are most of a record's size, so they are loaded only on demand."""

from __future__ import annotations

from collections.abc import Collection

from knee.store.check import listed
from knee.store.files.folder import Folder
from knee.store.seam import THREAD_USE, ThreadUse
from knee.store.types import StudyError


def observed_threads(folder: Folder, runs: Collection[str]) -> dict[str, list[ThreadUse]]:
    """Return the observed threads of these runs, by run.

    Parameters
    ----------
    folder
        The study.
    runs
        Ids of runs.

    Returns
    -------
    dict
        A list for each run with a record, empty if its threads were not sampled.

    Raises
    ------
    StudyError
        When the threads of a record are damaged.
    """
    threads: dict[str, list[ThreadUse]] = {}
    for number, record in folder.numbered_records():
        if record["id"] in runs:
            if reason := listed(THREAD_USE).mismatch(record["observed_threads"], "observed_threads"):
                message = f"cannot read line {number}: {folder.records}: {reason}"
                raise StudyError(message, hint=folder.without_line())
            threads[record["id"]] = list(record["observed_threads"])
    return threads
