"""Asks `knee mine`, and reads what it answers."""

from __future__ import annotations

import subprocess


def mine(binary: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, "mine", *map(str, words)], capture_output=True, text=True, check=False)


def said(binary: str, *words: object) -> str:
    """Return what it prints, where it says nothing else."""
    done = mine(binary, *words)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout
