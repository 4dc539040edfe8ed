"""knee: find the knee of your speedup curve, know why it bends, move it.

``knee.open(folder)`` gives the frames, charts and findings of a study. ``knee.region(name)`` marks the phases of a
program that is measured, so importing this package has to cost it next to nothing.
"""

from __future__ import annotations

from knee.regions import TYPE_CHECKING, counter, region

if TYPE_CHECKING:
    from os import PathLike

    from knee.opened import Study

    __version__: str

__all__ = ["__version__", "counter", "open", "region"]


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: the library that knows it takes longer than all the rest."""
    if name != "__version__":
        raise AttributeError(f"module 'knee' has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("knee")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "0+unknown"


def open(folder: str | PathLike[str]) -> Study:  # noqa: A001 - as in zarr.open, read as knee.open
    """Open the folder of a study.

    Parameters
    ----------
    folder
        The study's folder, finished or not.

    Returns
    -------
    Study
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
    from knee.opened import Study

    return Study.read(folder)
