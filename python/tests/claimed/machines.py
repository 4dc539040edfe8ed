"""The machines of the originals, made up by the binary from a line of text, and one that is too small for them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from knee import _binary

ORIGINALS = {
    "engines-mining": "pack:2 [numa] l3:1 core:24 pu:2",
    "engines-spark": "pack:4 [numa] l3:1 core:18 pu:1",
    "peregrine": "pack:2 [numa] l3:1 core:24 pu:2",
    "smt": "pack:2 [numa] l3:1 core:24 pu:2",
    "flare": "pack:4 [numa] l3:1 core:18 pu:1",
    "blacklight": "pack:16 [numa] l3:1 core:8 pu:1",
    "deters": "pack:4 [numa] l3:1 core:8 pu:1",
    "ghc": "pack:1 [numa] l2:1 core:8 pu:8",
}
"""How the name of a study file begins, and the machine of its original. Of Blacklight eight blades are enough."""

SMALL = "pack:1 [numa] l3:1 core:2 pu:1"
"""Two cores: too small for most claims."""


def of_original(study: str) -> str:
    """Return the machine of a study file's original, as text."""
    found = [text for name, text in ORIGINALS.items() if study == name or study.startswith(f"{name}-")]
    assert len(found) == 1, (
        f"{study}: its claims need a machine in {__file__}, and what was found there in originals.py"
    )
    return found[0]


@cache
def described(text: str) -> dict[str, Any]:
    """Return what `knee machine --json` prints for a machine."""
    return _binary.ask("machine", "-i", text)


@contextmanager
def on(text: str) -> Generator[None]:
    """Let studies be planned as on this machine."""
    asked = _binary.ask

    def ask(*words: str) -> Any:
        return asked(*words, *(("-i", text) if words[0] in ("machine", "place") else ()))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_binary, "ask", ask)
        yield
