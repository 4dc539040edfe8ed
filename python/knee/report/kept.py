"""What reports keep in the user's cache, because it is the same for every study."""

from __future__ import annotations

import os
from pathlib import Path


def kept_folder() -> Path:
    """Return the folder for what can be made again; it need not be there, nor be writable."""
    asked = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(asked) if Path(asked).is_absolute() else Path.home() / ".cache") / "knee"
