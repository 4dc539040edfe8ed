"""A narrow terminal shows every column of every table, and no line is cut off."""

import os
import re

import pytest
from hostile import in_terminal
from test_study import SHORT, knee

from knee.store import Folder
from knee.terminal.console import Console

CURVES = {
    "none": {1: (1.0, 1.0), 2: (0.5, 1.0), 4: (0.3, 1.1)},
    "cores-close": {1: (1.0, 1.0), 2: (0.6, 1.1), 4: (0.4, 1.2)},
}

HEADS = {
    "report": ["threads", "time s", "speedup", "90 % interval", "efficiency", "cpus busy"],
    "compare": ["cell", "A s", "B s", "B / A", "90 % interval", "verdict"],
    "analyze": ["source", "share", "squares", "F .90", "effect of", "std. error", "90 % interval"],
}


@pytest.mark.parametrize("width", [40, 60])
@pytest.mark.parametrize("verb", HEADS)
def test_every_column_is_shown(binary, tmp_path, simulated, monkeypatch, verb, width):
    folder: Folder = simulated(CURVES)
    monkeypatch.setenv("COLUMNS", str(width))
    words = {"report": ["report", "--format", "json"], "compare": ["compare", "--factor", "placement"]}.get(
        verb, [verb]
    )
    done = knee(binary, *words, str(folder.path), cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert [head for head in HEADS[verb] if head not in done.stdout] == []
    assert [line for line in lines if len(line) > width and not line.endswith("analysis.json")] == []
    assert "…" not in done.stdout
    wide = knee(binary, *words, str(folder.path), cwd=tmp_path, env={**os.environ, "COLUMNS": "200"})
    numbers = set(re.findall(r"[0-9]+[.][0-9]+", wide.stdout))
    assert numbers - set(re.findall(r"[0-9]+[.][0-9]+", re.sub(r"\n\s*", "", done.stdout) + done.stdout)) == set()


def test_progress_shows_the_runs_and_the_time_left(binary, tmp_path):
    _, printed = in_terminal(
        [binary, "study", "--no-report", "--out", "s", *SHORT, "--", "sleep", "0.1"], tmp_path, width=40
    )
    assert "4/4 runs" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed)
    assert "left" in printed


def test_rich_markup_in_a_name_is_text(capsys):
    Console().print("[link=http://example.org]name[/link] :smile:")
    assert capsys.readouterr().out == "[link=http://example.org]name[/link] :smile:\n"
