"""A study option: its key in a study file, its flags on the command line, its text on every page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from knee.study.kinds.kind import Kind, Text

PROGRAM, DESIGN, MEASURING, STATISTICS, AROUND, OUTPUT = GROUPS = (
    "Program",
    "Design",
    "Measuring",
    "Statistics",
    "Around the runs",
    "Output",
)
"""Headings of ``knee study --help`` and of the reference page, in their order."""


TEXT = Text()


@dataclass(frozen=True)
class Flag:
    """How an option is given on the command line."""

    name: str
    help: str
    metavar: str | None = None
    kind: Kind = TEXT
    multiple: bool = False
    bare: str | None = None
    """The value of the flag alone, where its value may be left out."""

    short: str | None = None
    """The flag's short form, like ``-n``."""

    @property
    def parameter(self) -> str:
        """The flag as a key."""
        return self.name.removeprefix("--").replace("-", "_")


@dataclass(frozen=True)
class Option:
    """An option of a study.

    ``name`` is its field in the study spec, ``key`` its key in a study file with dots, ``help`` a sentence or two for
    every page and the schema. ``usual`` is the default in words; with ``is_list`` an option that is not given is an
    empty list.
    """

    name: str
    key: str
    kind: Kind
    group: str
    help: str
    flags: tuple[Flag, ...]
    usual: str | None
    is_list: bool = False


def option(
    key: str,
    kind: Kind,
    group: str,
    help: str,  # noqa: A002 -- click's word
    *,
    flag: str | None = "",
    metavar: str | None = None,
    multiple: bool = False,
    bare: str | None = None,
    flags: tuple[Flag, ...] = (),
    default: Any = None,
    usual: str | None = None,
) -> Any:
    """Return the field of a study spec that is an option.

    Parameters
    ----------
    key, kind, group
        Its key in a study file (``design.blocks``), the kind of its values, its heading in the help.
    help
        What it does, for the command line, the reference and the schema.
    flag, flags
        Its flag where that is not the field's name, None for no flag; or several flags.
    metavar, multiple, bare
        The placeholder of its value in the help; whether the flag may be repeated; the value of the flag alone,
        where its value may be left out.
    default
        The field's default; ``dict`` and ``list`` make empty ones, ``...`` means that the option is required.
    usual
        The default in words, where ``default`` does not say it.
    """
    if isinstance(default, int | float) and not isinstance(default, bool):
        usual = f"{default:g}"
    if flag is not None and not flags:
        flags = (Flag(flag, help, metavar, kind, multiple, bare),)
    metadata = {"option": Option("", key, kind, group, help, flags, usual, default is list)}
    if isinstance(default, type):
        return dataclasses.field(default_factory=cast("Callable[[], Any]", default), metadata=metadata)
    return dataclasses.field(default=dataclasses.MISSING if default is ... else default, metadata=metadata)


def options_of(table: type) -> tuple[Option, ...]:
    """Return the options among the fields of a dataclass; a flag without a name has that of its field."""
    fields = ((field.name, field.metadata["option"]) for field in dataclasses.fields(table) if field.metadata)
    return tuple(_named(name, one) for name, one in fields)


def _named(name: str, one: Option) -> Option:
    own = f"--{name.replace('_', '-')}"
    flags = tuple(dataclasses.replace(flag, name=flag.name or own) for flag in one.flags)
    return dataclasses.replace(one, name=name, flags=flags)
