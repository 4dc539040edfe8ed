"""``knee report``: rebuild the analysis and the report of a study from its records."""

from __future__ import annotations

from pathlib import Path

import click

from knee import terminal
from knee.store import Folder, StudyError, one_of
from knee.verbs import EXIT_GATE

FORMS = ("html", "md", "svg", "png", "pdf", "json")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--format",
    "forms",
    default="html",
    metavar="LIST",
    help=f"Formats to write, separated by commas: {', '.join(FORMS)}.  [default: html]",
)
@click.option(
    "--anonymise",
    is_flag=True,
    help="Leave out names of people, hosts and folders, and times of day, for blind review: report-anonymous.html, ...",
)
def report(folder: Path, forms: str, anonymise: bool) -> int:
    """Analyse the records in a study's folder and write the report there. Nothing is measured.

    Exit status: 0 done, 1 some runs were rejected, 2 the folder cannot be read.

    \b
    Examples:
      knee report knee-studies/mine
      knee report --format svg,pdf knee-studies/mine
    """  # noqa: D301 -- click looks for the character itself
    asked = forms.split(",")
    for form in asked:
        if form not in FORMS:
            raise StudyError(f"unknown format {form!r}; expected {one_of(FORMS)}", hint="--format html,md")
    return conclude(Folder(folder), asked, anonymise=anonymise)


def conclude(folder: Folder, forms: list[str], *, anonymise: bool = False) -> int:
    """Analyse and report. numpy is imported only here, after the last run."""
    # First, since imports take a second.
    folder.check()
    from knee.opened import Study
    from knee.report.export import export
    from knee.report.terminal import study as study_terminal

    if anonymise:
        from knee.report.anonymous import anonymous

        with anonymous(folder) as opened:
            study_terminal.show(opened.analysis, str(folder.path))
            files = [file for form in forms for file in export(opened, form, folder.path, "-anonymous")]
    else:
        opened = Study.read(folder.path)
        # First, since the folder may be one that cannot be written.
        study_terminal.show(opened.analysis, str(folder.path))
        files = [file for form in forms for file in export(opened, form)]
    for file in files:
        terminal.out_path(file)
    return EXIT_GATE if opened.analysis.bad else 0
