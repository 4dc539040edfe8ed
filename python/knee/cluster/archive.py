"""A file that brings the binary to Spark's workers."""

from __future__ import annotations

import tarfile
from os import PathLike

from knee import _binary


def archive(path: str | PathLike[str]) -> None:
    """Write the binary of this machine into an archive, for ``spark-submit --archives knee.tar.gz#knee``.

    Parameters
    ----------
    path
        Of the archive; its name ends with ``.tar.gz``.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    with tarfile.open(path, "w:gz", compresslevel=6) as file:
        file.add(_binary.find().resolve(), "knee")
