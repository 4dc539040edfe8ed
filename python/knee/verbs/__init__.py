"""The Python verbs, one file each; the file of a verb holds a click command of the verb's name.

Their list is ``verbs.json``, generated from the table of all verbs in ``crates/knee/src/verbs/mod.rs``. ``cli`` imports
the verb that is called. A verb that measures imports numpy only after its last run.
"""

from __future__ import annotations

import textwrap

from knee import terminal
from knee.study.run.signals import Stopped as Stopped  # a verb may be stopped wherever it measures

EXIT_GATE, EXIT_USAGE, EXIT_STOPPED = 1, 2, 130


def say(message: str, hint: str | None = None) -> None:
    """Print an error: what failed, then the one thing to try."""
    terminal.err(f"knee: {message}")
    if hint:
        terminal.err(f"\n{_lines(f'hint: {hint}')}")


def _lines(text: str) -> str:
    """Wrap long lists; a command in a hint stays on one line, so that it can be copied."""
    broken = textwrap.wrap(text, 100, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)
    # What is quoted may be part of a command.
    command = any(word in text for word in ("knee ", "'", "`"))
    return "\n".join(broken) if len(text) > 150 and not command else text
