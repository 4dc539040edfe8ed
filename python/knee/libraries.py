"""Says which of the libraries that knee needs is missing, too old or broken, once something has failed."""

from __future__ import annotations

import re
import sys

NEEDED = {"numpy": (2,), "scipy": (1, 13), "altair": (6,), "jinja2": (3, 1), "vl_convert": (1, 9)}
"""Oldest versions that knee works with, as in pyproject.toml."""

PACKAGES = {"vl_convert": "vl-convert-python"}
"""What a library is called where it is installed from, if not as it is imported."""

OWN = "knee"


def fault(error: ImportError | AttributeError) -> tuple[str, str] | None:
    """Return what is wrong with a library and what to try; None if the error is not about one.

    Nothing is checked before something fails, since asking for versions takes as long as starting.
    """
    for name, oldest in NEEDED.items():
        found = str(getattr(sys.modules.get(name), "__version__", ""))
        numbers = tuple(map(int, re.findall(r"\d+", found)[: len(oldest)]))
        if numbers and numbers < oldest:
            needed = ".".join(map(str, oldest))
            return f"cannot use {name}: version {found} is installed, {needed} is needed: {sys.executable}", _hint(name)
    if not isinstance(error, ImportError):
        return None
    name = _library(error)
    if name is None or name == OWN:
        return None
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "no reason given")
    return f"cannot import {name}: {first}: {sys.executable}", _hint(name)


def _library(error: ImportError) -> str | None:
    """Return the library of knee's in which an import failed, from the innermost frame outwards."""
    names: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        names.append(str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0])
        trace = trace.tb_next
    asked = (error.name or "").partition(".")[0]
    return next((name for name in (asked, *reversed(names)) if name in NEEDED), asked or None)


def _hint(name: str) -> str:
    return f"{sys.executable} -m pip install --upgrade {PACKAGES.get(name, name)}"
