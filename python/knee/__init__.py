"""knee: find the knee of your speedup curve, know why it bends, move it.

``knee.open(folder)`` gives the frames, charts and findings of a study. ``knee.mine.count(graph, pattern)`` counts
patterns in graphs. ``knee.region(name)`` marks the phases of a measured program, so importing this package must cost
next to nothing.
"""

from __future__ import annotations

from knee.regions import TYPE_CHECKING, counter, region

if TYPE_CHECKING:
    from os import PathLike
    from types import ModuleType

    from knee import mine
    from knee.opened import Study

    __version__: str

__all__ = ["__version__", "counter", "mine", "open", "region"]


def __getattr__(name: str) -> str | ModuleType:
    """Look up the version and ``knee.mine`` on first use: both take longer to import than the rest of this module."""
    if name == "mine":
        from importlib import import_module

        return import_module("knee.mine")
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
        When the folder is not a study, or a newer version wrote it.

    Examples
    --------
    >>> import knee
    >>> study = knee.open("knee-studies/mine")  # doctest: +SKIP
    >>> study.frame()  # doctest: +SKIP
    """
    from knee.opened import Study

    return Study.read(folder)
