"""Prints text in the terminal, without control characters that somebody else wrote. No other room prints.

Data goes to standard output, messages to standard error. ``console`` prints tables; it is imported only where there is
one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

import click

from knee.store import shown


def out(text: str) -> None:
    """Print data on standard output. Text may be JSON, which stays the same data."""
    click.echo(shown(text))


def err(text: str) -> None:
    """Print a message on standard error."""
    # Not by click, which would write into a progress bar. None where standard error is closed.
    stream: TextIO | None = sys.stderr
    if stream:
        stream.write(f"{shown(text)}\n")


def out_path(path: Path) -> None:
    """Print a path on standard output: as it is for a program that reads it, escaped in a terminal, like ls."""
    text = str(path)
    if sys.stdout.isatty():
        out(text)
    else:
        # As bytes, click changes nothing.
        click.echo(text if text.isprintable() else os.fsencode(path))
