"""The Python verbs, one file each; the file of a verb holds a click command of the verb's name.

Their list is ``verbs.json``, generated from the table of all verbs in ``crates/knee/src/verbs/mod.rs``. ``cli`` imports
the one that is asked for. What measures imports numpy only when measuring is over.
"""

from __future__ import annotations

import textwrap

import click

EXIT_GATE, EXIT_USAGE, EXIT_STOPPED = 1, 2, 130


def say(message: str, hint: str | None = None) -> None:
    """Say an error: what failed, then the one thing to try."""
    click.echo(f"knee: {message}", err=True)
    if hint:
        click.echo(f"\n{_lines(f'hint: {hint}')}", err=True)


def _lines(text: str) -> str:
    """Break what is a long list; a command in a hint stays whole, to be copied."""
    broken = textwrap.wrap(text, 100, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(broken) if len(text) > 150 else text
