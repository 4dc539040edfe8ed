"""Ladders, blocks and specs."""

import collections
import json
import subprocess

import pytest
from conftest import machine

from knee import _binary
from knee.store import StudyError
from knee.study import design, plan, question
from knee.study.question import Question

ORDERS = {"cores-close": [0, 1], "none": None}


def planned(what: Question, cores: int = 2, orders=ORDERS):
    here = machine(cores)
    return plan.specs(what, design.cells(what, here, orders), orders, here)


def asked(**more) -> Question:
    return Question(name="q", program={"command": ["p", "{threads}"], "directory": "/"}, **more)


@pytest.mark.parametrize("cores", [1, 2, 3, 8, 16])
def test_a_small_machine_gets_every_count_and_one_beyond(cores):
    assert design.ladder(machine(cores)) == [*range(1, cores + 2)]


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("xeon4108-2p-16c-smt2", {1, 8, 16, 32, 33}),
        ("xeon-4p-72c-smt2", {1, 18, 36, 72, 144, 145}),
        ("epyc7451-2p-48c-smt2-8n", {1, 3, 6, 12, 24, 48, 96, 97}),
    ],
)
def test_the_ladder_of_a_large_machine_has_its_edges(shared, tmp_path, name, edges):
    archive = shared / "topologies/captures" / f"{name}.tar.bz2"
    subprocess.run(["tar", "-xjf", archive, "-C", tmp_path], check=True)
    counts = design.ladder(_binary.ask("machine", "--json", "--root", str(tmp_path / name)))
    assert edges <= set(counts)
    assert counts == sorted(set(counts))
    assert len(counts) < 40


def test_a_mask_that_leaves_one_sibling_of_each_core_is_one_thread_per_core():
    here = machine(40)
    here["cores"] = [{"id": i, "socket": 0, "node": 0, "cpus": [i, i + 20]} for i in range(20)]
    here["allowed"]["cpus"] = list(range(20))
    assert max(design.ladder(here)) == 21


def test_every_block_holds_every_cell_once_in_an_order_of_its_own():
    specs = planned(asked(blocks=4))
    cells = {json.dumps(spec["cell"], sort_keys=True) for spec in specs}
    assert len(specs) == 4 * len(cells) == 4 * 6
    orders = []
    for block in range(1, 5):
        inside = [json.dumps(spec["cell"], sort_keys=True) for spec in specs if spec["block"] == block]
        assert collections.Counter(inside) == collections.Counter(cells)
        orders.append(tuple(inside))
    assert len(set(orders)) > 1
    assert len({spec["id"] for spec in specs}) == len(specs)


def test_a_seed_gives_the_same_plan_again():
    assert planned(asked(seed=7)) == planned(asked(seed=7))
    assert planned(asked(seed=7)) != planned(asked(seed=8))


def test_one_thread_beyond_all_cpus_is_held_by_the_whole_set():
    beyond = [spec for spec in planned(asked()) if spec["threads"] == 3]
    assert {(tuple(spec["cpus"]), spec["bind"]) for spec in beyond} == {((0, 1), "set"), ((), "set")}


def test_the_sampler_gets_a_cpu_that_the_run_leaves_free():
    for spec in planned(asked()):
        free = {0, 1} - set(spec["cpus"]) if spec["cpus"] else set()
        assert spec.get("sampler_cpu") in (free or {None})


def test_factors_reach_words_variables_and_arguments():
    what = asked(factors={"threads": [1], "size": [5], "env:MODE": ["fast"], "memory": ["interleave:0-1"]})
    what.program["command"].append("{size}")
    spec = planned(what)[0]
    assert spec["program"]["command"] == ["p", "{threads}", "5"]
    assert spec["program"]["env"] == {"MODE": "fast"}
    assert spec["memory"] == {"policy": "interleave", "nodes": [0, 1]}
    built_in = Question(name="q", program={"workload": "mine"}, factors={"threads": [1], "plan": ["explore"]})
    assert planned(built_in)[0]["program"]["params"] == {"plan": "explore"}


@pytest.mark.parametrize(
    ("factors", "reason"),
    [
        ({"size": [1, 2]}, "bad factor: size: the command does not mention {size}"),
        ({"memory": ["far"]}, "unknown memory policy: 'far'"),
        ({"memory": ["bind:x"]}, "unknown memory policy: 'bind:x': 'x' is no list of nodes"),
    ],
)
def test_a_factor_that_goes_nowhere_is_refused(factors, reason):
    with pytest.raises(StudyError) as error:
        planned(asked(factors=factors))
    assert str(error.value) == reason


def test_the_baseline_is_in_every_block_on_one_thread():
    specs = planned(asked(baseline={"command": ["best"]}, blocks=3))
    serial = [spec for spec in specs if "baseline" in spec["cell"]]
    assert [spec["block"] for spec in serial] == [1, 2, 3]
    assert {(spec["threads"], tuple(spec["program"]["command"])) for spec in serial} == {(1, ("best",))}


@pytest.mark.parametrize("text", ["threads", "=1", "threads=", "threads=1,,2"])
def test_a_bad_factor_is_refused(text):
    with pytest.raises(StudyError, match="bad factor"):
        question.factor(text)


@pytest.mark.parametrize("text", ["threads=0", "threads=x", "threads=1,1"])
def test_bad_levels_are_refused(text):
    with pytest.raises(StudyError):
        question.factor(text)
