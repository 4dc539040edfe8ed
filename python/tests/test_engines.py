"""Other engines: their studies can be planned, wrong answers are seen, and what is set up answers as knee does."""

import importlib
import subprocess
import sys
import tomllib
from decimal import Decimal
from types import ModuleType

import pytest
from conftest import ROOT, skipped

FOLDER = ROOT / "examples/engines"
BUILD = ROOT / "examples/build/engines"
STUDIES = {name: ROOT / f"examples/studies/{name}.toml" for name in ("engines-tpch", "engines-spark")}


def engines(study: str) -> list[str]:
    return tomllib.loads(STUDIES[study].read_text())["factors"]["engine"]


ALL = [engine for study in STUDIES for engine in engines(study)]


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_of_engines_plans(binary, tmp_path, study):
    done = subprocess.run([binary, "plan", STUDIES[study]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    blocks = 3 if study == "engines-spark" else 5
    runs = done.stdout.splitlines()
    assert runs
    assert len(runs) % (blocks * 2 * len(engines(study))) == 0


def test_every_engine_has_a_script_a_lock_and_a_row_in_the_readme():
    scripts = {file.stem.removeprefix("with_") for file in FOLDER.glob("with_*.py")}
    assert {engine.partition("-")[0] for engine in ALL} - {"knee"} == scripts
    readme = (FOLDER / "README.md").read_text()
    for engine in scripts:
        lock = (FOLDER / f"requirements/{engine}.txt").read_text()
        assert "--hash=sha256:" in lock
        assert "://" not in lock
        assert f"`with_{engine}.py`" in readme


@pytest.fixture
def hot(monkeypatch, tmp_path) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path, str(FOLDER)])
    module = importlib.import_module("hot")
    monkeypatch.setattr(module, "BUILD", tmp_path)
    return module


def test_a_wrong_answer_is_named(hot, tmp_path):
    (tmp_path / "q1.csv").write_text("l_returnflag,sum_qty,avg_disc,count_order\nA,37734107.00,0.049985,3\n")
    right = ("A", Decimal(37734107), 0.0499852958, 3)
    assert hot.difference("q1", [right]) is None
    assert hot.difference("q1", [("A", 37734107.0000001, 0.0499852958, 3)]) is None
    assert hot.difference("q1", [("A", "37734107", "0.049985", "3")]) is None
    assert hot.difference("q1", []) == "0 rows instead of 1"
    last_digit = ("A", Decimal("37734107.01"), 0.0499852958, 3)
    assert hot.difference("q1", [last_digit]) == "sum_qty in row 1 is 37734107.01 instead of 37734107.00"
    for wrong in (("R", *right[1:]), ("A", 37734107.1, *right[2:]), (*right[:2], 0.05, 3), (*right[:3], 4)):
        assert hot.difference("q1", [wrong]) is not None


BUSY = "import time; end = time.process_time() + 0.2\nwhile time.process_time() < end: pass\nprint(); input()"


def test_cpu_time_of_processes_below_counts(hot):
    before = hot.tree_ns()
    with subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"\n"
        assert hot.tree_ns() - before >= 0.2e9
        child.communicate(b"\n")


@pytest.mark.nightly
@pytest.mark.parametrize("query", ["q1", "q6"])
@pytest.mark.parametrize("engine", ALL)
def test_an_engine_that_is_set_up_answers_as_knee_does(binary, query, engine):
    name = engine.partition("-")[0]
    if not (BUILD / f"{query}.csv").exists() or (name != "knee" and not (BUILD / name / "ready").exists()):
        skipped(f"examples/engines: {engine}", "examples/engines/build.sh was not run, or left it out")
    words = [binary, "run", "-n", "1", "-p", "cores-close", "--json", "--", FOLDER / "ask.sh", engine, query, "1", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"name":"scan"' in done.stdout
