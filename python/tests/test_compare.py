"""`knee compare` from folders to exit status, on simulated studies with known differences."""

import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest
from conftest import VALID, rewrite

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
    said = text(done)
    assert re.search(r"B is slower than A in 1 of 3 cells, most with threads=4: (19|20)\.\d % \[1\d\.\d, 2\d", said)
    assert "Cannot tell in 2 of 3 cells" in said
    assert "without common blocks" in text(done)
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("factor", "says"), [(1.0, "B and A are equal within 3 % in 3 cells."), (0.8, "B is faster than A in 3")]
)
def test_without_a_regression_it_ends_with_zero(studies, factor, says):
    a, b = studies("old", slower(1.0), blocks=8), studies("new", slower(factor), blocks=8, seed=2)
    done = compare(a.path, b.path, "--session-spread", "0")
    assert done.returncode == 0, done.stdout
    assert says in text(done)


def test_noise_gives_cannot_tell_and_a_gate_may_fail_on_it(studies):
    a, b = studies("old", slower(1.0), noise=0.1), studies("new", slower(1.0), noise=0.1, seed=2)
    done = compare(a.path, b.path, "--session-spread", "0")
    assert done.returncode == 0
    assert re.search(
        r"Cannot tell in 3 of 3 cells .*: two new studies of about (\d+) blocks would tell \(--blocks \1\)\.",
        text(done),
    )
    assert "Verdicts allow for all 3 cells (Holm); intervals are for single cells." in text(done)
    assert compare(a.path, b.path, "--fail-undecided").returncode == 1
    more = [one["blocks_needed"] for one in json.loads(compare(a.path, b.path, "--json").stdout)["cells"]]
    assert all(one is None or one > 1 for one in more)


def test_a_gate_that_asks_for_answers_passes_with_answers(studies):
    a, b = studies("old", slower(1.0), blocks=8), studies("new", slower(1.0), blocks=8, seed=2)
    assert compare(a.path, b.path, "--fail-undecided").returncode == 1
    assert compare(a.path, b.path, "--fail-undecided", "--session-spread", "0").returncode == 0
    faster = studies("newer", slower(0.7), blocks=8, seed=2)
    assert compare(a.path, faster.path, "--fail-undecided").returncode == 0


def test_a_difference_between_sessions_is_no_difference_between_programs(studies):
    a, b = studies("old", slower(1.0), blocks=10, noise=0.005), studies("new", slower(1.03), blocks=10, noise=0.005)
    done = compare(a.path, b.path)
    said = text(done)
    assert done.returncode == 0
    assert "two sessions of one program may differ by 3 %; measure A and B in one study." in said
    assert "intervals allow for a difference of 3 % between sessions (--session-spread)" in said
    assert json.loads(compare(a.path, b.path, "--json").stdout)["session_spread"] == 0.03
    # Who has measured that sessions differ less may say so.
    assert "B is slower than A in 3 of 3 cells" in text(compare(a.path, b.path, "--session-spread", "0.5%"))


def test_session_spread_is_for_two_studies_only(studies):
    folder = studies("both", {"cores-close": PLAIN, "none": PLAIN})
    done = compare(folder.path, "--factor", "placement", "--session-spread", "1%")
    assert (done.returncode, "levels of one study share their blocks" in done.stderr) == (2, True)
    done = compare(folder.path, folder.path, "--session-spread", "100%")
    assert "--session-spread: '100%' is not a share from 0% to 99%" in done.stderr


@pytest.mark.parametrize("share", ["10", "1", "0", "-1%", "100%", "much"])
def test_a_smallest_effect_is_a_share(share):
    done = compare("a", "b", "--smallest-effect", share)
    assert done.returncode == 2
    assert f"--smallest-effect: {share!r} is not a share from 0.1% to 99%" in done.stderr
    assert "hint: 5% or 0.05" in done.stderr


def test_cells_of_one_side_only_are_listed(studies):
    a, b = studies("old", {"cores-close": PLAIN}), studies("new", {"cores-close": PLAIN | {3: (2.7, 8.0)}}, seed=2)
    assert "Only in B, so not compared: threads=3." in text(compare(a.path, b.path))


def test_another_machine_and_another_program_are_said(studies):
    a, b = studies("old", slower(1.0)), studies("new", slower(1.0), seed=2)
    machine = b.read_machine()
    machine["facts"]["kernel"] = "6.9"
    machine["cores"] = machine["cores"][:2]
    b.machine.write_text(json.dumps(machine))
    b.study_spec.write_text(f'knee = "9.9"\n{b.study_spec.read_text()}')
    rewrite(b.plan, lambda spec: spec | {"program": {"command": ["other", "{threads}"]}})
    rewrite(b.records, lambda one: one | {"changed": [{"fact": "governor", "held": "performance", "found": "x"}]})
    said = text(compare(a.path, b.path))
    assert "Different machines: kernel is 6.1 in A, 6.9 in B." in said
    assert "Different machines: 4 cores in A, 2 in B." in said
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
    assert "without common blocks" not in text(done)
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
        ((), "0 folders given", "knee compare OLD NEW"),
        (("one",), "1 folder given", "knee compare OLD NEW"),
        (("one", "--factor", "placement"), "choose two levels", "--levels"),
        (("one", "--factor", "build", "--levels", "a,b"), "no run has build=a", "its factors are placement, threads"),
        (("one", "nowhere"), "not the folder of a study", "knee study --help"),
        (("one", "--levels", "a,b"), "--levels needs --factor", "knee compare OLD NEW"),
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
    rewrite(b.plan, lambda spec: spec | {"cell": spec["cell"] | {"build": "new"}})
    why = "no cell in common: A has threads=1, cores-close, and B has threads=1, unpinned, build=new"
    assert why in compare(a.path, b.path).stderr
    b.records.write_text("")
    assert "has no runs yet" in compare(a.path, b.path).stderr
    rewrite(a.records, lambda one: one | {"exit": {"code": 1}})
    done = compare(a.path, a.path)
    assert (done.returncode, "no cell has two good runs" in done.stderr) == (2, True)


def test_studies_that_measure_different_things_cannot_be_compared(studies):
    a, b = studies("old", slower(1.0)), studies("new", slower(1.0), seed=2)
    rewrite(b.plan, lambda spec: spec | {"metric": {"phase": "solve"}})
    done = compare(a.path, b.path)
    assert done.returncode == 2
    assert 'A measures the run time, B measures {"phase": "solve"}' in done.stderr


def test_of_several_workloads_each_is_compared_by_its_own_phase(studies):
    def two(folder: Folder) -> None:
        def change(spec):
            cell = dict(spec["cell"])
            cell["workload"] = {"cores-close": "heat", "none": "sort"}[cell.pop("placement")]
            return spec | {
                "cell": cell,
                "metric": {"phase": cell["workload"]},
                "program": {"workload": cell["workload"]},
            }

        rewrite(folder.plan, change)
        metrics = {spec["id"]: {"name": spec["metric"]["phase"], "unit": "ns"} for spec in folder.read_plan()}
        rewrite(folder.records, lambda one: one | {"metric": metrics[one["id"]] | {"value": one["wall_ns"]}})

    a, *others = (studies(f"s{n}", {"cores-close": PLAIN, "none": PLAIN}, seed=n) for n in (1, 5, 6))
    for folder in (a, *others):
        two(folder)
    # The first run of A is of another workload than that of the others.
    for b in others:
        done = compare(a.path, b.path)
        assert done.returncode == 0, done.stderr
        assert "program differs" not in text(done)


def with_control(folder: Folder, kind: str) -> None:
    """Give every block one more run of one thread, of a program and metric of its own."""
    specs, lines = folder.read_plan(), folder.read_records()
    for block in range(1, 6):
        name = f"0000{block}"
        more = {"program": {"command": ["another"]}, "metric": {"phase": "another"}, "threads": 1, "block": block}
        specs.insert(0, {**specs[-1], "id": name, "role": kind, "cell": {}, **more})
        lines.append({**lines[-1], "id": name, "block": block})
    folder.plan.write_text("".join(json.dumps(spec) + "\n" for spec in specs))
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in lines))


@pytest.mark.parametrize("kind", ["baseline", "counting"])
def test_controls_are_not_compared(studies, kind):
    a, b = studies("old", slower(1.0)), studies("new", slower(1.0), seed=2)
    with_control(a, kind)
    done = compare(a.path, b.path)
    assert done.returncode == 0, done.stderr
    assert "program differs" not in text(done)
    with_control(b, kind)
    rewrite(b.plan, lambda spec: spec if spec.get("role") == kind else spec | {"program": {"command": ["newer"]}})
    assert "The program differs: program {threads} in A, newer in B." in text(compare(a.path, b.path))


def test_a_study_whose_input_grows_is_compared_with_its_like(studies):
    a, b = studies("old", slower(1.0)), studies("new", slower(1.0), seed=2)
    for folder, status in ((b, 2), (a, 0)):
        folder.study_spec.write_text(
            folder.study_spec.read_text() + "[design]\nweak = { argument = 'n', one_thread = 9 }\n"
        )
        done = compare(a.path, b.path)
        assert done.returncode == status
        assert ("in B the work grows with the threads, in A it does not" in done.stderr) is (status == 2)


def failing(folder: Folder, counts: tuple[int, ...]) -> None:
    specs = {spec["id"]: spec for spec in folder.read_plan()}
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if specs[one["id"]]["threads"] in counts else {}))


@pytest.mark.parametrize(
    ("factor", "counts", "says"),
    [
        (0.8, (2,), "B is faster than A in 2 of 2 cells, most with threads="),
        (1.0, (2,), "B and A are equal within 3 % in 2 cells."),
        (1.0, (1, 2, 4), ""),
    ],
)
def test_runs_that_b_lost_are_a_regression_whatever_the_others_say(studies, factor, counts, says):
    a, b = studies("old", slower(1.0), blocks=8), studies("new", slower(factor), blocks=8, seed=2)
    failing(b, counts)
    lost = "; ".join(f"threads={n}" for n in counts)
    done = compare(a.path, b.path, "--session-spread", "0")
    assert done.returncode == 1, done.stderr
    assert says in text(done)
    assert f"B has no good run of {lost}, where A has one." in text(done)
    assert "blocks would tell" not in text(done)
    assert json.loads(compare(a.path, b.path, "--json").stdout)["lost"] == lost.split("; ")
    # What A lost is no regression of B.
    if len(counts) == 1:
        assert compare(b.path, a.path, "--smallest-effect", "50%").returncode == 0


def test_levels_that_hold_commas_are_separated_by_semicolons(studies):
    folder = studies("both", {"0,1": PLAIN, "2,3": PLAIN})
    assert compare(folder.path, "--factor", "placement", "--levels", "0,1;2,3").returncode == 0
    done = compare(folder.path, "--factor", "placement", "--levels", "0,1,2,3")
    assert (done.returncode, "--levels 0,1,2,3 names 4, not two" in done.stderr) == (2, True)


def test_a_level_is_not_compared_with_itself(studies):
    folder = studies("both", {"cores-close": PLAIN, "none": PLAIN})
    done = compare(folder.path, "--factor", "placement", "--levels", "none,none")
    assert (done.returncode, "placement=none with itself" in done.stderr) == (2, True)


def test_a_comparison_of_which_nothing_else_varies_names_its_cell(studies):
    folder = studies("one", {"cores-close": {1: (8.0, 8.0), 2: (4.0, 8.0)}})
    done = compare(folder.path, "--factor", "threads", "--levels", "1,2")
    assert "B is faster than A with cores-close: 49.4 % [48.9, 50.0] less time." in text(done)
    rewrite(folder.plan, lambda spec: spec | {"cell": {"threads": spec["threads"]}})
    done = compare(folder.path, "--factor", "threads", "--levels", "1,2")
    assert "faster than A with all runs: " in text(done)


def test_a_planned_study_says_which_knee_planned_it(binary, tmp_path):
    words = [sys.executable, "-P", "-m", "knee", "plan", "--out", "s", "--factor", "threads=1", "--", "true"]
    assert subprocess.run(words, cwd=tmp_path, check=False).returncode == 0
    assert Folder(Path(tmp_path / "s")).read_study_spec()["knee"]


def disturbed(folder: Folder, busy: float) -> None:
    """Let other programs use the cpus beside every run."""
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": busy}})


def test_what_other_programs_may_have_cost_is_no_regression(studies):
    a, b = studies("old", slower(1.0), blocks=8), studies("new", slower(1.3), blocks=8, seed=2)
    assert compare(a.path, b.path).returncode == 1
    disturbed(b, 0.4)
    done = compare(a.path, b.path, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"]) == (0, "cannot tell")
    assert [one["disturbed"] for one in found["cells"]] == [True] * 3
    said = text(compare(a.path, b.path))
    assert "Cannot tell in 3 of 3 cells" in said
    assert "other programs may have cost the runs too much time; measure on a quiet machine." in said
    assert "blocks would tell" not in said
    assert compare(a.path, b.path, "--fail-undecided").returncode == 1
    # What they cost B made it look slower only: a B that is faster all the same is faster.
    assert "B is faster than A" in text(compare(a.path, disturbed_and_faster(studies).path))


def disturbed_and_faster(studies) -> Folder:
    folder = studies("newer", slower(0.6), blocks=8, seed=3)
    disturbed(folder, 0.4)
    return folder


def test_levels_of_a_disturbed_study_are_told_apart_where_others_cannot_be_the_reason(studies):
    folder = studies("both", {"cores-close": PLAIN, "none": slower(3.0)["cores-close"]}, blocks=6)
    by_build(folder)
    words = (folder.path, "--factor", "build", "--levels", "old,new")
    disturbed(folder, 0.06)
    assert compare(*words).returncode == 1
    disturbed(folder, 0.9)
    assert compare(*words).returncode == 0


def test_noise_and_other_programs_together_are_no_reason_to_ask_for_more_blocks(studies):
    a, b = studies("old", slower(1.0), noise=0.1), studies("new", slower(1.0), noise=0.1, seed=2)
    disturbed(a, 0.4)
    disturbed(b, 0.4)
    said = text(compare(a.path, b.path))
    assert "other programs may have cost the runs too much time" in said
    assert "would tell" not in said


def test_of_one_cell_there_is_no_count(studies):
    one = {"cores-close": {2: (4.0, 8.0)}}
    a, b = studies("old", one, blocks=8), studies("new", one, blocks=8, seed=2)
    assert "B and A are equal within 3 % with threads=2." in text(compare(a.path, b.path, "--session-spread", "0"))
    assert "Cannot tell (B / A lies between 0.9" in text(compare(a.path, b.path))
