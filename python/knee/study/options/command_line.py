"""The command line's options of a study, and the study spec that they ask together with its words."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from knee import _binary
from knee.store import StudyError
from knee.study.kinds.factors import RESERVED
from knee.study.kinds.kind import Choice, Kind, Number, Switch, Whole
from knee.study.kinds.option import GROUPS, OUTPUT, Flag, Option
from knee.study.options.words import from_words, of_workloads
from knee.study.spec import OPTIONS, StudySpec


class Grouped(click.Command):
    """A command whose help has its options under headings; those that are not of the table are about its output."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, after completing flags whose value is left out."""
        return super().parse_args(ctx, completed(args))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        rows: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if row is not None:
                rows[getattr(parameter, "group", OUTPUT)].append(row)
        for group, inside in rows.items():
            if inside:
                with formatter.section(group):
                    formatter.write_dl(inside)


class _Option(click.Option):
    """An option that knows its heading."""

    def __init__(self, *args: Any, group: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group


def completed(args: list[str]) -> list[str]:
    """Return the words with the value of each flag that stands alone and may: click would take the next word for it.

    Examples
    --------
    >>> completed(["--wait-quiet", "xz.toml"])
    ['--wait-quiet=10m', 'xz.toml']
    >>> completed(["--wait-quiet", "90s", "--", "make", "--wait-quiet"])
    ['--wait-quiet', '90s', '--', 'make', '--wait-quiet']
    """
    end = args.index("--") if "--" in args else len(args)
    bare = {flag.name: (one.kind, flag.bare) for one in OPTIONS for flag in one.flags if flag.bare is not None}
    found = list(args)
    for at, word in enumerate(args[:end]):
        if word in bare and not _reads(bare[word][0], [*args, ""][at + 1], word):
            found[at] = f"{word}={bare[word][1]}"
    return found


def _reads(kind: Kind, text: str, flag: str) -> bool:
    try:
        kind.from_words(text, flag)
    except StudyError:
        return False
    return True


def study_options(command: Any) -> Any:
    """Give a verb the words and all options of a study."""
    for one in reversed(OPTIONS):
        for flag in reversed(one.flags):
            command = _click_option(one, flag)(command)
    return click.argument("words", nargs=-1, type=click.UNPROCESSED)(command)


def study_spec_of(asked: dict[str, Any]) -> StudySpec:
    """Return the study spec that options and words ask together.

    Parameters
    ----------
    asked
        What click has read: the words, and each flag as a key.

    Raises
    ------
    StudyError
        When there is nothing to study, or an option's value is none; it says which.
    """
    words, given = list[str](asked["words"]), values_given(asked)
    varied = given.get("factors", {})
    if not words and "workload" not in varied:
        raise StudyError("nothing to study: give a command after --, a workload, or a study file")
    base = from_words(words) if words else of_workloads(varied["workload"])
    given |= {"factors": base.factors | varied, "program": base.program | given.get("program", {})}
    study_spec = _with_phase(dataclasses.replace(base, **given))
    _warn_if_deaf(study_spec)
    return study_spec


def values_given(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the options that are given, by the names of their fields."""
    return {one.name: one.kind.from_flags(flags) for one in OPTIONS if (flags := _given(one, asked))}


def _given(one: Option, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the flags of an option that are given, with their values."""
    values = {flag.name: asked[flag.parameter] for flag in one.flags}
    # 0 is given, and equal to False.
    return {name: value for name, value in values.items() if value not in (None, ()) and value is not False}


def _click_option(one: Option, flag: Flag) -> Any:
    usual = f"  [default: {one.usual}]" if one.usual else ""
    kind: dict[str, Any] = {"is_flag": True} if isinstance(flag.kind, Switch) else {"type": _click_type(flag.kind)}
    shown = {"metavar": flag.metavar, "help": flag.help + usual, "multiple": flag.multiple, "group": one.group}
    return click.option(flag.name, flag.parameter, cls=_Option, **kind, **shown)


def _click_type(kind: Kind) -> Any:
    """Return click's own type of what click can check by itself; anything else is text."""
    match kind:
        case Whole(low, high):
            return click.IntRange(low, high)
        case Number(low, high, None):
            return click.FloatRange(low, high)
        case Choice(words):
            return click.Choice(words)
        case _:
            return str


def _with_phase(study_spec: StudySpec) -> StudySpec:
    """Complete a study file's workload: all its arguments, and its own phase where nothing else is measured."""
    if "workload" not in study_spec.program or study_spec.metric is not None:
        return study_spec
    common: dict[str, str] = study_spec.program.get("args", {})
    if study_spec.workloads:
        phases = {name: _phase(name, common | own, study_spec) for name, own in study_spec.workloads.items()}
        return dataclasses.replace(study_spec, phases=phases)
    phase = _phase(str(study_spec.program["workload"]), common, study_spec)
    return dataclasses.replace(study_spec, metric={"phase": phase})


def _phase(workload: str, args: dict[str, str], study_spec: StudySpec) -> str:
    """Ask which phase of a workload is its work. Any level of a factor that is an argument will do."""
    others = ("workload", *RESERVED)
    first = {name: str(levels[0]) for name, levels in study_spec.factors.items() if name not in others}
    grown = {study_spec.weak["argument"]: str(study_spec.weak["one_thread"])} if study_spec.weak else {}
    words = [word for name, value in (args | first | grown).items() for word in (f"--{name}", value)]
    return str(_binary.ask("workloads", "--resolve", workload, *words)["phase"])


def _warn_if_deaf(study_spec: StudySpec) -> None:
    """Say so when the thread count reaches the program neither by word nor by variable."""
    program = study_spec.program
    told = [*program.get("command", ["{threads}"]), *program.get("env", {}).values()]
    told += [str(level) for levels in study_spec.factors.values() for level in levels]
    if "for" in program:
        return
    if not any("{threads}" in word or "{cpus}" in word for word in told):
        click.echo("knee: note: neither the command nor a variable mentions {threads}: the program", err=True)
        click.echo("      is not told how many threads to use, only which cpus it may use", err=True)
