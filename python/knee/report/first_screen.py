"""First screen of a report: verdict, warnings, recommendation, claims counted, and what was measured on what.

The page and the markdown report show the same lines.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

from knee.explain.analysis import Analysis
from knee.explain.verdict import levels
from knee.explain.verdict.form import FOLDER, Line
from knee.explain.verdict.study import main_series
from knee.explain.verdict.words import counted, listed, threads
from knee.opened import Study

WARNINGS = ("rejected", "virtual", "disturbed")
"""Labels of a verdict's lines that make a reader doubt it."""

RECOMMENDED = ("use", "do", "decide", "check", "beyond")
"""Labels of a verdict's lines that say what to do."""

PLAIN = re.compile(r"[\w@%+=:,./{}-]+")
"""A word of a command that is shown without quotes: a shell would expand braces, but here they are placeholders."""


@dataclass(frozen=True)
class FirstScreen:
    """What a reader sees first. ``lines`` are what to do, then the claims, then what the headline rests on."""

    headline: str
    warnings: list[str]
    lines: list[Line]
    about: list[Line]
    """Command, machine, date and runs."""


def first_screen(study: Study) -> FirstScreen:
    """Return the first screen of a study's report."""
    analysis = study.analysis
    # A report is forwarded: an absolute path would say whose machine it was made on.
    path = study.folder.path
    folder = shlex.quote(path.name if path.is_absolute() else str(path))
    lines = [Line(line.label, line.text.replace(FOLDER, folder)) for line in _lines(analysis)]
    return FirstScreen(analysis.verdict.whole or analysis.verdict.headline, _warnings(analysis), lines, _about(study))


def _lines(analysis: Analysis) -> list[Line]:
    lines = analysis.verdict.lines
    todo = [line for line in lines if line.label in RECOMMENDED]
    rest = [line for line in lines if line.label not in (*RECOMMENDED, *WARNINGS, "claims")]
    # A verdict with many lines drops its claims; the report always counts them.
    counts = Counter(one.answer for one in analysis.claims).most_common()
    said = listed([f"{many} of {len(analysis.claims)} {answer}" for answer, many in counts])
    return [*_use(analysis), *todo, *([Line("claims", said)] if counts else []), *rest]


def _warnings(analysis: Analysis) -> list[str]:
    said = ["Simulated: no machine was measured."] if analysis.simulated else []
    if analysis.made < analysis.planned:
        said.append(f"Not finished: {analysis.made} of {analysis.planned} runs are made.")
    said += [_warning(line, analysis.verdict.headline) for line in analysis.verdict.lines if line.label in WARNINGS]
    said += [f"{change.sentence(analysis.made)}." for change in analysis.changed]
    if analysis.drift.found:
        said.append(f"Times drifted by {100 * (analysis.drift.change - 1):+.1f} % over the study.")
    return said


def _warning(line: Line, headline: str) -> str:
    """Return a line of the verdict as a warning, without the reason where the headline gives it."""
    many, _, why = line.text.partition(": ")
    text = many if why and why.lower() in headline.lower() else line.text
    return f"{line.label.capitalize()}: {text}."


def _use(analysis: Analysis) -> list[Line]:
    """Return the thread count to use, where the study is about thread counts and shows which."""
    series, lines = analysis.series, analysis.verdict.lines
    ladder = any(len(one.curve.points) > 1 for one in series)
    if not ladder or analysis.verdict.status != "decided" or any(line.label in ("use", "do") for line in lines):
        return []
    if levels.questions(series, placements=False) or len({one.work for one in series}) > 1:
        return []
    chosen = main_series(series)
    careful = analysis.summaries[chosen.name].careful
    if careful is None or careful.use is None:
        return []
    placement = chosen.levels.get("placement")
    where = "" if placement is None else f" on {placement}" if chosen.pinned else ", unpinned"
    return [Line("use", f"{threads(careful.use)}{where}")]


def _about(study: Study) -> list[Line]:
    analysis = study.analysis
    found = [("command", command_words(study)), ("machine", machine_words(study.machine))]
    found += [("rehearsed on", one) for one in sorted({run.described for run in study.runs}) if one]
    if study.runs:
        found.append(("date", _date(min(run.record["start"] for run in study.runs))))
    good = analysis.made - len(analysis.bad) - len(analysis.disturbed)
    runs = f"{good} good, {len(analysis.disturbed)} disturbed, {len(analysis.bad)} rejected"
    return [Line(label, text) for label, text in (*found, ("runs", runs))]


def command_words(study: Study) -> str:
    """Return the command of a study as one would type it, with its factors in braces. A factor replaces an argument."""
    study_spec = study.folder.read_study_spec()
    program = study_spec.get("program", {})
    words = [f"{name}={_word(str(value))}" for name, value in _table(program, "env").items()]
    if isinstance(command := program.get("command"), list):
        return " ".join([*words, *(_word(str(word)) for word in cast("list[object]", command))])
    if several := _table(program, "workload"):
        return " ".join([*words, f"the workloads {', '.join(several)}"])
    args = _table(program, "args") | _table(program, "params")
    # A factor that is no argument of the file may still be one of the program.
    given = args.keys() | {name for run in study.runs for name in run.spec["program"].get("params", {})}
    factors = {name: levels for name, levels in _table(study_spec, "factors").items() if name in given}
    args |= {name: _only(levels) or f"{{{name}}}" for name, levels in factors.items()}
    # An empty argument is one that was not given.
    named = (_word(f"--{name}={value}") for name, value in args.items() if value != "")
    return " ".join([*words, "knee run", str(program.get("workload", "")), *named])


def _only(levels: object) -> str:
    """Return the level of a factor that has one; otherwise nothing."""
    listed = cast("list[object]", levels if isinstance(levels, list) else [levels])
    return str(listed[0]) if len(listed) == 1 else ""


def _table(program: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a table of study.toml, which may have been written by hand; empty where it is none."""
    found = program.get(key)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _word(text: str) -> str:
    return text if PLAIN.fullmatch(text) else shlex.quote(text)


def machine_words(machine: dict[str, Any]) -> str:
    """Return the processor, how many cpus the study could use of it, memory and kernel, as far as they are known."""
    facts = machine["facts"]
    allowed, all_ = len(machine["allowed"]["cpus"]), sum(len(one["cpus"]) for one in machine["cores"])
    cpus = counted(allowed, "cpu") if allowed == all_ else f"{allowed} of {all_} cpus"
    shape = [f"{len(machine[kind])} {kind}" for kind in ("sockets", "nodes") if len(machine[kind]) > 1]
    known = {name: value for name in ("model", "memory_bytes", "kernel") if isinstance(value := facts.get(name), str)}
    memory = known.get("memory_bytes", "")
    said = [known.get("model", ""), *shape, cpus, f"{int(memory) / 2**30:.1f} GiB" if memory.isdigit() else ""]
    said.append(f"Linux {known['kernel']}" if "kernel" in known else "")
    return ", ".join(one for one in said if one)


def _date(start: str) -> str:
    """Return a time of day to the minute; a report without names keeps the day only."""
    day, _, clock = start.partition("T")
    return day if clock.startswith("00:00:00.000") else f"{day} {clock[:5]} UTC"
