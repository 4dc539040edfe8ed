"""Prints text with control characters escaped, since somebody else may have written it. No other room prints.

Data goes to standard output, messages to standard error. ``console`` prints tables; it is imported only for a table.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

import click

from knee.store import shown


def out(text: str) -> None:
    """Print data on standard output. Text that is JSON stays the same data."""
    click.echo(shown(text))


def err(text: str) -> None:
    """Print a message on standard error."""
    # Without click, which would write into a progress bar. The stream is None if standard error is closed.
    stream: TextIO | None = sys.stderr
    if stream:
        stream.write(f"{shown(text)}\n")


def out_path(path: Path) -> None:
    """Print a path on standard output: unchanged for a program, escaped on a terminal, like ls."""
    text = str(path)
    stream: TextIO | None = sys.stdout
    if stream and stream.isatty():
        out(text)
    else:
        # click writes bytes unchanged.
        click.echo(text if text.isprintable() else os.fsencode(path))
