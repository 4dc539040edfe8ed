"""Ladders, blocks and specs."""

import collections
import json
import subprocess
from dataclasses import replace

import pytest
from conftest import machine

from knee import _binary
from knee.explain import stopping
from knee.store import StudyError
from knee.study.checks.contradictions import EARLIEST
from knee.study.design import plan
from knee.study.design.cells import cells_of, ladder
from knee.study.design.placements import Placements
from knee.study.design.program import builds
from knee.study.design.summary import summary
from knee.study.kinds.factors import Factors
from knee.study.kinds.program import Baseline
from knee.study.spec import StudySpec

PLACEMENTS = Placements({"cores-close": [0, 1], "none": None})


def planned(study_spec: StudySpec, cores: int = 2, placements=PLACEMENTS):
    here = machine(cores)
    return plan.run_specs(study_spec, cells_of(study_spec, here, placements), placements, here)


def asked(**more) -> StudySpec:
    return StudySpec(name="q", program={"command": ["p", "{threads}"], "directory": "/"}, **more)


@pytest.mark.parametrize("cores", [1, 2, 3, 4, 5, 6])
def test_a_machine_of_up_to_six_cores_gets_every_count(cores):
    assert ladder(machine(cores)) == [*range(1, cores + 1)]


@pytest.mark.parametrize(
    ("cores", "counts"),
    [
        (8, [1, 2, 3, 4, 6, 8]),
        (12, [1, 2, 4, 6, 8, 12]),
        (16, [1, 2, 4, 8, 12, 16]),
        (64, [1, 2, 8, 16, 32, 64]),
    ],
)
def test_a_larger_machine_gets_six_counts_within_its_cores(cores, counts):
    assert ladder(machine(cores)) == counts


def test_hardware_threads_complete_the_six_where_cores_are_few():
    here = machine(8)
    here["cores"] = [{"id": i, "socket": 0, "node": 0, "cpus": [i, i + 4]} for i in range(4)]
    assert ladder(here) == [1, 2, 3, 4, 6, 8]


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("xeon4108-2p-16c-smt2", {1, 8, 16, 32}),
        ("xeon-4p-72c-smt2", {1, 18, 36, 72, 144}),
        ("epyc7451-2p-48c-smt2-8n", {1, 6, 12, 24, 48, 96}),
    ],
)
def test_the_ladder_of_a_large_machine_has_its_edges(shared, tmp_path, name, edges):
    archive = shared / "topologies/captures" / f"{name}.tar.bz2"
    subprocess.run(["tar", "-xjf", archive, "-C", tmp_path], check=True)
    counts = ladder(_binary.ask("machine", "--root", str(tmp_path / name)))
    assert edges <= set(counts)
    assert counts == sorted(set(counts))
    assert len(counts) == 7, "six within the cores, and all hardware threads"


def test_a_mask_that_leaves_one_sibling_of_each_core_is_one_thread_per_core():
    here = machine(40)
    here["cores"] = [{"id": i, "socket": 0, "node": 0, "cpus": [i, i + 20]} for i in range(20)]
    here["allowed"]["cpus"] = list(range(20))
    assert max(ladder(here)) == 20


def test_every_block_holds_every_cell_once_in_an_order_of_its_own():
    specs = planned(asked(blocks=4))
    cells = {json.dumps(spec["cell"], sort_keys=True) for spec in specs}
    assert len(specs) == 4 * len(cells) == 4 * 4
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
    three = {"threads": [1, 2, 3]}
    beyond = [spec for spec in planned(asked(factors=three)) if spec["threads"] == 3]
    assert {(tuple(spec["cpus"]), spec.get("bind")) for spec in beyond} == {((0, 1), None), ((), None)}
    beyond = [spec for spec in planned(asked(bind="each", factors=three)) if spec["threads"] == 3]
    assert {(tuple(spec["cpus"]), spec["bind"]) for spec in beyond} == {((0, 1), "set"), ((), "set")}


def test_the_sampler_gets_a_cpu_that_the_run_leaves_free():
    for spec in planned(asked()):
        free = {0, 1} - set(spec["cpus"]) if spec["cpus"] else set()
        assert spec.get("sampler_cpu") in (free or {None})


def test_factors_reach_words_variables_and_arguments():
    study_spec = asked(factors={"threads": [1], "size": [5], "env:MODE": ["fast"], "memory": ["interleave:0"]})
    study_spec.program["command"].append("{size}")
    spec = planned(study_spec)[0]
    assert spec["program"]["command"] == ["p", "{threads}", "5"]
    assert spec["program"]["env"] == {"MODE": "fast"}
    assert spec["memory"] == {"policy": "interleave", "nodes": [0]}
    built_in = StudySpec(name="q", program={"workload": "mine"}, factors={"threads": [1], "plan": ["explore"]})
    assert planned(built_in)[0]["program"]["params"] == {"plan": "explore"}


def test_levels_reach_the_variables_of_a_command_in_its_study_file():
    own = {"OMP_SCHEDULE": "static,{chunk}", "OMP_NUM_THREADS": "{threads}"}
    program = {"command": ["p"], "env": own, "directory": "/"}
    specs = planned(StudySpec("q", program, factors={"threads": [1], "chunk": [1, 64]}))
    made = {spec["cell"]["chunk"]: spec["program"]["env"] for spec in specs}
    assert made == {chunk: own | {"OMP_SCHEDULE": f"static,{chunk}"} for chunk in (1, 64)}


def test_a_level_may_go_into_the_steps_around_a_run_alone():
    study_spec = asked(
        factors={"threads": [1], "size": [5, 6]}, prepare="make {size} {threads} {cpus}", conclude="rm {size}"
    )
    specs = [spec for spec in planned(study_spec) if spec["cell"]["size"] == 6]
    assert {spec["prepare"] for spec in specs} == {"make 6 {threads} {cpus}"}
    assert {spec["conclude"] for spec in specs} == {"rm 6"}
    assert {tuple(spec["program"]["command"]) for spec in specs} == {("p", "{threads}")}


def test_what_is_done_around_the_runs_is_in_every_spec():
    around = {"warmup": 2, "cache": "warm", "census_ms": 0, "prepare": "a", "conclude": "b"}
    for spec in planned(asked(**around, setup="c", cleanup="d", baseline={"command": ["best"]})):
        assert {name: spec.get(name) for name in around} == around
        assert not {"setup", "cleanup", "hold", "skip"} & set(spec)


COUNTING = {"counters": ["instructions", "cpu/event=1,umask=2/"], "events": "/e.toml"}


def test_asked_together_counters_are_in_every_spec_those_of_controls_and_baseline_too():
    specs = planned(asked(**COUNTING, together=True, copies=True, baseline={"command": ["best"]}))
    assert {"copies", "baseline"} <= {spec["role"] for spec in specs}
    for spec in specs:
        assert {name: spec.get(name) for name in COUNTING} == COUNTING


def test_counters_count_in_runs_of_their_own():
    specs = planned(asked(**COUNTING, factors={"threads": [1, 2]}, blocks=2, copies=True, baseline={"command": ["b"]}))
    counting = [spec for spec in specs if "counters" in spec]
    timed = [spec for spec in specs if spec["role"] == "measure"]
    assert [spec["cell"] for spec in counting if spec["block"] == 1] != []
    assert sorted(str(spec["cell"]) for spec in counting) == sorted(str(spec["cell"]) for spec in timed)
    assert all("events" in spec and spec["role"] == "counting" for spec in counting)
    assert not any({"counters", "events"} & set(spec) for spec in planned(asked()))


def test_events_without_counters_are_refused():
    with pytest.raises(StudyError, match="events has no effect without counters"):
        planned(asked(events="/e.toml"))


def test_the_page_cache_may_be_a_factor():
    specs = planned(asked(factors={"threads": [1], "cache": ["cold", "warm"]}))
    assert {spec["cell"]["cache"] for spec in specs} == {"cold", "warm"}
    assert all(spec["cache"] == spec["cell"]["cache"] for spec in specs)


def test_a_step_has_no_level_that_the_baseline_does_not_name():
    study_spec = asked(factors={"size": [1]}, prepare="make {size}", baseline={"command": ["best"]})
    with pytest.raises(StudyError, match=r"prepare: \{size\} has no value for the baseline") as error:
        planned(study_spec)
    assert error.value.hint == "write {size} into the baseline as well, or leave it out here"


@pytest.mark.parametrize("step", ["prepare", "conclude", "baseline", "variable"])
@pytest.mark.parametrize("name", ["n", "bind"])
def test_a_baseline_has_no_weak_scaling_and_no_place(step, name):
    weak = {"argument": "n", "one_thread": 9, "power": 1}
    words = {"command": ["best", "{" + name + "}" if step == "baseline" else "{threads} {cpus}"]}
    words |= {"env": {"SIZE": "{" + name + "}"}} if step == "variable" else {}
    around = {step: "make {" + name + "}"} if step in ("prepare", "conclude") else {}
    study_spec = asked(factors={"bind": ["set"]}, weak=weak, baseline=words, **around)
    study_spec.program["command"] += ["{bind}", "{n}"]
    with pytest.raises(StudyError, match=f": {{{name}}} has no value for the baseline"):
        planned(study_spec)


def test_a_baseline_runs_at_each_level_that_it_names_and_occurs():
    words = {"command": ["best", "-n{size}"], "env": {"DATA": "/{file}/{threads}"}}
    factors = {"size": [1, 2], "file": ["a", "b"], "mode": ["x", "y"], "threads": [1]}
    left_out = [{"size": [2], "file": ["b"]}]
    study_spec = asked(factors=factors, prepare="make {size}", baseline=words, blocks=2, exclude=left_out)
    study_spec.program["command"] += ["{size}", "{file}", "{mode}"]
    serial = [spec for spec in planned(study_spec) if spec["role"] == "baseline"]
    assert len(serial) == 2 * 3
    found = {tuple(spec["cell"].items()): spec for spec in serial}
    assert set(found) == {(("size", n), ("file", name)) for n, name in ((1, "a"), (1, "b"), (2, "a"))}
    one = found[("size", 2), ("file", "a")]
    assert one["program"]["command"] == ["best", "-n2"]
    assert one["program"]["env"] == {"DATA": "/a/{threads}"}, "the runner knows the threads"
    assert one["prepare"] == "make 2"


def test_the_same_workload_as_baseline_does_the_same_work():
    best = {"workload": "mine", "args": {"graph": "rmat:9", "runtime": "serial", "order": "{order}"}}
    factors = {"graph": ["rmat:8", "rmat:9"], "order": ["id"], "plan": ["explore", "formula"], "threads": [1]}
    study_spec = StudySpec(name="q", program={"workload": "mine"}, factors=factors, baseline=best, blocks=1)
    serial = [spec for spec in planned(study_spec) if spec["role"] == "baseline"]
    cells = sorted((spec["cell"] for spec in serial), key=str)
    assert cells == [{"graph": graph, "order": "id"} for graph in ("rmat:8", "rmat:9")]
    assert {spec["program"]["params"]["graph"] for spec in serial} == {"rmat:8", "rmat:9"}
    assert all(spec["program"]["args"]["order"] == "id" for spec in serial)


@pytest.mark.parametrize("own", [{}, {"scale": "10"}, {"query": "q6"}])
def test_the_same_workload_as_baseline_takes_the_inputs_of_the_program(own):
    program = {"workload": "query", "args": {"scale": "10", "encoding": "plain"}}
    best = {"workload": "query", "args": {"runtime": "serial", **own}}
    study_spec = StudySpec(name="q", program=program, factors={"query": ["q1"]}, baseline=best, blocks=1)
    [made] = [spec["program"] for spec in planned(study_spec) if spec["role"] == "baseline"]
    assert made["args"] == {"scale": "10", "runtime": "serial", **own}
    assert made["params"] == {"query": "q1"}


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"scale": "1"}, "its scale is 1 and the program's is 10"),
        ({"repeat": "2"}, "its repeat is 2 and the program's is its default"),
    ],
)
def test_a_baseline_that_does_other_work_is_refused(own, said):
    program, best = ({"workload": "query", "args": args} for args in ({"scale": "10"}, own))
    study_spec = StudySpec(name="q", program=program, baseline=best, blocks=1)
    with pytest.raises(StudyError, match=said):
        planned(study_spec)
    planned(replace(study_spec, baseline={"command": ["best"]}))


def test_the_same_workload_as_baseline_does_the_work_of_one_thread_in_weak_scaling():
    program, best = ({"workload": "sumeuler", "args": args} for args in ({"n": "700"}, {"runtime": "serial"}))
    weak = {"argument": "n", "one_thread": 2000, "power": 1}
    study_spec = StudySpec(name="q", program=program, factors={"threads": [1, 2]}, weak=weak, baseline=best, blocks=1)
    made = {(spec["role"], spec["threads"]): spec["program"] for spec in planned(study_spec)}
    assert made["measure", 1]["params"] == {"n": "2000"}
    assert made["baseline", 1]["args"] == {"n": "2000", "runtime": "serial"}
    with pytest.raises(StudyError, match="its n is 700 and the program's is 2000, so their times cannot be compared"):
        planned(replace(study_spec, baseline=program))


def test_a_baseline_of_the_command_line_takes_inputs_that_it_does_not_name():
    kind = Baseline()
    assert "n" not in kind.from_words("sumeuler --runtime serial", "--baseline")["args"]
    for words in ("sumeuler --n 700 --runtime serial", "sumeuler --runtime serial --n=700"):
        args = kind.from_words(words, "--baseline")["args"]
        assert (args["n"], args["runtime"], args["chunk"]) == ("700", "serial", "100")
    # Some are told by their position.
    assert kind.from_words("query q1 --runtime serial", "--baseline")["args"]["query"] == "q1"
    args = kind.from_words("mine count rmat:8 --plan explore", "--baseline")["args"]
    assert (args["graph"], args["plan"]) == ("rmat:8", "explore")


def test_a_baseline_runs_once_for_each_level_of_an_input():
    factors = {"size": [1, 2], "env:DATA": ["a", "b"], "threads": [1, 2]}
    inputs = {"factors": factors, "inputs": ["size", "env:DATA"], "baseline": {"command": ["best"], "env": {"X": "1"}}}
    study_spec = asked(prepare="make {size}", blocks=1, **inputs)
    serial = [spec for spec in planned(study_spec) if spec["role"] == "baseline"]
    found = {(spec["cell"]["size"], spec["prepare"], spec["program"]["env"]["DATA"]) for spec in serial}
    assert found == {(size, f"make {size}", data) for size in (1, 2) for data in ("a", "b")}
    assert all(spec["program"]["env"]["X"] == "1" for spec in serial)


def test_a_baseline_that_does_the_same_for_every_input_is_refused():
    study_spec = asked(factors={"size": [1, 2]}, inputs=["size"], baseline={"command": ["best"]})
    study_spec.program["command"].append("{size}")
    with pytest.raises(StudyError, match=r"baseline: it does not mention \{size\}, whose levels are other work"):
        planned(study_spec)
    planned(replace(study_spec, baseline={"command": ["best", "{size}"]}))
    # A factor that is no input may be what is compared.
    planned(replace(study_spec, inputs=[]))


def test_a_width_that_cannot_end_the_study_is_refused():
    assert stopping.EARLIEST == EARLIEST
    with pytest.raises(StudyError, match="width has no effect: a study has 13 blocks before"):
        planned(asked(width=0.05, blocks=EARLIEST))
    planned(asked(width=0.05, blocks=EARLIEST + 1))


def test_nothing_is_built_for_a_baseline():
    study_spec = asked(factors={"cc": ["gcc"]}, build="make {cc}", baseline={"command": ["best"]})
    study_spec.program["command"].append("{cc}")
    assert builds(study_spec.build, planned(study_spec)) == ["make gcc"]


@pytest.mark.parametrize("name", ["baseline", "copies", "counting"])
def test_a_factor_may_have_the_name_of_a_role(name):
    specs = planned(StudySpec(name="q", program={"workload": "mine"}, factors={name: [1, 2], "threads": [1]}))
    assert {(spec["role"], spec["program"]["params"][name]) for spec in specs} == {("measure", "1"), ("measure", "2")}


def binds(study_spec: StudySpec) -> dict[tuple, str | None]:
    """Bind that is asked for in each cell, by placement, threads, and the level of the factor bind."""
    cells = ((spec["cell"], spec.get("bind")) for spec in planned(study_spec))
    return {(cell["placement"], cell["threads"], cell.get("bind")): bind for cell, bind in cells}


def test_threads_are_tied_as_asked_where_that_can_be():
    # The runner knows how they are pinned by default.
    assert (
        set(binds(asked()).values()) == set(binds(StudySpec(name="q", program={"workload": "mine"})).values()) == {None}
    )
    # One thread beyond all cpus has no cpu of its own, and with the kernel's placement no thread has one.
    each = {(("cores-close"), n, None) for n in (1, 2)}
    more = {"threads": [1, 2, 3]}
    assert {cell for cell, bind in binds(asked(bind="each", factors=more)).items() if bind == "each"} == each
    assert set(binds(asked(bind="each")).values()) == {"each", "set"}
    assert set(binds(StudySpec(name="q", program={"workload": "mine"}, bind="set")).values()) == {"set"}


def test_bind_as_a_factor_has_each_only_where_each_thread_has_a_cpu():
    found = binds(asked(factors={"bind": ["each", "set"]}))
    assert all(bind == level for (_, _, level), bind in found.items())
    assert {cell[:2] for cell, bind in found.items() if bind == "each"} == {("cores-close", 1), ("cores-close", 2)}
    assert len([cell for cell, bind in found.items() if bind == "set"]) == 4
    with pytest.raises(StudyError, match="no placement has a cpu for each thread"):
        planned(asked(factors={"bind": ["each"], "threads": [3]}))


def test_threads_are_left_out_of_places_where_there_are_places():
    specs = planned(asked(bind="each", skip=[0, 2]))
    assert {spec["bind"]: spec.get("skip") for spec in specs} == {"each": [0, 2], "set": None}


def test_copies_stay_on_the_set():
    controls = [spec for spec in planned(asked(bind="each", copies=True)) if spec["role"] == "copies"]
    assert {(spec["bind"], spec["threads"]) for spec in controls} == {("set", 2)}


@pytest.mark.parametrize(
    ("factors", "reason"),
    [
        ({"size": [1, 2]}, "bad factor: size: the command does not mention {size}"),
        ({"memory": ["far"]}, "unknown memory policy 'far'"),
        ({"memory": ["weighted-interleave"]}, "unknown memory policy 'weighted-interleave'"),
        ({"memory": ["bind:x"]}, "bad memory policy: 'bind:x': 'x' is not a list of nodes"),
        ({"memory": ["bind:3-1"]}, "bad memory policy: 'bind:3-1': '3-1' is not a list of nodes"),
        (
            {"memory": ["bind:0-9999999999"]},
            "bad memory policy: 'bind:0-9999999999': '0-9999999999' is not a list of nodes",
        ),
        ({"memory": ["bind:,"]}, "bad memory policy: 'bind:,': ',' is not a list of nodes"),
        ({"memory": ["preferred:0,1"]}, "bad memory policy: 'preferred:0,1': the kernel prefers one node"),
    ],
)
def test_a_factor_that_goes_nowhere_is_refused(factors, reason):
    with pytest.raises(StudyError) as error:
        planned(asked(factors=factors))
    assert str(error.value) == reason


def test_the_baseline_is_in_every_block_on_one_thread():
    specs = planned(asked(baseline={"command": ["best"]}, blocks=3))
    serial = [spec for spec in specs if spec["role"] == "baseline"]
    assert [spec["block"] for spec in serial] == [1, 2, 3]
    assert {(spec["threads"], tuple(spec["program"]["command"])) for spec in serial} == {(1, ("best",))}


@pytest.mark.parametrize("text", ["threads", "=1", "threads=", "threads=1,,2"])
def test_a_bad_factor_is_refused(text):
    with pytest.raises(StudyError, match="bad factor"):
        Factors().from_words([text], "--factor")


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("threads=1-4", [1, 2, 3, 4]),
        ("threads=1..64:*2", [1, 2, 4, 8, 16, 32, 64]),
        ("threads=1-3,8,cores", [1, 2, 3, 8, "cores"]),
        ("threads=1..cpus:*2,3", [3, "1..cpus:*2"]),
        ("threads=4..12:4", [4, 8, 12]),
        ("size=1..100:*10", [1, 10, 100]),
        ("placement=0-3;1-2", ["0-3", "1-2"]),
        ("env:RANGE=1-8", ["1-8"]),
    ],
)
def test_a_range_stands_for_its_numbers(text, levels):
    assert Factors().from_words([text], "--factor") == {text.partition("=")[0]: levels}


@pytest.mark.parametrize(
    ("levels", "counts"),
    [
        (["1..cpus:*2"], [1, 2, 4, 8]),
        (["1-cores"], [1, 2, 3, 4]),
        ([3, "2..cores", "cpus"], [2, 3, 4, 8]),
        (["cores", "3..cpus:+4"], [3, 4, 7]),
    ],
)
def test_a_range_may_end_in_the_cores_or_cpus_that_are_allowed(levels, counts):
    here = machine(16)
    here["cores"] = [{"id": i, "socket": 0, "node": 0, "cpus": [i, i + 8]} for i in range(8)]
    here["allowed"]["cpus"] = [0, 1, 2, 3, 8, 9, 10, 11]
    cells = cells_of(asked(factors={"threads": levels, "placement": ["none"]}), here, Placements({"none": None}))
    assert [cell["threads"] for cell in cells] == counts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("threads=8-1", "the range '8-1' runs backwards"),
        ("threads=1..8:*1", "never ends"),
        ("threads=0..8:*2", "never ends"),
        ("threads=1..8:0", "never ends"),
        ("threads=1..cpus:*1", "never ends"),
        ("threads=0..cores:*2", "0 is not a number of threads"),
        ("threads=1-9999", "more than 1000 numbers"),
        ("threads=1-4,2", "the level 2 comes twice"),
        ("threads=0-2", "0 is not a number of threads"),
    ],
)
def test_a_range_that_makes_no_sense_is_refused(text, reason):
    with pytest.raises(StudyError) as error:
        Factors().from_words([text], "--factor")
    assert reason in str(error.value)
    assert error.value.hint


@pytest.mark.parametrize("text", ["threads=0", "threads=x", "threads=1,1"])
def test_bad_levels_are_refused(text):
    with pytest.raises(StudyError):
        Factors().from_words([text], "--factor")


def test_workloads_are_a_factor_each_with_its_own_arguments_and_phase():
    program = {"workload": {"heat": {"rows": "64"}, "cilksort": {}}, "args": {"runtime": "near"}, "directory": "/"}
    study_spec = StudySpec(name="q", program=program, phases={"heat": "steps", "cilksort": "sort"}, blocks=1)
    specs = planned(study_spec, placements=Placements({"cores-close": [0, 1]}))
    assert {spec["cell"]["workload"] for spec in specs} == {"heat", "cilksort"}
    for spec in specs:
        name = spec["cell"]["workload"]
        own = {"rows": "64"} if name == "heat" else {}
        assert spec["program"] == {"workload": name, "args": {"runtime": "near"} | own, "directory": "/"}
        assert spec["metric"] == {"phase": {"heat": "steps", "cilksort": "sort"}[name]}


def test_a_workload_that_the_program_does_not_have_is_refused():
    program = {"workload": {"heat": {}}, "directory": "/"}
    with pytest.raises(StudyError, match="workload: the program has no workload lace"):
        planned(StudySpec(name="q", program=program, factors={"workload": ["heat", "lace"]}))


def test_a_workload_level_of_a_command_is_a_word_like_others():
    study_spec = StudySpec(
        name="q", program={"command": ["p", "{workload}"], "directory": "/"}, factors={"workload": ["a", "b"]}
    )
    assert {spec["program"]["command"][1] for spec in planned(study_spec)} == {"a", "b"}


def test_what_is_excluded_is_not_run():
    excluded = [{"placement": "none", "threads": [1, 3]}, {"threads": 2}]
    study_spec = asked(exclude=excluded, blocks=1, factors={"threads": [1, 2, 3]})
    cells = [spec["cell"] for spec in planned(study_spec)]
    found = sorted((cell["placement"], cell["threads"]) for cell in cells)
    assert found == [("cores-close", 1), ("cores-close", 3)]


@pytest.mark.parametrize(
    ("excluded", "reason"),
    [
        ({"placement": "moon"}, "placement=moon: the study has no such level"),
        ({"colour": "red"}, "colour=red: the study has no such level"),
        ({"threads": [1, 2]}, "nothing is left to run"),
    ],
)
def test_an_exclusion_of_nothing_or_everything_is_refused(excluded, reason):
    with pytest.raises(StudyError, match=reason):
        planned(asked(exclude=[excluded]))


def test_a_pair_is_run_one_after_the_other_and_turned_around_in_the_next_block():
    study_spec = asked(factors={"env:X": ["a", "b"], "threads": [1, 2]}, pair="env:X", blocks=4)
    specs = planned(study_spec)
    for block in range(1, 5):
        cells = [spec["cell"] for spec in specs if spec["block"] == block]
        pairs = list(zip(cells[::2], cells[1::2], strict=True))
        assert len(pairs) == 4
        for first, second in pairs:
            assert {k: v for k, v in first.items() if k != "env:X"} == {k: v for k, v in second.items() if k != "env:X"}
            assert [first["env:X"], second["env:X"]] == (["a", "b"] if block % 2 else ["b", "a"])


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"pair": "env:X"}, "pair: env:X is not a factor of this study"),
        ({"inputs": ["file"]}, "inputs: file is not a factor of this study"),
        ({"pair": "env:X", "factors": {"env:X": ["a", "b", "c"]}}, "pair: env:X has 3 levels"),
        (
            {"weak": {"argument": "threads2", "one_thread": 1, "power": 1}, "factors": {"threads2": [1, 2]}},
            "weak: threads2 grows with the threads, so it cannot be a factor",
        ),
        ({"weak": {"argument": "n", "one_thread": 1, "power": 1}, "copies": True}, "weak and copies"),
        ({"together": True}, "together has no effect without counters"),
    ],
)
def test_designs_that_contradict_themselves_are_refused(more, reason):
    with pytest.raises(StudyError, match=reason):
        planned(asked(**more))


def test_weak_scaling_ties_the_size_to_the_threads():
    weak = {"argument": "n", "one_thread": 100, "power": 1}
    command = {"command": ["p", "{threads}", "{n}"], "directory": "/"}
    three = {"threads": [1, 2, 3]}
    specs = planned(StudySpec("q", command, weak=weak, factors=three))
    sizes = {spec["threads"]: spec["program"]["command"][2] for spec in specs}
    assert sizes == {1: "100", 2: "200", 3: "300"}
    cubed = {"argument": "n", "one_thread": 100, "power": 3}
    specs = planned(StudySpec("q", {"workload": "matmul", "directory": "/"}, weak=cubed, factors=three))
    assert {spec["threads"]: spec["program"]["params"]["n"] for spec in specs} == {1: "100", 2: "126", 3: "144"}


def test_a_size_that_grows_reaches_the_steps_around_a_run():
    study_spec = asked(
        weak={"argument": "n", "one_thread": 100, "power": 1},
        prepare="gen {n} {cpus}",
        conclude="rm {n}",
        factors={"threads": [1, 2, 3]},
    )
    steps = {spec["threads"]: (spec["prepare"], spec["conclude"]) for spec in planned(study_spec)}
    assert steps == {n: (f"gen {100 * n} {{cpus}}", f"rm {100 * n}") for n in (1, 2, 3)}


def test_a_size_that_grows_has_to_reach_the_command():
    with pytest.raises(StudyError, match="n: the command does not mention"):
        planned(asked(weak={"argument": "n", "one_thread": 1, "power": 1}))


def test_a_plan_says_which_placements_are_the_same_here():
    both = {"cores-close": [0, 1], "threads-close": [0, 1], "cores-spread": [1, 0], "none": None}
    levels = {"threads": [1, 2], "placement": [*both]}
    study_spec = asked(factors=levels)
    said = summary(study_spec, planned(study_spec, placements=Placements(both)))
    same = [line.strip() for line in said.splitlines() if "same cpus" in line]
    assert same == ["threads-close puts threads on the same cpus here as cores-close: one of them is enough"]
