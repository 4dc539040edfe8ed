"""`knee compare` from folders to exit status, on made-up studies whose truth is known."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest
from conftest import rewrite

from knee.cli import main
from knee.store import Folder

PLAIN = {n: (8 / n, 8.0) for n in (1, 2, 4)}


def compare(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the verb in this process, on a terminal of 80 columns."""
    out, err, argv = io.StringIO(), io.StringIO(), ["knee", "compare", *map(str, words)]
    with (
        mock.patch.object(sys, "argv", argv),
        mock.patch.dict(os.environ, COLUMNS="80"),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = main()
    return subprocess.CompletedProcess(argv, status, out.getvalue(), err.getvalue())


def text(done) -> str:
    return " ".join(done.stdout.split())


@pytest.fixture
def studies(simulated, tmp_path):
    """Makes a study in a folder of its own name."""

    def make(name: str, curves, **more) -> Folder:
        folder = simulated(curves, name=name, **more)
        return Folder(folder.path.rename(tmp_path / name))

    return make


def slower(factor: float, counts=(1, 2, 4)):
    return {"cores-close": {n: (PLAIN[n][0] * (factor if n in counts else 1), 8.0) for n in PLAIN}}


def test_a_regression_ends_with_one_and_names_where_it_is_most(studies):
    a = studies("old", slower(1.0), blocks=8)
    b = studies("new", slower(1.2, counts=(4,)), blocks=8, seed=2)
    done = compare(a.path, b.path)
    assert done.returncode == 1, done.stderr
    assert "B is slower than A in 1 of 3 cells, most with threads=4: B / A = 1.2" in text(done)
    assert "blocks were not shared" in text(done)
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(("factor", "says"), [(1.0, "No difference larger than 3 %"), (0.8, "B is faster than A in 3")])
def test_without_a_regression_it_ends_with_zero(studies, factor, says):
    a, b = studies("old", slower(1.0), blocks=8), studies("new", slower(factor), blocks=8, seed=2)
    done = compare(a.path, b.path)
    assert done.returncode == 0, done.stdout
    assert says in text(done)


def test_noise_is_undecided_and_does_not_fail(studies):
    a, b = studies("old", slower(1.0), noise=0.3), studies("new", slower(1.0), noise=0.3, seed=2)
    done = compare(a.path, b.path)
    assert done.returncode == 0
    assert "Undecided: in" in text(done)


def test_the_smallest_effect_is_the_users(studies):
    a, b = studies("old", slower(1.0), blocks=8), studies("new", slower(1.06), blocks=8, seed=2)
    assert compare(a.path, b.path).returncode == 1
    assert compare(a.path, b.path, "--smallest-effect", "10").returncode == 0


def test_cells_of_one_side_only_are_listed(studies):
    a, b = studies("old", {"cores-close": PLAIN}), studies("new", {"cores-close": PLAIN | {3: (2.7, 8.0)}}, seed=2)
    assert "Only in B, so not compared: threads=3." in text(compare(a.path, b.path))


def test_another_machine_and_another_program_are_said(studies):
    a, b = studies("old", slower(1.0)), studies("new", slower(1.0), seed=2)
    machine = b.read_machine()
    machine["facts"]["kernel"] = "6.9"
    machine["cores"] = machine["cores"][:2]
    b.machine.write_text(json.dumps(machine))
    b.question.write_text(f'knee = "9.9"\n{b.question.read_text()}')
    rewrite(b.plan, lambda spec: spec | {"program": {"command": ["other", "{threads}"]}})
    rewrite(b.records, lambda one: one | {"changed": [{"fact": "governor", "held": "performance", "found": "x"}]})
    said = text(compare(a.path, b.path))
    assert "The machine differs: kernel is 6.1 in A, 6.9 in B." in said
    assert "Another machine: 4 cores in A, 2 in B." in said
    assert "The program differs: program {threads} in A, other {threads} in B." in said
    assert "in A, 9.9 in B" in said
    assert "B: 15 of 15 runs were made with governor=x instead of performance." in said


def by_build(folder: Folder) -> None:
    """Make two builds out of two placements."""

    def change(spec):
        cell = dict(spec["cell"])
        cell["build"] = {"cores-close": "old", "none": "new"}[cell.pop("placement")]
        return spec | {"cell": cell}

    rewrite(folder.plan, change)


def test_levels_of_one_study_are_compared_block_by_block(studies):
    folder = studies("both", {"cores-close": PLAIN, "none": slower(1.1)["cores-close"]}, blocks=6)
    by_build(folder)
    done = compare(folder.path, "--factor", "build", "--levels", "old,new")
    assert done.returncode == 1, done.stderr
    assert "blocks were not shared" not in text(done)
    assert compare(folder.path, "--factor", "build", "--levels", "new,old").returncode == 0
    assert json.loads(compare(folder.path, "--factor", "build", "--json").stdout)["shared_blocks"]


def test_json_has_every_cell_with_its_interval(studies):
    a, b = studies("old", slower(1.0)), studies("new", slower(1.2), seed=2)
    done = compare(a.path, b.path, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], len(found["cells"])) == (1, "slower", 3)
    ends = found["cells"][0]["comparison"]["interval"]
    assert ends["low"] < 1.2 < ends["high"]


@pytest.mark.parametrize(
    ("words", "why", "hint"),
    [
        ((), "0 folders were given", "knee compare OLD NEW"),
        (("one",), "1 folders were given", "knee compare OLD NEW"),
        (("one", "--factor", "placement"), "two levels are compared", "--levels"),
        (("one", "--factor", "build", "--levels", "a,b"), "no run has build=a", "its factors are placement, threads"),
        (("one", "nowhere"), "not the folder of a study", "knee study --help"),
        (("one", "--levels", "a,b"), "there is no --factor", "knee compare OLD NEW"),
    ],
)
def test_what_cannot_be_compared_ends_with_two_and_says_why(studies, tmp_path, words, why, hint):
    studies("one", slower(1.0))
    known = {"one", "nowhere"}
    done = compare(*(tmp_path / word if word in known else word for word in words))
    assert done.returncode == 2
    assert why in done.stderr
    assert f"hint: {hint}" in " ".join(done.stderr.split()) or hint in done.stderr


def test_studies_without_a_common_cell_or_good_runs_cannot_be_compared(studies):
    a, b = studies("old", {"cores-close": PLAIN}), studies("new", {"none": PLAIN}, seed=2)
    done = compare(a.path, b.path)
    assert (done.returncode, "no cell in common" in done.stderr) == (2, True)
    rewrite(a.records, lambda one: one | {"exit": {"code": 1}})
    done = compare(a.path, a.path)
    assert (done.returncode, "no cell has two good runs" in done.stderr) == (2, True)


def test_studies_that_measure_different_things_cannot_be_compared(studies):
    a, b = studies("old", slower(1.0)), studies("new", slower(1.0), seed=2)
    rewrite(b.plan, lambda spec: spec | {"metric": {"phase": "solve"}})
    done = compare(a.path, b.path)
    assert done.returncode == 2
    assert 'A measures the run time, B measures {"phase": "solve"}' in done.stderr


def test_a_planned_study_says_which_knee_planned_it(binary, tmp_path):
    words = [sys.executable, "-P", "-m", "knee", "plan", "--out", "s", "--factor", "threads=1", "--", "true"]
    assert subprocess.run(words, cwd=tmp_path, check=False).returncode == 0
    assert Folder(Path(tmp_path / "s")).read_version()
