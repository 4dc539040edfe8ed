"""Studies of third-party programs: their files can be planned, their data are reproducible, and they run."""

import hashlib
import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT, skipped

from knee.opened import Study

FOLDER = ROOT / "examples/programs"
STUDIES = sorted(FOLDER.glob("*.toml"))
ROWS = "06e940b3babda25664aeff2cdb93d644b099a53c75692e6a1b5f9a01e63f2f67"
PROJECT = "f17ba2632199811bff6b9890cdfe6c08afcfe686a563d1d38f204acb531bf762"
"""Fingerprints of what is generated."""

PROGRAMS = {"xz", "zstd", "make", "sort", "duckdb", "triangle", "mandel", "stream", "gil", "cluster"}


def test_every_program_has_a_study_and_a_row_in_the_readme():
    readme = (FOLDER / "README.md").read_text()
    assert {file.stem for file in STUDIES} == PROGRAMS
    assert [name for name in PROGRAMS if f"examples/programs/{name}.toml" not in readme] == []


@pytest.mark.parametrize("study", STUDIES, ids=[file.stem for file in STUDIES])
def test_a_study_plans(binary, tmp_path, study):
    done = subprocess.run([binary, "plan", study], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    runs = done.stdout.splitlines()
    assert runs
    series = 2 if study.stem == "triangle" else 1
    assert len(runs) % (10 * series) == 0


def written(kind: str, count: int, target: Path) -> str:
    """Return the fingerprint of the generator's output."""
    subprocess.run([sys.executable, FOLDER / "generate.py", kind, str(count), target], check=True)
    files = sorted(target.rglob("*")) if target.is_dir() else [target]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def test_what_is_generated_is_the_same_everywhere(tmp_path):
    assert written("rows", 1000, tmp_path / "rows.csv") == ROWS
    assert written("project", 2, tmp_path / "project") == PROJECT
    # Where there is a project already, it is written over.
    assert written("project", 2, tmp_path / "project") == PROJECT


@pytest.fixture(scope="session")
def built() -> None:
    subprocess.run([FOLDER / "build.sh"], check=True, capture_output=True)


def bench(name: str):
    """Import a file of bench."""
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


FAKE = """#!/bin/sh
while [ "$1" != --export-json ]; do shift; done
echo '{"results": [{"mean": '$THREADS'.5}]}' > "$2"
"""
"""A stand-in for hyperfine: it takes half a second more than the program has threads, in seconds."""


def test_hyperfine_is_launched_once_beside_each_run_before_it_or_after_it(binary, tmp_path):
    (tmp_path / "hyperfine").write_text(FAKE)
    (tmp_path / "hyperfine").chmod(0o755)
    (tmp_path / "launches").mkdir()
    hyperfine = bench("hyperfine")
    variables = {"THREADS": "{threads}"}
    hooks = hyperfine.hooks(str(tmp_path / "hyperfine"), ["true"], variables, tmp_path / "launches")
    asked = [
        "--factor",
        "threads=1,2",
        "--factor",
        "placement=cores-close",
        "--blocks",
        "8",
        "--no-report",
        "--no-pilot",
    ]
    words = [binary, "study", "--out", tmp_path / "s", *asked, *hooks, "--", "true"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for threads in (1, 2):
        assert list(hyperfine.read_launches(tmp_path / "launches", threads)) == [threads + 0.5] * 8
    assert not (tmp_path / "launches/before").exists()


@pytest.mark.nightly
@pytest.mark.parametrize("study", STUDIES, ids=[file.stem for file in STUDIES])
@pytest.mark.usefixtures("built")
def test_a_program_runs_and_prints_the_same_with_any_count(binary, tmp_path, study):
    words = tomllib.loads(study.read_text())["program"]["command"]
    if missing := bench("studied").missing(words):
        skipped(f"examples/programs/{study.name}", f"no {missing}")
    asked = ["--out", tmp_path / "s", "--blocks", "2", "--no-report", study]
    done = subprocess.run([binary, "study", *asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    opened = Study.read(tmp_path / "s")
    assert [run.bad for run in opened.runs if run.bad] == []
    assert opened.analysis.series
