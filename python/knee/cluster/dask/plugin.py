"""The binary for workers that have none."""

# pyright: basic
# Neither distributed nor cloudpickle has types.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cloudpickle
import distributed

from knee import _binary
from knee.cluster.dask import by_value as _by_value  # noqa: F401 - what is below travels with its code
from knee.cluster.dask.on_workers import Bring


class Binary(distributed.WorkerPlugin):
    """Brings the binary of this machine to all workers of a cluster, also to those that join later.

    It lies in each worker's own folder, which Dask removes.

    Raises
    ------
    knee.store.StudyError
        When there is no binary here.

    Examples
    --------
    >>> client.register_plugin(knee.cluster.dask.Binary())  # doctest: +SKIP
    """

    name = "knee"

    def __init__(self) -> None:
        self._code = cloudpickle.dumps(Bring(_binary.find().read_bytes()))

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return cloudpickle.loads, (self._code,)
