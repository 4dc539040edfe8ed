"""The script that draws the figures: Vega, Vega-Lite and Vega-Embed in one.

Building it takes two seconds and always gives the same script, so it is kept in the user's cache.
"""

from __future__ import annotations

import contextlib
import os
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert as vlc

from knee.store import write_whole

END = "\n// all of it\n"
"""Last line of a complete script: a cached file without it was cut off."""


@cache
def bundle() -> str:
    """Return the script, safe inside a script element."""
    kept = _folder() / f"vega-{version('vl-convert-python')}.js"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = kept.read_text(encoding="utf-8")
        if text.endswith(END):
            return text
    made: str = vlc.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    script = made.replace("</script", r"<\/script") + END
    # Where no cache can be written, every report takes the two seconds.
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, script)
    return script


def _folder() -> Path:
    """Return the cache folder; one that cannot be made where the user has no home."""
    asked = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if asked.is_absolute():
        return asked / "knee"
    try:
        return Path.home() / ".cache" / "knee"
    except RuntimeError:
        return Path(os.devnull) / "knee"
