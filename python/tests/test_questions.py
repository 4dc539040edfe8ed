"""Runs that explain the loss: what each changes, which are wanted, and how they join a running study."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import machine, record
from told import Made, evidence_of, runs

from knee.explain.asking.wanted import BLOCKS, Left, wanted
from knee.store import Folder, write_whole
from knee.study.design.cells import cells_of
from knee.study.design.placements import Placements
from knee.study.design.plan import run_specs
from knee.study.questions.questions import QUESTIONS, asking
from knee.study.questions.seats import Seats
from knee.study.run import asking as run_asking
from knee.study.run import trust
from knee.study.run.asking import Block
from knee.study.run.create import create
from knee.study.spec import StudySpec
from knee.verbs.between.questions import asks

WHOLE = {"cores-close": list(range(8))}


def spec_of(threads: int) -> dict:
    places, here = Placements(WHOLE), machine(8)
    study = StudySpec(
        name="s", program={"command": ["p", "{threads}"]}, factors={"threads": [threads], "placement": ["cores-close"]}
    )
    return run_specs(study, cells_of(study, here, places), places, here)[0]


def test_each_question_changes_one_thing():
    spec = spec_of(4)
    by_name = {one.name: asking(one, spec, machine(8)) for one in QUESTIONS}
    assert by_name["one cpu"]["cpus"] == [0]
    assert (by_name["twice the threads"]["threads"], by_name["twice the threads"]["cpus"]) == (8, spec["cpus"])
    assert by_name["copies"]["program"]["command"][-1] == "1"
    assert (by_name["switches"]["cpus"], by_name["switches"]["threads"]) == (spec["cpus"], 4)
    beside = by_name["stream beside"]
    assert (beside["threads"], beside["cpus"]) == (1, [0])
    assert beside["beside"] == [{"workload": "stream", "cpus": [1, 2, 3]}], "all others of the node"
    assert by_name["busy cores beside"]["beside"] == [{"workload": "spin", "cpus": [1, 2, 3]}]
    assert all(one["cell"] == spec["cell"] and one["test"] == name for name, one in by_name.items())


def test_the_sampler_stays_off_cpus_that_are_taken():
    for question in QUESTIONS:
        spec = asking(question, spec_of(4), machine(8))
        taken = {*spec["cpus"], *(cpu for one in spec.get("beside", []) for cpu in one["cpus"])}
        assert spec.get("sampler_cpu") not in taken


def copies(_cell: object, name: str) -> bool:
    return name == "copies"


def names(made: list, block: int, blocks: int = 8, share: float = 1.0, testable=copies) -> list[str]:
    return [one.name for one in wanted(made, 2, Left(block, blocks, share, testable))]


WAITS = Made(0.75, 1.0, {"one": 0.5})
GROWS = Made(0.75, 1.5)
BASE = Made(1.0, 1.0)


def test_nothing_is_asked_before_the_first_answer():
    assert names(runs(BASE, WAITS, blocks=2), 3) == []
    assert names(runs(BASE, WAITS, blocks=3), 4) != []


def test_nothing_is_asked_where_there_is_nothing_to_explain():
    assert names(runs(BASE, Made(0.505, 1.01), blocks=3), 4) == []


def test_where_threads_wait_it_is_asked_what_for_and_where_cpu_time_grows_why():
    assert names(runs(BASE, WAITS, blocks=3), 4) == ["one cpu", "twice the threads", "switches"]
    assert names(runs(BASE, GROWS, blocks=3), 4) == ["copies", "twice the threads"]
    grown = {"copies": BASE, "twice the threads": GROWS}
    grown["copies"] = Made(1.0, 2.0)
    assert "one cpu" in names(runs(BASE, GROWS, grown, blocks=3), 4, 12), "copies do not grow, so the program does"
    more = names(runs(BASE, GROWS, grown, blocks=3), 4, 12, testable=lambda _, name: name in ("copies", "hot spots"))
    assert more == ["one cpu", "hot spots"], "and at which instructions"


def test_a_setting_is_changed_where_the_program_has_one():
    def asked(many) -> list[str]:
        made = runs(BASE, replace(many, sleeps=1000), blocks=3)
        return names(made, 4, testable=lambda _, cause: cause in ("garbage collection", "copies"))

    assert asked(WAITS) == ["one cpu", "twice the threads", "garbage collection", "switches"]
    assert asked(GROWS)[:3] == ["copies", "one cpu", "garbage collection"]


def test_a_collector_that_wakes_no_thread_is_not_asked_about():
    for many in (WAITS, GROWS):
        made = runs(BASE, replace(many, sleeps=100), blocks=3)
        assert "garbage collection" not in names(made, 4, 20, testable=lambda _, cause: cause == "garbage collection")


def test_a_collector_that_hardly_computes_is_not_asked_about():
    def asked(collector: float) -> bool:
        made = runs(BASE, replace(WAITS, collector=collector), blocks=3)
        return "garbage collection" in names(made, 4, testable=lambda _, cause: cause == "garbage collection")

    assert asked(0.1)
    assert not asked(0.001)


def test_whose_lock_it_is_comes_before_how_threads_were_idle():
    tests = {"one cpu": replace(BASE, sleeps=4), "twice the threads": WAITS}

    def asked(sleeps: int) -> list[str]:
        made = runs(BASE, replace(WAITS, sleeps=sleeps), tests, blocks=4)
        return names(made, 5, 12, share=3, testable=lambda _, cause: cause == "allocator")

    often = asked(4000)
    assert often.index("allocator") < often.index("switches")
    assert "allocator" not in asked(4)


def test_waits_for_a_disk_are_asked_about_before_other_settings():
    tests = {"one cpu": replace(BASE, sleeps=900), "twice the threads": WAITS}

    def asked(disk: float) -> list[str]:
        made = runs(BASE, replace(WAITS, sleeps=4000, disk=disk), tests, blocks=4)
        return names(made, 5, 12, share=3, testable=lambda _, cause: cause in ("allocator", "I/O"))

    often = asked(0.3)
    assert often.index("I/O") < often.index("allocator")
    assert "I/O" not in asked(0.01)


@pytest.mark.parametrize(("waits", "asked"), [(40, False), (20, True)])
def test_threads_of_an_interpreter_that_sleep_in_the_kernel_may_wait_for_pages(waits, asked):
    lock = {"pid": 7, "address": "0x7f00", "waits": waits, "timed": waits, "threads": 2}
    futex = {"asleep": 41, "waits": waits, "timed": waits, "hottest": [lock]}
    many = replace(WAITS, sleeps=4000, faults=200_000, system=0.2, futex=futex)
    tests = {"one cpu": replace(BASE, sleeps=4), "twice the threads": many}
    made = runs(BASE, many, tests, blocks=4, mapped={"programs": [], "libraries": ["libpython3.11.so.1.0"]})
    found = names(made, 5, 12, share=3, testable=lambda _, cause: cause in ("allocator", "page faults"))
    assert ("page faults" in found) is asked
    assert "allocator" not in found


def test_runs_that_are_left_go_to_a_setting_that_does_not_tell_yet():
    many = replace(WAITS, sleeps=4000)
    other = "allocator: another one"
    tests = {"one cpu": replace(BASE, sleeps=4), "twice the threads": WAITS, "switches": many}
    made = runs(BASE, many, tests | {other: many, f"{other}, base": BASE}, blocks=7, noise=0.1)
    assert names(made, 8, share=9, testable=lambda _, cause: cause == "allocator")[0] == "allocator"


def test_the_machine_is_asked_about_only_if_copies_slow_down():
    slow, calm = ({"one cpu": BASE, "copies": Made(one, 2 * one), "twice the threads": GROWS} for one in (1.4, 1.0))
    beside = ["busy cores beside", "pirate beside", "stream beside"]

    def asked(tests: dict) -> list[str]:
        made = runs(BASE, GROWS, tests, blocks=5)
        of_all = names(made, 6, 12, share=3, testable=lambda _, name: name in ("copies", *beside))
        return [name for name in of_all if name in beside and name not in tests]

    # One after the other, each unless one before has explained it.
    assert asked(calm) == []
    assert asked(slow) == beside[:1]
    assert asked({**slow, beside[0]: BASE}) == beside[1:2]
    assert asked({**slow, beside[0]: BASE, beside[1]: BASE}) == beside[2:]
    assert asked({**slow, beside[0]: Made(1.4, 1.4)}) == []


def big(sockets: int = 2, cores: int = 4) -> dict:
    """A machine of sockets with a node and a cache each, and two cpus a core."""
    whole = sockets * cores
    return {
        "cores": [{"id": n, "socket": n // cores, "node": n // cores, "cpus": [n, n + whole]} for n in range(whole)],
        "caches": [
            {"level": 3, "size_bytes": 10_000, "cpus": [*range(s * cores, (s + 1) * cores)]} for s in range(sockets)
        ],
        "allowed": {"cpus": list(range(2 * whole))},
    }


def test_questions_about_cores_and_nodes_are_asked_where_threads_have_several():
    by_name = {one.name: one for one in QUESTIONS}
    one_socket, cores, every = (Seats(tuple(range(n)), big()) for n in (4, 8, 16))
    fits = {name: [by_name[name].fits(seats) for seats in (one_socket, cores, every)] for name in by_name}
    assert fits["copies on cores"] == [False, False, True]
    assert fits["copies with spread memory"] == fits["interleaved memory"] == [False, True, True]
    assert fits["one cpu"] == [True, True, True]
    spec = {**spec_of(4), "threads": 16, "cpus": list(range(16))}
    on_cores = asking(by_name["copies on cores"], spec, big())
    assert (on_cores["threads"], on_cores["cpus"]) == (8, list(range(8)))
    spread = asking(by_name["copies with spread memory"], spec, big())
    assert spread["memory"] == {"policy": "interleave", "nodes": [0, 1]}
    # One thread keeps the share of its cache that it has when all four of its socket run.
    pirate = asking(by_name["pirate beside"], spec, big())
    assert pirate["beside"] == [{"workload": "pirate", "cpus": [1, 2, 3], "bytes": 7_500}]


def test_a_question_whose_runs_fail_is_not_asked_a_third_time():
    made = runs(BASE, GROWS, {"copies": Made(1.0, 2.0)}, blocks=3)
    for failing, asked in ((1, True), (2, False)):
        bad = [one for one in made if one.spec.get("test") == "copies"][:failing]
        others = [one for one in made if one.spec.get("test") != "copies"]
        failed = [replace(one, bad="exit status 1") for one in bad]
        assert ("copies" in names([*others, *failed], 4)) == asked
    found = evidence_of(BASE, GROWS)
    assert found.failed == {}


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 1.0])
def test_questions_take_at_most_their_share_of_the_time(share):
    for many in (WAITS, GROWS):
        asked = names(runs(BASE, many, blocks=3), 4, share=share)
        cost = {"one cpu": max(1.0, many.cpu), "copies": 1.0, "twice the threads": 0.75, "switches": 0.75}
        assert BLOCKS * sum(cost[name] for name in asked) <= share * 8 * (1 + 0.75) * 1.01
    assert names(runs(BASE, WAITS, blocks=3), 4, share=0.1) == []


def test_a_question_that_cannot_be_asked_three_times_is_not_asked():
    assert names(runs(BASE, WAITS, blocks=6), 7, share=10) == []


def test_questions_come_in_time_where_a_budget_ends_the_study(tmp_path, monkeypatch):
    places, here = Placements(WHOLE), machine(8)
    study = StudySpec(
        name="s",
        program={"command": ["true", "{threads}"]},
        factors={"threads": [1, 4], "placement": ["cores-close"]},
        blocks=12,
        explain=1.0,
        budget_s=50.0,
    )
    plan = run_specs(study, cells_of(study, here, places), places, here)
    made = create(tmp_path / "study", study.to_toml(), json.dumps(here), plan)
    of_three = [spec for spec in plan if spec["block"] <= 3]
    starts = [f"2026-01-01T00:00:{2 * at:02d}.000Z" for at in range(len(of_three))]
    lines = [record(one["id"], one["block"], 1.5, 1.5, start=at) for one, at in zip(of_three, starts, strict=True)]
    made.records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told: list[Left] = []
    monkeypatch.setattr("knee.explain.asking.wanted.wanted", lambda _runs, _cpus, left: told.append(left) or [])
    ask = asks(made)
    assert ask is not None
    ask(4)
    # Two seconds for each run and the gap after it, so a block takes about four, and questions as long again.
    assert [(left.block, left.blocks) for left in told] == [(4, 6)]


@pytest.fixture
def folder(tmp_path) -> Folder:
    return _planned(tmp_path, [1, 4, 8])


def _planned(tmp_path: Path, threads: list[int]) -> Folder:
    places, here = Placements(WHOLE), machine(8)
    study = StudySpec(
        name="s",
        program={"command": ["true", "{threads}"]},
        factors={"threads": threads, "placement": ["cores-close"]},
        blocks=3,
    )
    plan = run_specs(study, cells_of(study, here, places), places, here)
    return create(tmp_path / "study", study.to_toml(), json.dumps(here), plan)


def test_questions_join_a_block_that_has_not_begun(folder):
    before = folder.read_plan()
    cell = next(spec["cell"] for spec in before if spec["threads"] == 8)
    assert Block(folder, 2).add([(cell, "one cpu"), (cell, "copies")]) == 2
    after = folder.read_plan()
    assert [spec for spec in after if "test" not in spec] == before, "the runs of the design keep their order"
    asked = [spec for spec in after if "test" in spec]
    assert {(spec["test"], spec["block"]) for spec in asked} == {("one cpu", 2), ("copies", 2)}
    assert [spec["block"] for spec in after] == sorted(spec["block"] for spec in after)
    assert len({spec["id"] for spec in after}) == len(after)
    assert Block(folder, 2).begun, "they are added once"
    assert not Block(folder, 3).begun


def test_a_study_that_is_killed_as_its_questions_are_written_is_still_this_users(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def killed(path: Path, text: str) -> None:
        write_whole(path, text)
        raise KeyboardInterrupt

    monkeypatch.setattr(run_asking, "write_whole", killed)
    cell = next(spec["cell"] for spec in folder.read_plan() if spec["threads"] == 8)
    with pytest.raises(KeyboardInterrupt):
        Block(folder, 2).add([(cell, "one cpu")])
    assert any("test" in spec for spec in folder.read_plan())
    trust.check(folder, trusted=False)


@pytest.mark.parametrize(("wall_s", "limit_s"), [(2.0, 8.0), (0.1, 1.0), (1e6, 600.0)])
def test_a_question_ends_long_after_the_runs_of_the_study_do(folder, wall_s, limit_s):
    plan = folder.read_plan()
    one = next(spec for spec in plan if spec["block"] == 1)
    assert one["timeout_s"] == 600.0
    write_whole(folder.records, json.dumps(record(one["id"], 1, wall_s, wall_s)) + "\n")
    Block(folder, 2).add([(next(spec["cell"] for spec in plan if spec["threads"] == 8), "twice the threads")])
    assert [spec["timeout_s"] for spec in folder.read_plan() if "test" in spec] == [limit_s]


def test_a_base_of_several_threads_may_have_to_share_a_cpu(tmp_path):
    folder = _planned(tmp_path, [4, 8])
    one = next(spec for spec in folder.read_plan() if spec["block"] == 1)
    write_whole(folder.records, json.dumps(record(one["id"], 1, 2.0, 8.0)) + "\n")
    Block(folder, 2).add([(next(spec["cell"] for spec in folder.read_plan() if spec["threads"] == 8), "one cpu")])
    assert [spec["timeout_s"] for spec in folder.read_plan() if "test" in spec] == [32.0]


def test_where_cpu_time_grows_is_sampled_on_all_threads_and_on_those_of_the_base(folder):
    cell = next(spec["cell"] for spec in folder.read_plan() if spec["threads"] == 8)
    assert Block(folder, 2).add([(cell, "hot spots")]) == 2
    many, base = sorted((spec for spec in folder.read_plan() if "test" in spec), key=lambda spec: -spec["threads"])
    assert (many["test"], many["threads"], many["hotspots"]) == ("hot spots", 8, True)
    assert (base["test"], base["threads"], base["hotspots"]) == ("hot spots, base", 1, True)
    assert len(base["cpus"]) == 1
    assert base["cell"] == many["cell"] == cell, "both explain the same thread count"


def test_a_block_has_begun_with_its_first_record(folder):
    first, second = (next(spec for spec in folder.read_plan() if spec["block"] == block) for block in (2, 3))
    write_whole(folder.records, json.dumps(record(first["id"], 2, 1.0, 1.0)) + "\n")
    assert (Block(folder, first["block"]).begun, Block(folder, second["block"]).begun) == (True, False)


def test_copies_are_not_asked_about_where_they_would_not_compare(folder):
    cell = next(spec["cell"] for spec in folder.read_plan() if spec["threads"] == 8)
    assert Block(folder, 2).testable(cell, "copies")
    study = folder.path / "study.toml"
    before = study.read_text()
    study.write_text(before.replace("[design]", "[design]\ncopies = false"))
    assert not Block(folder, 2).testable(cell, "copies")
    assert Block(folder, 2).testable(cell, "one cpu")
    study.write_text(before)
    # Eight copies of a program that needs a tenth of the memory need more than half of it.
    base = next(spec for spec in folder.read_plan() if spec["threads"] == 1)
    made = record(base["id"], 1, 1.0, 1.0)
    made["rusage"]["max_rss_bytes"] = sum(node["memory_bytes"] for node in machine(8)["nodes"]) // 10
    write_whole(folder.records, json.dumps(made) + "\n")
    assert not Block(folder, 2).testable(cell, "copies")


def test_a_probe_is_not_asked_where_its_threads_would_share_cpus(folder):
    plan = [spec | {"program": {"workload": "latency", "args": {}, "directory": "/"}} for spec in folder.read_plan()]
    write_whole(folder.plan, "".join(json.dumps(spec) + "\n" for spec in plan))
    cell = next(spec["cell"] for spec in plan if spec["threads"] == 8)
    fits = {name: Block(folder, 2).testable(cell, name) for name in ("copies", "one cpu", "twice the threads")}
    assert fits == {"copies": False, "one cpu": False, "twice the threads": False}
    assert Block(folder, 2).testable(cell, "switches")


def test_pairs_stay_together(tmp_path):
    places, here = Placements(WHOLE), machine(8)
    study = StudySpec(
        name="s",
        program={"command": ["true", "{threads}", "{size}"]},
        factors={"threads": [1, 8], "placement": ["cores-close"], "size": [1, 2]},
        blocks=3,
        pair="size",
    )
    plan = run_specs(study, cells_of(study, here, places), places, here)
    made = create(tmp_path / "pairs", study.to_toml(), json.dumps(here), plan)
    cell = next(spec["cell"] for spec in plan if spec["threads"] == 8)
    for block in (1, 2, 3):
        Block(made, block).add([(cell, "one cpu"), (cell, "copies"), (cell, "twice the threads")])
        inside = [spec for spec in made.read_plan() if spec["block"] == block]
        at = [(number, spec["threads"]) for number, spec in enumerate(inside) if "test" not in spec]
        for threads in (1, 8):
            one, two = (number for number, count in at if count == threads)
            assert two == one + 1


def test_copies_that_do_not_tell_yet_are_asked_again_before_what_slows_them():
    beside = ("busy cores beside", "pirate beside", "stream beside")

    def asked(noise: float) -> list[str]:
        tests = {"copies": Made(1.3, 2.6), "twice the threads": GROWS, "one cpu": BASE}
        made = runs(BASE, GROWS, tests, blocks=3, noise=noise)
        return names(made, 4, 12, share=3, testable=lambda _, name: name in ("copies", *beside))

    assert asked(0.001)[0] == "busy cores beside"
    assert asked(0.3)[0] == "copies"
