"""The made-up machine plays by the rules of hardware: known cases, and what each intervention takes away."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up.drawn import PLANTED, drawn
from made_up.machine import Machine
from made_up.noise import Noise
from made_up.others import Others
from made_up.play import Course, play
from made_up.program import Program
from made_up.speeds import Running, speeds
from made_up.waits import waits
from made_up.write import SAMPLE_S, record

BARE = Program(issue=0.4, memory=0.0, read_gbs=0.0, footprint_mib=0.0)


def topology(sockets: int, cores: int, siblings: int) -> dict[str, Any]:
    """A machine with a node and a last-level cache for each socket; siblings are numbered after all cores."""
    whole = sockets * cores
    made = [
        {
            "id": core,
            "socket": core // cores,
            "node": core // cores,
            "cpus": [core + s * whole for s in range(siblings)],
        }
        for core in range(whole)
    ]
    groups = [[cpu for core in made if core["socket"] == s for cpu in core["cpus"]] for s in range(sockets)]
    return {
        "cores": made,
        "nodes": [{"id": s, "cpus": cpus, "distances": [10 if s == o else 20 for o in range(sockets)]}
                  for s, cpus in enumerate(groups)],
        "caches": [{"level": 3, "size_bytes": 16 << 20, "cpus": cpus} for cpus in groups],
        "allowed": {"cpus": list(range(whole * siblings))},
    }  # fmt: skip


MACHINE = Machine(topology(2, 4, 2), smt_cost=0.0)


def run(what: Program, threads: int, machine: Machine = MACHINE, **more: Any) -> Course:
    spec = {"threads": threads, "cpus": list(range(threads)), "program": {"command": ["p"]}} | more
    return play(machine, what, spec)


def cpu_s(course: Course) -> float:
    return sum(thread.cpu_s for thread in course.threads)


def test_a_bare_program_scales_to_every_core():
    assert run(BARE, 8).wall_s == pytest.approx(BARE.work_s / 8)
    # Two siblings with 0.4 of the issue slots each share a core without loss, with 0.8 they do not.
    assert run(BARE, 16).wall_s == pytest.approx(BARE.work_s / 16)
    assert run(replace(BARE, issue=0.8), 16).wall_s == pytest.approx(1.6 * BARE.work_s / 16)


def test_a_serial_part_follows_amdahl():
    assert run(replace(BARE, serial=0.25), 8).wall_s == pytest.approx(10 * (0.25 + 0.75 / 8))


def test_tasks_go_up_in_steps():
    walls = [run(replace(BARE, tasks=6), n).wall_s for n in (1, 2, 3, 4, 5, 6, 7)]
    assert walls == pytest.approx([10 * math.ceil(6 / n) / 6 for n in (1, 2, 3, 4, 5, 6, 7)])


def test_memory_is_shared_fairly_below_the_limit_of_a_node():
    machine = replace(MACHINE, node_gbs=10)
    reading = [Running(cpu, replace(BARE, read_gbs=gbs), {0: 1.0}) for cpu, gbs in enumerate((1, 4, 8))]
    found = speeds(machine, reading)
    # Speeds are equal until the node is full.
    assert found == pytest.approx([10 / 13] * 3)
    assert run(replace(BARE, read_gbs=10), 4, machine).wall_s == pytest.approx(
        run(replace(BARE, read_gbs=10), 1).wall_s
    )


def test_a_far_node_is_slower():
    near, far = (speeds(MACHINE, [Running(0, replace(BARE, memory=0.5), {node: 1.0})]) for node in (0, 1))
    assert (near, far) == ([1.0], [pytest.approx(1 / 1.5)])


def test_waiting_is_that_of_a_closed_network():
    # With one thread nobody waits; with many the lock is the limit.
    assert waits({"lock": 0.2}, 1)["lock"] == pytest.approx(0)
    assert waits({"lock": 0.2}, 50)["lock"] == pytest.approx(50 * 0.2 - 1, rel=1e-6)
    # Exactly: two customers, by balance of the three states.
    think, serve = 0.8, 0.2
    states = [1, 2 * serve / think, 2 * (serve / think) ** 2]
    rate = (1 - states[0] / sum(states)) / serve
    assert waits({"lock": serve}, 2)["lock"] == pytest.approx(2 / rate - 1)


@pytest.mark.parametrize(
    ("field", "one_cpu", "copies"),
    [
        ("growth", True, False),
        ("duplicated", False, False),
        ("false_sharing", False, False),
        ("read_gbs", False, True),
        ("footprint_mib", True, True),
    ],
)
def test_interventions_take_cpu_time_away(field, one_cpu, copies):
    value = {"growth": 0.2, "duplicated": 0.2, "false_sharing": 0.5, "read_gbs": 10, "footprint_mib": 8}[field]
    program = replace(BARE, **{field: value})
    machine = replace(MACHINE, node_gbs=16)
    one = cpu_s(run(program, 1, machine))
    assert cpu_s(run(program, 4, machine)) > 1.1 * one
    there = cpu_s(run(program, 4, machine, cpus=[0], role="one-cpu")) > 1.1 * one
    # The cache holds what runs at the moment.
    assert there == (one_cpu and field != "footprint_mib")
    assert (run(program, 4, machine, role="copies").wall_s > 1.1 * one) == copies


def test_waiters_sleep_or_spin():
    asleep, spinning = run(replace(BARE, lock=0.4), 4), run(replace(BARE, spin=0.4), 4)
    assert asleep.wall_s == pytest.approx(spinning.wall_s)
    assert cpu_s(asleep) == pytest.approx(BARE.work_s)
    assert cpu_s(spinning) > 1.3 * BARE.work_s


@pytest.mark.parametrize("threads", [1, 3, 8, 16])
@pytest.mark.parametrize("field", ["serial", "imbalance", "lock", "spin", "interpreter", "collector", "allocator"])
def test_every_second_of_every_thread_is_accounted_for(field, threads):
    course = run(replace(BARE, **{field: 0.3}), threads)
    for thread in course.threads:
        lived = thread.cpu_s + thread.ready_s + thread.asleep_s + thread.disk_s
        if not thread.name:
            assert lived == pytest.approx(course.wall_s)
    assert sum(course.at_once.values()) == pytest.approx(course.wall_s)


def test_a_quota_limits_the_cpus():
    course = run(BARE, 8, replace(MACHINE, quota_cpus=2.0))
    assert course.wall_s == pytest.approx(BARE.work_s / 2)
    assert course.throttled_s > 0


def test_variables_help():
    program = replace(BARE, allocator=0.4, helps={"LD_PRELOAD": {"allocator": 0.0}})
    helped = {"command": ["p"], "env": {"LD_PRELOAD": "other.so"}}
    assert run(program, 4, program=helped).wall_s < 0.9 * run(program, 4).wall_s


def test_a_program_beside_takes_bandwidth():
    program, machine = replace(BARE, read_gbs=4), replace(MACHINE, node_gbs=12)
    stream = [{"workload": "stream", "cpus": [1, 2]}]
    assert run(program, 1, machine, beside=stream).wall_s > 1.3 * run(program, 1, machine).wall_s


def test_a_sample_is_taken_in_each_period_however_short_the_run():
    # Of 8 threads that wait for a lock now and then, each number is ready for a few hundredths of a second.
    course = run(replace(BARE, work_s=1.0, lock=0.1), 8)
    samples = course.wall_s / SAMPLE_S
    assert len([seconds for seconds in course.at_once.values() if seconds > 0]) == 9
    for first in (0.0, 0.3, 0.99):
        spec = {"id": f"{first}", "block": 1, "threads": 8}
        ready = record(spec, course, 1.0, MACHINE, switches=False)["sampling"]["ready"]
        assert sum(ready) == pytest.approx(samples, abs=1)


def test_noise_is_the_same_for_the_same_run():
    noise = Noise(block=0.02, run=0.02, outliers=0.1, seed="1")
    assert noise.factor(1, 5, "0001") == noise.factor(1, 5, "0001") != noise.factor(1, 5, "0002")


def test_drawn_instances_cost_what_they_say(shared: Path, binary: str):
    instances = [drawn(number, shared / "topologies/xml", binary) for number in range(60)]
    assert {cause for one in instances for cause in one.causes} >= PLANTED.keys()
    assert sum(not one.causes for one in instances) == 10
    for one in instances:
        # Every cause costs something, and nothing else costs much.
        assert all(cost > 0 for cost in one.truth.values()), (one.number, one.truth)
        rest = one.loss - sum(one.truth.values())
        assert -0.05 < rest < 0.15 + one.program.unnamed * math.log(one.counts[-1]), (one.number, rest)


@pytest.mark.parametrize("everywhere", [True, False])
def test_another_program_takes_half_of_a_cpu_that_the_run_wants(everywhere):
    spec = {"threads": 4, "cpus": [0, 1, 2, 3], "program": {"command": ["p"]}, "id": "1", "block": 1}
    alone = record(spec, play(MACHINE, replace(BARE, serial=0.3), spec), 1.0, MACHINE, switches=True)
    others = Others("1", 4, everywhere=everywhere)
    others._share = lambda seconds: 0.5  # It computes during half of the run.
    found = others.beside(spec, alone)
    # A half takes twice as long: of all, or what four threads do at once, and a quarter of what one does alone.
    grown = 0.5 if everywhere else 0.5 * (0.25 * 0.3 + 0.7 / 4) / (0.3 + 0.7 / 4)
    assert found["wall_ns"] / alone["wall_ns"] == pytest.approx(1 + grown, rel=0.01)
    ready, running = (found["switches"]["concurrency"][name] for name in ("runnable_ns", "running_ns"))
    assert sum(ready) == pytest.approx(found["wall_ns"], rel=0.01)
    assert sum(running) == pytest.approx(found["wall_ns"], rel=0.01)
    # No work is lost.
    computed = sum(many * each for many, each in enumerate(alone["switches"]["concurrency"]["running_ns"]))
    assert sum(many * each for many, each in enumerate(running)) == pytest.approx(computed, rel=0.01)
    assert sum(found["sampling"]["ready"]) * SAMPLE_S == pytest.approx(found["wall_ns"] / 1e9, rel=0.1)
    # It has its half where all cpus are wanted, and the whole of those that are not.
    assert 0 < found["validity"]["other_busy"] < (0.67 if everywhere else 0.15)


def test_another_program_comes_and_goes():
    others = Others("1", 4, everywhere=True)
    shares = [others._share(1.0) for _ in range(2000)]
    assert {0.0, 1.0} < set(shares)
    assert sum(shares) / len(shares) == pytest.approx(1 / 3, abs=0.1)


def test_nothing_of_the_explanation_is_imported():
    folder = Path(__file__).parent / "made_up"
    lines = [line for path in folder.glob("*.py") for line in path.read_text().splitlines()]
    imported = [line for line in lines if line.startswith(("import ", "from "))]
    assert len(imported) > 20
    assert not any(word in line for line in imported for word in ("knee", "conftest"))
