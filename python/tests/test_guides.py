"""Guides and help agree with the code."""

import re
from typing import get_args

import click
from conftest import ROOT
from test_remedies import here

from knee import cli
from knee.explain.responses import COMPARED, DERIVED
from knee.stats.practical import Size
from knee.store.records.outputs import WHERE
from knee.study.kinds.option import GROUPS
from knee.study.remedies import all_remedies


def guide(name: str) -> str:
    return " ".join((ROOT / "docs/guides" / f"{name}.md").read_text().split())


def helped(name: str) -> str:
    [option] = [one for one in cli.verb("study").params if one.name == name]
    return option.to_info_dict()["help"]


def whole_help(name: str) -> str:
    command = cli.verb(name)
    return command.get_help(click.Context(command, info_name=f"knee {name}", terminal_width=80))


def test_the_help_of_a_study_is_in_groups_with_defaults_levels_and_examples():
    text = whole_help("study")
    groups = [*GROUPS, "Levels of --factor", "Examples"]
    assert re.findall(r"^(\S.*):$", text, re.MULTILINE) == groups
    assert text.startswith("Usage: knee study [OPTIONS] -- COMMAND...\n       knee study [OPTIONS] WORKLOAD")
    assert "<=x<=" not in text
    assert "-n, --threads LIST" in text
    for flag, default in (("--blocks N", "5"), ("--timeout SECONDS", "600"), ("--warmup N", "0"), ("--unit", "s")):
        assert re.search(rf"{re.escape(flag)}[^[]*\[default:\s+{default}\]", text), flag
    assert max(map(len, text.splitlines())) <= 80


def test_the_help_names_every_runtime():
    source = (ROOT / "crates/knee/src/run/program/runtimes.rs").read_text()
    names = re.findall(r'\bname: "(\w+)"', source.partition("#[cfg(test)]")[0])
    assert len(names) >= 10
    listed = " ".join(whole_help("study").split())
    assert f"and cpus: {', '.join(names)}. --baseline" in listed


def test_the_help_names_all_that_may_not_change_an_output():
    assert [factor for factor in sorted(WHERE) if factor not in helped("same_output")] == []


def test_counters_are_said_to_count_in_runs_of_their_own():
    assert "in runs of their own, which are not timed" in helped("counters")
    assert "a run that counts beside each one that is timed" in guide("counters")
    assert "one colour for each series" in guide("counters")


def test_the_guide_of_analyze_lists_every_response_and_size():
    listed = guide("analyze")
    assert [name for name in (*COMPARED, *DERIVED) if f"`{name}`" not in listed] == []
    assert "what a workload reports of itself" in listed
    assert [one for one in get_args(Size) if f"*{one}*" not in listed] == []


def test_the_guide_of_try_lists_every_remedy(tmp_path):
    listed = guide("try")
    names = [one.name for one in all_remedies(here(tmp_path))]
    assert len(names) > 15
    assert [name for name in names if name not in listed and name != "fewer threads"] == []


def test_files_that_the_rust_code_names_are_there():
    named = {
        path for file in (ROOT / "crates").rglob("*.rs") for path in re.findall(r"python/[\w/]+\.py", file.read_text())
    }
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
