"""A part on this machine, without an engine: for engines that knee does not know."""

from __future__ import annotations

from knee.cluster import worker
from knee.cluster.parts import failed
from knee.cluster.worker import Limits, Worker


def run_part(part: str, *, threads: int | None = None, timeout_s: float | None = None) -> str:
    """Answer a part.

    Parameters
    ----------
    part
        A line of ``knee query --split`` or ``knee mine --split``.
    threads
        By default as many as there are allowed cpus, or as the control group gives CPU time for.
    timeout_s
        How long it may take.

    Returns
    -------
    str
        A line for :func:`merge`.

    Raises
    ------
    knee.store.StudyError
        Why there is no answer.
    """
    try:
        return worker.run_part(part, Worker(worker.host(), None, None), Limits(threads, timeout_s))
    except RuntimeError as error:
        raise failed(str(error)) from None
