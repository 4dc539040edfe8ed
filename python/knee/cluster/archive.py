"""A file that brings the binary to Spark's workers."""

from __future__ import annotations

import tarfile
from os import PathLike, fspath
from pathlib import Path

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
    # Whole, or not at all: workers would unpack what was begun.
    part = Path(f"{fspath(path)}.part")
    try:
        with tarfile.open(part, "w:gz", compresslevel=6) as file:
            file.add(_binary.find().resolve(), "knee")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
