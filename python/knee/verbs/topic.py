"""``knee help TOPIC`` for topics whose text is made in Python. ``crates/knee/src/verbs/mod.rs`` lists all topics."""

from __future__ import annotations

import textwrap

import click

from knee import terminal


def causes() -> str:
    """Return the description of every cause, with its four headings."""
    from knee.explain.causes.headings import descriptions

    text = ""
    for cause in descriptions():
        text += f"{cause.name}\n\n"
        for heading, below in cause.parts.items():
            text += f"  {heading}\n{textwrap.indent(below.replace('``', '`'), '    ')}\n"
        text += "\n"
    return text.rstrip()


TOPICS = {"causes": causes}


@click.command()
@click.argument("name", type=click.Choice(list(TOPICS)))
def topic(name: str) -> None:
    """Print a topic of `knee help`."""
    terminal.out(TOPICS[name]())
