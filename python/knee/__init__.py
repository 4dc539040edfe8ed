"""knee: find the knee of your speedup curve, know why it bends, move it.

``knee.open(folder)`` gives the frames, charts and findings of a study.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from knee.opened import OpenedStudy

try:
    __version__ = version("knee")
except PackageNotFoundError:  # run from a checkout that was never installed
    __version__ = "0+unknown"

__all__ = ["__version__", "open"]


def open(folder: str | PathLike[str]) -> OpenedStudy:  # noqa: A001 - as in zarr.open, read as knee.open
    """Open the folder of a study.

    Parameters
    ----------
    folder
        The study's folder, finished or not.

    Returns
    -------
    OpenedStudy
        Frames, charts, the analysis and the verdict.

    Raises
    ------
    knee.store.StudyError
        When the folder is no study, or one of a newer version.

    Examples
    --------
    >>> import knee
    >>> study = knee.open("knee-studies/mine")  # doctest: +SKIP
    >>> study.frame()  # doctest: +SKIP
    """
    from knee.opened import OpenedStudy

    return OpenedStudy.read(folder)
