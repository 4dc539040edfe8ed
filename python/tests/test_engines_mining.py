"""The study of Peregrine beside knee's own counting, with a stand-in for Peregrine that prints what it prints."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

from knee.opened import Study

CONVERTER = """#!/bin/sh
# Vertices count from 1.
grep -q '^0 ' "$1" && exit 1
"$KNEE_BIN" mine count --pattern triangle "$1" > "$2/triangles"
"""
PROGRAM = """#!/bin/sh
echo "Finished reading datagraph: |V| = 9 |E| = 9"
printf -- '-------\\nall patterns finished after 0.0125s\\n'
echo "[1-2][1-3][2-3]: $(cat "$1/triangles")"
"""
GRAPH = "rmat:6"


@pytest.fixture
def engines(monkeypatch, tmp_path, binary) -> Path:
    """A copy of the engines' folder, so that what they keep is not kept among the examples."""
    for name in ("engines", "studies"):
        shutil.copytree(ROOT / "examples" / name, tmp_path / "examples" / name)
    (tmp_path / "python").symlink_to(ROOT / "python")
    monkeypatch.setenv("KNEE_BIN", str(binary))
    monkeypatch.delenv("KNEE_PEREGRINE", raising=False)
    return tmp_path / "examples/engines"


@pytest.fixture
def peregrine(monkeypatch, tmp_path, engines) -> Path:
    """Path of the stand-in. `engines` forgets a real one first."""
    for name, text in (("convert_data", CONVERTER), ("count", PROGRAM)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("KNEE_PEREGRINE", str(tmp_path / "count"))
    return tmp_path / "count"


def asked(engines: Path, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([engines / "mine.py", *words], capture_output=True, text=True, check=False)


def studied(binary, engines: Path, *words: str) -> subprocess.CompletedProcess:
    study = engines.parent / "studies/engines-mining.toml"
    common = ["--out", engines.parent / "s", "--blocks", "2", "-n", "1,2", "--factor", f"graph={GRAPH}"]
    command = [binary, "study", *common, *words, study]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_engine_pattern_and_thread_count_is_planned(binary, tmp_path):
    study = ROOT / "examples/studies/engines-mining.toml"
    done = subprocess.run([binary, "plan", study], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) % (5 * 3 * 3) == 0


def test_without_peregrine_the_study_ends_before_it_runs_and_says_how_to_leave_it_out(binary, engines):
    done = studied(binary, engines)
    assert done.returncode == 2
    assert "KNEE_PEREGRINE" in done.stderr
    left = "engine=knee-explore,knee-formula"
    assert f"--factor {left}" in done.stderr
    assert not (engines.parent / "s/records.jsonl").exists()


def test_knees_own_engines_run_alone(binary, engines):
    done = studied(binary, engines, "--factor", "engine=knee-explore,knee-formula")
    assert done.returncode == 0, done.stderr
    study = Study.read(engines.parent / "s")
    assert study.analysis.bad == {}
    assert len(study.analysis.series) == 2 * 3


@pytest.mark.usefixtures("peregrine")
def test_peregrine_is_measured_by_what_it_prints_and_its_cpu_time_is_that_of_a_region(binary, engines):
    assert asked(engines, "--ready", "peregrine", "triangle", GRAPH).returncode == 0
    words = [binary, "run", "-n", "1", "--json", "--", engines / "mine.py", "peregrine", "triangle", GRAPH, "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    # Neither what knee counts beforehand nor anything else is a phase.
    line = next(line for line in done.stdout.splitlines() if line.startswith("{"))
    assert [phase["name"] for phase in json.loads(line)["phases"]] == ["match"]
    assert "matched in 0.012500 s" in asked(engines, "peregrine", "triangle", GRAPH, "1").stdout


def test_a_wrong_count_fails(engines, peregrine):
    assert asked(engines, "peregrine", "triangle", GRAPH, "2").returncode == 0
    peregrine.write_text(PROGRAM.replace("]: ", "]: 1"))
    done = asked(engines, "peregrine", "triangle", GRAPH, "2")
    assert done.returncode == 1
    assert "wrong answer: peregrine counts 1" in done.stderr


def test_a_pattern_without_a_formula_is_refused_beforehand(engines):
    assert asked(engines, "--ready", "knee-explore", "house", GRAPH).returncode == 0
    done = asked(engines, "--ready", "knee-formula", "house", GRAPH)
    assert done.returncode == 1
    assert "there is no formula" in done.stderr


def test_a_graph_that_has_changed_is_converted_again(engines, peregrine, tmp_path):
    graph = tmp_path / "edges.txt"
    for number, text in enumerate(["7 8\n8 9\n", "7 8\n8 9\n9 7\n"]):
        graph.write_text(text)
        os.utime(graph, (number, number))
        done = asked(engines, "peregrine", "triangle", str(graph), "1")
        assert done.stdout.startswith(f"{number} of triangle\n"), done.stderr


@pytest.mark.parametrize(("pattern", "lines"), [("a-b,b-c,a!c", "1 2\n2 3\n1 3 1\n"), ("3-clique", "1 2\n1 3\n2 3\n")])
def test_a_pattern_is_spelt_for_peregrine(engines, peregrine, pattern, lines):
    # Peregrine looks for these words anywhere in its argument, and then reads no file.
    peregrine.write_text("#!/bin/sh\ncase $2 in *clique* | *motifs*) exit 4 ;; esac\ncat $2 >&2\nexit 3\n")
    done = asked(engines, "peregrine", pattern, GRAPH, "1")
    assert done.returncode == 1
    assert lines in done.stderr
    assert "failed, with status 3" in done.stderr
