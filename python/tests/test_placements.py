"""Placements: which cpus threads get, which thread counts are planned, and when the binary is asked."""

import pytest
from conftest import machine

from knee.study.design.cells import cells_of, placements_matter, placements_of
from knee.study.design.placements import Placements
from knee.study.spec import StudySpec


def never(placement: str, threads: int) -> list[int]:
    raise AssertionError(f"{placement} was asked for {threads} threads")


def test_place_n_plus_one_extends_place_n_without_asking():
    placements = Placements({"cores-close": [3, 1, 2], "none": None}, never)
    assert [placements.cpus("cores-close", n) for n in (1, 2, 3, 4)] == [[3], [3, 1], [3, 1, 2], [3, 1, 2]]
    assert placements.cpus("none", 2) == []
    assert (placements.places("cores-close"), placements.places("none")) == (3, None)
    assert [placements.fits("cores-close", n) for n in (3, 4)] == [True, False]
    assert not placements.fits("none", 1)


def test_compact_is_asked_for_each_thread_count_once():
    asked = []

    def ask(placement: str, threads: int) -> list[int]:
        asked.append((placement, threads))
        return {1: [0], 2: [0, 1], 3: [4, 5, 6]}[threads]

    name = "cores-spread+compact"
    placements = Placements({name: [0, 4, 1, 5], "cores-close+within:kind:compact": [7, 8]}, ask)
    assert [placements.cpus(name, n) for n in (3, 2, 3, 4, 5)] == [
        [4, 5, 6],
        [0, 1],
        [4, 5, 6],
        [0, 4, 1, 5],
        [0, 4, 1, 5],
    ]
    assert asked == [(name, 3), (name, 2)]
    assert placements.cpus("cores-close+within:kind:compact", 1) == [7]


def test_the_binary_gives_the_cpus_of_compact(binary):
    placements = Placements.of(["cores-spread+compact"])
    first = Placements.of(["cores-spread"]).cpus("cores-spread", 1)
    assert len(placements.cpus("cores-spread+compact", 1)) == len(first) == 1


def test_two_names_of_one_order_are_one_placement():
    placements = Placements({"cores-close": [0, 1], "cores-spread": [0, 1], "threads-close": [1, 0]}, never)
    assert placements.distinct().with_kernel().names == ["cores-close", "threads-close", "none"]


def counts(placements: Placements, cores: int, **factors) -> dict[str, list[int]]:
    """Thread counts planned for each placement."""
    study_spec = StudySpec(name="q", program={"command": ["p"]}, factors=factors)
    found: dict[str, list[int]] = {name: [] for name in placements.names}
    for cell in cells_of(study_spec, machine(cores), placements):
        found[str(cell["placement"])].append(int(cell["threads"]))
    return found


def test_a_placement_with_fewer_places_gets_fewer_thread_counts():
    one_socket = "cores-close+within:socket:0"
    placements = Placements({"cores-close": [*range(6)], one_socket: [0, 1, 2], "none": None}, never)
    assert counts(placements, 6) == {
        "cores-close": [1, 2, 3, 4, 5, 6],
        one_socket: [1, 2, 3],
        "none": [1, 2, 3, 4, 5, 6],
    }


def test_on_a_large_machine_the_last_place_of_each_placement_is_tried():
    placements = Placements({"cores-close": [*range(40)], "cores-close+leave-one": [*range(39)]}, never)
    found = counts(placements, 40)
    assert max(found["cores-close"]) == 40
    assert max(found["cores-close+leave-one"]) == 39
    assert 39 not in found["cores-close"]


def test_thread_counts_that_were_asked_for_stay():
    placements = Placements({"cores-close+per-core:2": [0, 1], "none": None}, never)
    assert counts(placements, 8, threads=[1, 5]) == {"cores-close+per-core:2": [1, 5], "none": [1, 5]}


@pytest.mark.parametrize("placement", ["cores-close+within:first-threads", "threads-spread", "ll_caches-close"])
def test_every_word_of_the_binary_is_a_level(placement):
    placements = Placements.of([placement])
    assert placements.cpus(placement, 1)


def test_placements_are_a_factor_by_default_only_where_they_can_matter():
    plain = machine(8)
    assert not placements_matter(plain)
    siblings = machine(8)
    siblings["cores"] = [{"id": i, "socket": 0, "node": 0, "cpus": [i, i + 4]} for i in range(4)]
    nodes = machine(8) | {"nodes": [{"id": i, "cpus": [*range(4 * i, 4 * i + 4)]} for i in range(2)]}
    caches = machine(8) | {"caches": [{"level": 3, "cpus": [*range(4 * i, 4 * i + 4)]} for i in range(2)]}
    assert all(map(placements_matter, (siblings, nodes, caches)))
    own = machine(8) | {"caches": [{"level": 2, "cpus": [i]} for i in range(8)]}
    assert not placements_matter(own), "caches of single cores"
    siblings["allowed"]["cpus"] = [0, 1, 2, 3]
    assert not placements_matter(siblings), "one sibling of each core is allowed"


def test_where_placements_do_not_matter_the_study_is_pinned_all_the_same(binary):
    study_spec = StudySpec(name="q", program={"command": ["p"]})
    assert placements_of(study_spec, machine(8)).names == ["cores-close"]
    assert placements_of(study_spec, machine(8)).cpus("cores-close", 1)
    nodes = machine(8) | {"nodes": [{"id": i, "cpus": [*range(4 * i, 4 * i + 4)]} for i in range(2)]}
    assert placements_of(study_spec, nodes).names[-1] == "none"
    asked = StudySpec(name="q", program={"command": ["p"]}, factors={"placement": ["none"]})
    assert placements_of(asked, machine(8)).names == ["none"]
