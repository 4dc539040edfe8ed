"""The command line of a study: click options from the table, and the study spec from options and words."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import click

from knee import _binary, terminal
from knee.store import StudyError
from knee.study.checks.names import refuse_unknown_names
from knee.study.kinds.factors import RESERVED
from knee.study.kinds.kind import Kind, Switch
from knee.study.kinds.option import GROUPS, OUTPUT, Flag, Option
from knee.study.options.anywhere import in_front, too_early
from knee.study.options.examples import EXAMPLES, LEVELS
from knee.study.options.page import value_of
from knee.study.options.words import from_words, of_workloads
from knee.study.spec import OPTIONS, StudySpec, of_explained


class Completed(click.Command):
    """A verb with flags of a study whose value may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line, after completing flags whose value is left out."""
        return super().parse_args(ctx, completed(args))


class Grouped(click.Command):
    """A verb with the options of a study: help under headings, options before or after the study's words.

    Parameters
    ----------
    forms
        The ways to call it, for the first lines of the help.
    """

    def __init__(self, *args: Any, forms: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.forms = forms

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each way to call the verb on a line."""
        for number, form in enumerate(self.forms):
            formatter.write_usage(ctx.command_path, form, prefix="       " if number else None)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line, after completing flags whose value is left out."""
        values = _values(self, ctx)
        try:
            return super().parse_args(ctx, in_front(completed(args), values))
        except click.NoSuchOption as error:
            raise too_early(error.option_name, args, values, ctx.command_path) or error from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        rows: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if row is not None:
                # Options outside the table are about output.
                rows[getattr(parameter, "group", OUTPUT)].append(row)
        for group, inside in rows.items():
            if inside:
                with formatter.section(group):
                    formatter.write_dl(inside)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the levels of factors, and examples."""
        with formatter.section("Levels of --factor"):
            formatter.write_dl(LEVELS)
        with formatter.section("Examples"):
            for words in EXAMPLES:
                formatter.write(f"{'':>{formatter.current_indent}}{ctx.command_path} {words}\n")


def _values(command: click.Command, ctx: click.Context) -> dict[str, bool]:
    """Return every flag of a command, and whether a value follows it."""
    options = (one for one in command.get_params(ctx) if isinstance(one, click.Option))
    return {flag: not one.is_flag for one in options for flag in (*one.opts, *one.secondary_opts)}


class _Option(click.Option):
    """An option with its heading."""

    def __init__(self, *args: Any, group: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group


def completed(args: list[str]) -> list[str]:
    """Return the words with the default value of each flag without one: click would take the next word for it.

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
    """Return the study spec from options and words.

    Parameters
    ----------
    asked
        The command line as click has read it: the words, and each flag as a key.

    Raises
    ------
    StudyError
        When there is nothing to study, or the value of an option is wrong.
    """
    words, given = list[str](asked["words"]), values_given(asked)
    varied = given.get("factors", {})
    if not words and "workload" not in varied:
        raise StudyError("nothing to study", hint="knee study -- ./program {threads}, or a workload, or a study file")
    base = from_words(words) if words else of_workloads(varied["workload"])
    if "explain" in given and base.explain is None:
        given = of_explained(given, base.stated)
    if "blocks" in given and "at_least_s" not in base.stated:
        # So many blocks, and no more.
        given.setdefault("at_least_s", None)
    given |= {"factors": base.factors | varied, "program": base.program | given.get("program", {})}
    study_spec = _with_phase(dataclasses.replace(base, **given))
    refuse_unknown_names(study_spec)
    _warn_if_deaf(study_spec)
    return study_spec


def values_given(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the options that are given, by the names of their fields."""
    return {one.name: one.kind.from_flags(flags) for one in OPTIONS if (flags := _given(one, asked))}


def _given(one: Option, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the flags of an option that are given, with their values."""
    values = {flag.name: asked[flag.parameter] for flag in one.flags}
    return {name: value for name, value in values.items() if value not in (None, ()) and value is not False}


def _click_option(one: Option, flag: Flag) -> Any:
    usual = f"  [default: {one.usual}]" if one.usual else ""
    # Text for click: the kind reads it, and its errors name flag and value.
    kind: dict[str, Any] = {"is_flag": True} if isinstance(flag.kind, Switch) else {"metavar": value_of(flag)}
    shown = {"help": flag.help + usual, "multiple": flag.multiple, "group": one.group}
    names = (flag.name, flag.short) if flag.short else (flag.name,)
    return click.option(*names, flag.parameter, cls=_Option, **kind, **shown)


def _with_phase(study_spec: StudySpec) -> StudySpec:
    """Return the study spec with the phase of its workload as metric, where it has no other metric."""
    if "workload" not in study_spec.program or study_spec.metric is not None:
        return study_spec
    common: dict[str, str] = study_spec.program.get("args", {})
    if study_spec.workloads:
        named = study_spec.workloads.items()
        phases = {name: _phase(study_spec.built_in(name), common | own, study_spec) for name, own in named}
        return dataclasses.replace(study_spec, phases=phases)
    phase = _phase(str(study_spec.program["workload"]), common, study_spec)
    return dataclasses.replace(study_spec, metric={"phase": phase})


def _phase(workload: str, args: dict[str, str], study_spec: StudySpec) -> str:
    """Return the phase that is a workload's work. For factors that are arguments, any level will do."""
    others = ("workload", *RESERVED)
    first = {name: str(levels[0]) for name, levels in study_spec.factors.items() if name not in others}
    grown = {study_spec.weak["argument"]: str(study_spec.weak["one_thread"])} if study_spec.weak else {}
    words = [word for name, value in (args | first | grown).items() for word in (f"--{name}", value)]
    return str(_binary.ask("workloads", "--resolve", workload, *words)["phase"])


def _warn_if_deaf(study_spec: StudySpec) -> None:
    """Warn when neither a word nor a variable of the program contains the thread count."""
    program = study_spec.program
    told = [*program.get("command", ["{threads}"]), *program.get("env", {}).values()]
    told += [str(level) for levels in study_spec.factors.values() for level in levels]
    if "for" in program:
        return
    if not any("{threads}" in word or "{cpus}" in word for word in told):
        terminal.err("knee: note: neither the command nor a variable mentions {threads}: the program")
        terminal.err("      does not get the number of threads, only the cpus that it may use")
