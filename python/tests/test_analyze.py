"""`knee analyze` on simulated studies with known effects."""

import json
import random
import re

import pytest
from click.testing import CliRunner
from conftest import VALID, machine, record, rewrite

from knee import cli
from knee.explain.factorial.levels import contrast_of
from knee.opened import Study
from knee.report.tables.design import design_rows
from knee.report.tables.factorial import parts as parts_of
from knee.stats.linear.design import Factor
from knee.store import Folder, StudyError


@pytest.fixture
def study(tmp_path):
    """Makes a study of two runtimes on 1, 2 and 4 threads; random is 1.2 times as slow as near."""

    def make(blocks: int = 5, noise: float = 0.02, threads: tuple[int, ...] = (1, 2, 4)) -> Folder:
        folder, draw = Folder(tmp_path / "study"), random.Random(1)
        folder.path.mkdir()
        plan, records = [], []
        cells = [(runtime, n) for runtime in ("near", "random") for n in threads]
        for block in range(1, blocks + 1):
            for runtime, n in draw.sample(cells, len(cells)):
                name = f"{len(plan) + 1:04d}"
                wall = 8 / n * (1.2 if runtime == "random" else 1.0) * draw.lognormvariate(0, noise)
                plan.append({"schema": 1, "id": name, "block": block, "threads": n, "cpus": [*range(n)], "bind": "set",
                             "cell": {"threads": n, "placement": "cores-close", "runtime": runtime},
                             "program": {"command": ["program"]}})  # fmt: skip
                counters = {
                    "minor-faults": 1000 + draw.randrange(9),
                    "cycles": {"value": wall * 1e9, "counted_share": 0.5},
                    "energy-package": {"value": wall * 1e6, "unit": "uJ"},
                    "instructions": {"unavailable": "no hardware PMU"},
                }
                phases = [{"name": "match", "wall_ns": int(wall * 5e8), "cpu_ns": int(wall * n * 5e8),
                           "begin_ns": 0, "end_ns": int(wall * 5e8)}]  # fmt: skip
                records.append(record(name, block, wall, wall * n * 1.1, counters=counters, phases=phases))
        folder.study_spec.write_text("schema = 1\nname = 'made up'\n[program]\ncommand = ['program']\n")
        folder.machine.write_text(json.dumps(machine(4)))
        folder.plan.write_text("".join(json.dumps(spec) + "\n" for spec in plan))
        folder.records.write_text("".join(json.dumps(one) + "\n" for one in records))
        return folder

    return make


def printed(folder: Folder, *words: str) -> str:
    done = CliRunner(env={"COLUMNS": "80"}).invoke(cli.verbs, ["analyze", str(folder.path), *words])
    assert done.exit_code == 0, done.exception
    return done.output


def numbers(folder: Folder, *words: str) -> dict:
    return json.loads(printed(folder, *words, "--json"))


def complaint(folder: Folder, monkeypatch, capsys, *words: str) -> str:
    monkeypatch.setattr("sys.argv", ["knee", "analyze", str(folder.path), *words])
    assert cli.main() == 2
    return " ".join(capsys.readouterr().err.split())


def test_the_tables_fit_and_say_what_was_put_in(study):
    text = printed(study(), "--contrast", "runtime=random-runtime=near")
    assert max(map(len, text.splitlines())) <= 80
    for part in ("Allocation of variation", "threads x runtime", "F .90", "Effects, log of s", "runtime=near"):
        assert part in text
    assert "near / random" in text
    assert "matters" in text
    assert "Contrast runtime=random-runtime=near: 0.1" in text
    assert "runtime explains" in text, "a small share may still matter"
    assert "on the logarithm effects multiply" in " ".join(text.split())
    assert "consistent with a normal distribution" in text


def test_the_numbers_are_what_was_put_in(study):
    found = numbers(study(), "--contrast", "runtime=random,threads=4-runtime=near,threads=4")
    assert (found["schema"], found["response"], found["scale"]) == (1, "wall", "log")
    assert found["factors"] == {"threads": ["1", "2", "4"], "runtime": ["near", "random"]}
    [pair] = [one for one in found["pairs"] if one["factor"] == "runtime"]
    assert pair["ratio"]["estimate"] == pytest.approx(1 / 1.2, rel=0.02)
    assert pair["robust"]["shift"] == pytest.approx(1 / 1.2, rel=0.02)
    assert pair["robust"]["blocks"] == 5
    assert (pair["size"], pair["model"]["p"] < 0.001) == ("matters", True)
    [one] = found["contrasts"]
    assert one["ratio_interval"]["low"] < 1.2 < one["ratio_interval"]["high"]
    shares = {source["name"]: source["share"] for source in found["anova"]["sources"]}
    assert shares["threads"] > 0.9
    assert sum(shares.values()) == pytest.approx(1)
    assert len(found["run_ids"]) == len(found["diagnostics"]["residuals"]) == 30
    assert found["within_factor"] == "threads"
    inside = {one["level"]: one["anova"]["sources"] for one in found["within"]}
    assert all(sources[1]["share"] > 0.8 for sources in inside.values()), "within a thread count it is the runtime"
    cells = [
        one["mean"]["value"] for one in found["predictions"] if one["levels"] == {"threads": "4", "runtime": "near"}
    ]
    assert cells == [pytest.approx(2.0, rel=0.03)]


@pytest.mark.parametrize(
    ("response", "unit", "mean"),
    [
        ("wall", "s", None),
        ("cpu", "s", 1.1 * 8 * 1.2**0.5),
        ("match", "s", None),
        ("minor-faults", "events", 1004),
        ("cycles", "events", None),
        ("energy-package", "uJ", None),
        ("speedup", "times", 8**0.5),
        ("work-inflation", "times", 1.0),
        ("work inflation", "times", 1.0),
    ],
)
def test_any_response_can_be_analysed(study, response, unit, mean):
    found = numbers(study(), "--response", response, "--transform", "log")
    assert (found["response"], found["unit"]) == (response.replace(" ", "-"), unit)
    if mean is not None:
        import math

        assert math.exp(found["effects"][0]["estimate"]["value"]) == pytest.approx(mean, rel=0.03)
    if response == "speedup":
        assert set(found["left_out"].values()) == {"it is the base (threads=1)"}
        assert found["factors"]["threads"] == ["2", "4"]


def test_what_a_study_measures_is_the_default(study):
    folder = study()
    rewrite(
        folder.records, lambda one: one | {"metric": {"name": "solve", "value": one["wall_ns"] / 2e6, "unit": "ms"}}
    )
    found = numbers(folder)
    assert found["response"] == "solve"
    assert max(one["mean"]["value"] for one in found["predictions"]) == pytest.approx(4.8, rel=0.03)


def test_bad_runs_and_controls_are_left_out_and_counted(study):
    folder = study()
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 3}} if one["id"] in ("0002", "0017") else {}))
    rewrite(folder.plan, lambda one: one | ({"role": "copies"} if one["id"] == "0030" else {}))
    found = numbers(folder)
    assert found["left_out"] == {"0002": "exit status 3", "0017": "exit status 3"}
    assert (len(found["run_ids"]), found["anova"]["adds_up"]) == (27, False)
    text = printed(folder)
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": 0.2}})
    assert "27 of 27 runs were disturbed" in printed(folder)
    assert "were disturbed" not in printed(folder, "--response", "minor-faults")
    assert "Left out: 2 runs: exit status 3." in text
    assert "type II" in text


def test_blocks_factors_scale_and_order_can_be_chosen(study):
    folder = study()
    found = numbers(folder, "--no-block", "--transform", "sqrt", "--order", "1")
    assert [one["name"] for one in found["anova"]["sources"]] == ["threads", "runtime", "error"]
    assert (found["scale"], found["blocked"]) == ("sqrt", False)
    assert "Recommended is" in printed(folder, "--transform", "sqrt")
    alone = numbers(folder, "--factors", "runtime")
    assert alone["notes"] == ["threads varies too; its effect is part of the error."]
    assert alone["within"] == []
    assert numbers(folder, "--within", "runtime")["within_factor"] == "runtime"
    sizes = {one["size"] for one in numbers(folder, "--smallest-effect", "50%", "--factors", "runtime")["pairs"]}
    assert sizes == {"equal"}


def test_two_levels_each_without_blocks_have_a_sign_table(study):
    found = numbers(study(threads=(1, 2)), "--no-block")
    assert found["signs"]["names"] == ["q0", "q[threads]", "q[runtime]", "q[threads][runtime]"]
    assert found["signs"]["q"][2] == pytest.approx(0.0912, abs=0.01)


def test_with_one_run_of_each_cell_the_interaction_is_the_error(study):
    found = numbers(study(blocks=1))
    assert [(one["name"], one["freedom"]) for one in found["anova"]["sources"]] == [
        ("threads", 2),
        ("runtime", 1),
        ("error", 2),
    ]
    assert "the interaction threads x runtime serves as the error" in found["notes"][0]
    assert {one["why"] for one in found["within"]} == {
        "only one run per level: wall: noise cannot be separated from effects"
    }


def test_a_response_without_noise_is_said_to_have_none(study):
    found = numbers(study(noise=0.0))
    assert any("No residual error" in note for note in found["notes"])
    assert all(one["f"] is None for one in found["anova"]["sources"])


def test_values_that_are_not_positive_are_compared_by_differences(study):
    folder = study()
    rewrite(folder.records, lambda one: one | {"counters": {"steals": int(one["id"]) % 7}})
    found = numbers(folder, "--response", "steals")
    assert found["scale"] == "none"
    assert all(one["ratio"] is None for one in found["pairs"])
    assert "difference" in printed(folder, "--response", "steals")


def test_errors_say_what_to_try(study, monkeypatch, capsys):
    folder = study()

    def says(*words: str) -> str:
        return complaint(folder, monkeypatch, capsys, *words)

    known = "wall, cpu, speedup, work-inflation, match, match:cpu, cycles, energy-package, instructions, minor-faults"
    assert f"unknown response 'nope' hint: one of {known}" in says("--response", "nope")
    assert "no values: instructions: unavailable: no hardware PMU" in says("--response", "instructions")
    assert "unknown factor 'placement': it has only one level hint: one of threads or runtime" in says(
        "--factors", "placement"
    )
    assert "unknown factor 'colour': it is not in the study" in says("--factors", "colour")
    assert "bad contrast: 'runtime=near'" in says("--contrast", "runtime=near")
    assert "both sides are the same" in says("--contrast", "runtime=near-runtime=near")
    text = says("--smallest-effect", "much")
    assert "--smallest-effect: 'much' is not a share from 0.1% to 99% hint: 5% or 0.05" in text
    assert "it is not a factor of this analysis" in says("--within", "colour")


def test_missing_cells_are_named(study, monkeypatch, capsys):
    folder = study()
    gone = {spec["id"] for spec in folder.read_plan() if (spec["cell"]["runtime"], spec["threads"]) == ("near", 2)}
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["id"] in gone else {}))
    text = complaint(folder, monkeypatch, capsys)
    assert "cells missing: 1 of 6 have no good run of wall: threads=2, runtime=near hint: `--order 1`" in text
    found = numbers(folder, "--order", "1")
    assert "1 of 6 cells have no run" in found["notes"][0]


def test_a_study_without_records_or_noise_to_test_says_so(study, monkeypatch, capsys):
    folder = study(blocks=1)
    rewrite(folder.plan, lambda one: one | {"cell": {"runtime": f"{one['cell']['runtime']}{one['id']}"}})
    assert "only one run per level" in complaint(folder, monkeypatch, capsys)
    folder.records.unlink()
    assert "it has no runs yet hint: knee study --resume" in complaint(folder, monkeypatch, capsys)


def test_levels_may_hold_commas_and_minus_signs():
    factors = (
        Factor.of("placement", ["cores-close", "threads-close", "0,1"]),
        Factor.of("runtime", ["near", "random", "near"]),
    )
    sides = contrast_of("placement=cores-close-placement=threads-close", factors)
    assert sides == ({"placement": "cores-close"}, {"placement": "threads-close"})
    sides = contrast_of("placement=0,1,runtime=near-runtime=random,placement=0,1", factors)
    assert sides == ({"placement": "0,1", "runtime": "near"}, {"runtime": "random", "placement": "0,1"})
    with pytest.raises(StudyError, match="bad contrast"):
        contrast_of("placement=0,1,placement=0,1-runtime=near", factors)


def test_it_ends_with_sentences_on_each_factor(study):
    last = printed(study(blocks=8)).split("\n\n")[-1]
    said = " ".join(last.split())
    assert said.startswith("Of the variation of wall, threads explains 9")
    assert "and runtime explains " in said
    assert "threads: 2 is 2.0" in said
    assert re.search(r"runtime: near is 1\.[12]\dx \[1\.1\d, 1\.2\d\] as fast as random\.$", said)


def test_sentences_have_three_answers(study):
    folder = study(blocks=8)
    said = " ".join(printed(folder, "--smallest-effect", "50%").split())
    assert "runtime: near and random are equal within 50 %." in said
    said = " ".join(printed(folder, "--smallest-effect", "20%").split())
    assert "runtime: cannot tell whether near and random differ by more than 20 %: wall of near is 0.8" in said


def test_of_a_response_that_is_no_run_time_nothing_is_called_fast(study):
    said = " ".join(printed(study(blocks=8), "--response", "cpu").split())
    assert re.search(r"runtime: cpu of near is 0\.8\dx \[0\.8\d, 0\.8\d\] that of random\.$", said)


def test_of_many_levels_the_largest_difference_is_told(study):
    said = " ".join(printed(study(blocks=8, threads=(1, 2, 3, 4, 6, 8))).split())
    told = r"threads: 15 of 15 pairs of levels differ\. The largest difference: 8 is [78]\.\d+x .* as fast as 1\."
    assert re.search(told, said)


def test_unpinned_runs_are_called_so_in_every_table_and_figure(study):
    folder = study()

    def placed(spec: dict) -> dict:
        free = spec["cell"]["runtime"] == "near"
        cell = {"threads": spec["threads"], "placement": "none" if free else "cores-close"}
        return spec | {"cell": cell, "cpus": [] if free else spec["cpus"]}

    rewrite(folder.plan, placed)
    contrast = ("--contrast", "placement=none,threads=1-placement=cores-close,threads=1")
    said = printed(folder, *contrast)
    assert "cores-close / unpinned" in said
    assert "Contrast placement=none,threads=1-placement=cores-close,threads=1: -0." in " ".join(said.split())
    [first, second] = (numbers(folder, "--contrast", f"placement={none}-placement=cores-close")["contrasts"]
                       for none in ("none", "unpinned"))  # fmt: skip
    assert first[0]["difference"] == second[0]["difference"]
    opened = Study.read(folder.path)
    drawn = {figure.name: json.dumps([figure.rows, figure.chart.to_dict()]) for figure in opened.figures}
    assert "unpinned" in drawn["effects"]
    assert "unpinned" in drawn["interaction-1"]
    assert [name for name, text in drawn.items() if re.search(r'[" ,=]none[",]', text)] == []
    assert {row["what"]: row["value"] for row in design_rows(opened)}["factor placement"] == "cores-close, unpinned"


def said_last(folder: Folder, *words: str) -> str:
    return " ".join(printed(folder, *words).split("\n\n")[-1].split())


def test_what_other_programs_may_have_done_is_not_called_a_difference(study):
    folder = study(blocks=8)
    busy = VALID | {"other_busy": 0.2}
    rewrite(folder.records, lambda one: one | ({"validity": busy} if one["id"] in ("0003", "0030") else {}))
    few = numbers(folder)
    [pair] = [one for one in few["pairs"] if one["factor"] == "runtime"]
    held, seen = pair["held"], pair["ratio"]["interval"]
    assert held["high"] - held["low"] > seen["high"] - seen["low"]
    assert pair["size"] == "matters"
    assert re.search(r"runtime: near is between 1\.\d\dx and 1\.\d\dx as fast as random\.$", said_last(folder))
    rewrite(folder.records, lambda one: one | {"validity": busy})
    assert [one["size"] for one in numbers(folder)["pairs"] if one["factor"] == "runtime"] == ["cannot tell"]
    assert said_last(folder).endswith("that of random, and other programs may have changed that.")
    contrast = ("--contrast", "runtime=random-runtime=near")
    assert [one["size"] for one in numbers(folder, *contrast)["contrasts"]] == ["cannot tell"]
    rewrite(folder.records, lambda one: one | {"validity": VALID})
    assert [one["size"] for one in numbers(folder, *contrast)["contrasts"]] == ["matters"]


def test_counts_are_what_they_are_beside_other_programs(study):
    folder = study(blocks=8)
    response = ("--response", "energy-package")
    alone = numbers(folder, *response)
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": 0.2}})
    assert numbers(folder, *response) == alone


def test_times_of_other_work_are_not_compared(study):
    folder = study(blocks=8)
    with folder.study_spec.open("a") as file:
        file.write('[design]\ninputs = ["runtime"]\n')
    found = numbers(folder)
    assert {one["factor"] for one in found["pairs"]} == {"threads"}
    assert (found["other_work"], found["within_factor"]) == (["runtime"], "runtime")
    assert {one["factor"] for level in found["within"] for one in level["pairs"]} == {"threads"}
    assert said_last(folder).endswith("runtime: its levels are other work, so their times are not compared.")
    tables = [table for part in parts_of(Study.read(folder.path).factorial()) for table in part.tables]
    assert all(table.rows for table in tables)
    scaled = numbers(folder, "--response", "speedup")
    assert "runtime" in {one["factor"] for one in scaled["pairs"]}, "how work scales can be compared"


def test_placements_that_are_the_same_here_are_one(study):
    folder = study(blocks=8)

    def placed(spec: dict) -> dict:
        name = {"near": "cores-close", "random": "threads-close"}[spec["cell"]["runtime"]]
        return spec | {"cell": {"threads": spec["threads"], "placement": name}}

    rewrite(folder.plan, placed)
    found = numbers(folder)
    assert list(found["factors"]) == ["threads"]
    why = "placement threads-close puts threads on the same cpus here as cores-close"
    assert list(found["left_out"].values()) == [why] * 24
    done = CliRunner().invoke(cli.verbs, ["analyze", str(folder.path), "--factors", "placement"])
    assert f"it has only one level ({why})" in str(done.exception)
    other = [[1, 2, 3, 0][cpu] for cpu in range(4)]
    rewrite(
        folder.plan,
        lambda one: one | ({"cpus": other[: one["threads"]]} if one["cell"]["placement"] == "threads-close" else {}),
    )
    assert list(numbers(folder)["factors"]) == ["threads", "placement"]


def test_a_response_that_compares_with_the_fewest_threads_says_what_is_left(study):
    folder = study(threads=(1, 2))
    rewrite(folder.plan, lambda one: one | {"cell": {"threads": one["threads"], "placement": "cores-close"}})
    done = CliRunner().invoke(cli.verbs, ["analyze", str(folder.path), "--response", "work-inflation"])
    said = "work-inflation compares with the fewest threads, which leaves only threads=2"
    assert said in str(done.exception)
