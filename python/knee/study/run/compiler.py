"""Compiles a small library in C for a remedy."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

COMPILERS = ("cc", "gcc", "clang")

LONGEST_S = 60.0
"""A compiler that takes longer is given up."""


def compiled(source: Path, library: Path) -> tuple[Path | None, str | None]:
    """Return the compiled library, or why there is none.

    Parameters
    ----------
    source
        The file in C.
    library
        Where the library is put. Another file there is replaced.
    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None, "it takes a C compiler: install gcc"
    try:
        # Beside its place, and then moved: a link that somebody left there is not followed.
        with TemporaryDirectory(prefix="compiled-", dir=library.parent) as folder:
            made = Path(folder) / library.name
            words = [compiler, "-O2", "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"]
            subprocess.run(words, check=True, capture_output=True, text=True, timeout=LONGEST_S)
            made.replace(library)
    except (OSError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()
        return None, f"{compiler} cannot compile it: {said[0] if said else 'it says nothing'}"
    return library, None
