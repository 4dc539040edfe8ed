"""``knee compare``: is B slower than A? One verdict, and an exit status for CI."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from knee import terminal
from knee.store import Contents, Folder, StudyError
from knee.study.kinds.text import share, smallest_effect
from knee.verbs import EXIT_GATE

if TYPE_CHECKING:
    from knee.explain.comparison.cells import Side
    from knee.explain.comparison.report import Report

SMALLEST = "3%"

EXAMPLE = "knee compare OLD NEW, or knee compare FOLDER --factor build --levels old,new"


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, readable=False))
@click.option("--factor", metavar="NAME", help="Compare two levels of this factor within one study.")
@click.option(
    "--levels",
    metavar="A,B",
    help="The two levels, B against A; write A;B if they contain commas.  [default: the only two]",
)
@click.option(
    "--smallest-effect",
    "smallest",
    metavar="SHARE",
    help="Smallest difference that matters, as 5% or 0.05.  [default: 3%]",
)
@click.option(
    "--session-spread",
    metavar="SHARE",
    help="Expected difference between two studies of one program made at different times, as a standard deviation; "
    "0 for none.  [default: 3%]",
)
@click.option(
    "--fail-undecided", is_flag=True, help="Exit with status 1 also when the answer for a cell is 'cannot tell'."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Picture of speedups over time, for three or more studies: .svg, .png or .pdf.  [default: history.svg, none"
    " with --json]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def compare(
    folders: tuple[Path, ...],
    factor: str | None,
    levels: str | None,
    smallest: str | None,
    session_spread: str | None,
    fail_undecided: bool,
    out: Path | None,
    as_json: bool,
) -> int:
    """Is B slower than A? A and B are two studies, or two levels of a factor of one study.

    Three or more studies give speedups over time, in the order of their dates, each compared with the one before.

    For every cell that both sides have: the ratio of run times B / A with its interval, and one of three answers: equal
    (within the smallest effect), slower or faster, cannot tell. The overall verdict allows for the number of cells
    (Holm's correction). Levels of one study are compared block by block. Two studies are two sessions: their intervals
    include the expected difference between sessions, so small differences between studies cannot be detected.

    Exit status: 0 no regression is shown, 1 B is slower and the difference may reach the smallest effect, or B has no
    good run where A has one, 2 the comparison is not possible.

    \b
    Examples:
      knee compare knee-studies/old knee-studies/new
      knee compare knee-studies/mine --factor build --levels old,new
      knee compare knee-studies/monday knee-studies/tuesday knee-studies/friday
    """  # noqa: D301 -- click looks for the character itself
    asked = Asked(factor, levels, smallest_effect(smallest or SMALLEST), session_spread)
    # Before imports, which take half a second.
    for folder in folders:
        Folder(folder).check()
    from knee.report.terminal import comparison

    if len(folders) > 2 and factor is None and levels is None:
        if fail_undecided or smallest is not None:
            option = "--fail-undecided" if fail_undecided else "--smallest-effect"
            raise StudyError(f"{option} needs two studies: three or more have no verdict", hint=EXAMPLE)
        return _over_time(folders, asked.spread, out, as_json=as_json)
    if out is not None:
        hint = "`knee report --format svg` draws a single study"
        raise StudyError("--out needs three or more studies", hint=hint)
    report = _compared(folders, asked)
    if as_json:
        terminal.out(json.dumps(report.to_json(), indent=1))
    else:
        comparison.show(report)
    undecided = fail_undecided and bool(report.open)
    return EXIT_GATE if report.verdict == "slower" or report.lost or undecided else 0


@dataclass(frozen=True)
class Asked:
    """Options of the comparison. ``session_spread`` is the text as given, None without it."""

    factor: str | None
    levels: str | None
    smallest: float
    session_spread: str | None

    @property
    def spread(self) -> float:
        """The expected difference between two sessions, as a share."""
        from knee.stats.sessions import SPREAD

        given = self.session_spread
        return SPREAD if given is None else share(given, "--session-spread", least=0.0, most=0.99)


def _over_time(folders: tuple[Path, ...], spread: float, out: Path | None, *, as_json: bool) -> int:
    """Print and draw speedups over time, without a verdict: a gate compares two studies. Beside JSON nothing is drawn
    unless it is asked for.
    """
    from knee.explain.comparison.history import history
    from knee.report.history import draw
    from knee.report.terminal import history as history_terminal

    found = history([_side(path) for path in folders], spread)
    if as_json:
        terminal.out(json.dumps(found.to_json(), indent=1))
    else:
        history_terminal.show(found)
    picture = out or (None if as_json else Path("history.svg"))
    if picture is not None:
        draw(found, picture)
        if not as_json:
            terminal.out_path(picture)
    return 0


def _compared(folders: tuple[Path, ...], asked: Asked) -> Report:
    from knee.explain.comparison.sides import of_levels, of_studies

    factor, given, spread = asked.factor, asked.session_spread, asked.spread
    if factor is None and asked.levels is not None:
        raise StudyError("--levels needs --factor", hint=EXAMPLE)
    if factor is not None and given is not None:
        raise StudyError("--session-spread is for two studies; levels of one study share their blocks", hint=EXAMPLE)
    if factor is None and len(folders) == 2:
        return of_studies(_side(folders[0]), _side(folders[1]), asked.smallest, spread)
    if factor is not None and len(folders) == 1:
        side = _side(folders[0])
        return of_levels(side, factor, _two(side, factor, asked.levels), asked.smallest)
    wanted = "--factor takes one folder" if factor else "give two or more folders, or one folder and --factor"
    raise StudyError(f"cannot compare: {len(folders)} folder{'s' * (len(folders) != 1)} given: {wanted}", hint=EXAMPLE)


def _side(path: Path) -> Side:
    from knee.explain.comparison.cells import Side

    found = Contents.read(path)
    return Side(str(path), found.runs, found.machine, found.study_spec.get("knee"))


def _two(side: Side, factor: str, levels: str | None) -> tuple[str, str]:
    """Return the two levels: those given, or the only two, in the order of the study file."""
    if levels is not None:
        # As in --factor: with a semicolon anywhere, only semicolons separate.
        found = levels.split(";" if ";" in levels else ",")
    else:
        found = list(dict.fromkeys(str(r.spec["cell"][factor]) for r in side.runs if factor in r.spec["cell"]))
        given: object = Folder(Path(side.name)).read_study_spec().get("factors", {}).get(factor, [])
        asked = [str(one) for one in cast("list[object]", given)] if isinstance(given, list) else [str(given)]
        found = asked if sorted(asked) == sorted(found) else sorted(found)
    if len(found) == 2:
        return found[0], found[1]
    reason = f"{factor} has {', '.join(found)}; choose two levels" if found else f"it has no factor {factor}"
    reason = f"--levels {levels} names {len(found)}, not two" if levels is not None else reason
    hint = "--levels old,new, or --levels '0,1;2,3' when levels contain commas"
    raise StudyError(f"cannot compare: {side.name}: {reason}", hint=hint)
