"""`knee.mine` on vertices, on edges and on labels, from Python."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from test_mine_python import drawn, library

import knee


def test_triangles_and_wedges_of_vertices_are_those_of_networkx():
    networkx = library("networkx")
    for seed in range(40):
        graph = networkx.gnp_random_graph(12, 0.1 + seed / 50, seed=seed)
        found = knee.mine.per_vertex(graph, size=3, induced="edge", threads=1)
        assert set(found) == {node for node, degree in graph.degree() if degree}
        clustering = networkx.clustering(graph)
        for node, counts in found.items():
            assert counts["triangle"] == networkx.triangles(graph, node)
            assert counts["edge"] == graph.degree(node)
            if counts["wedge-middle"]:
                assert counts["triangle"] / counts["wedge-middle"] == pytest.approx(clustering[node])


def test_parts_add_up_to_the_motifs():
    rng = random.Random(1)
    for _ in range(20):
        edges = [(a, b) for a, b in itertools.combinations(range(9), 2) if rng.random() < 0.5]
        motifs = knee.mine.motifs(edges, 4, threads=1)
        vertices = Counter[str]()
        for counts in knee.mine.per_vertex(edges, threads=1).values():
            vertices.update(counts)
        whole = {"square": 4, "4-clique": 4, "paw-tail": 1, "claw-centre": 1, "diamond-tip": 2, "path-4-end": 2}
        for part, times in whole.items():
            name = next(name for name in motifs if part.startswith(name))
            assert vertices[part] == times * motifs[name], part
        per_edge = knee.mine.per_edge(edges, threads=1)
        assert {frozenset(edge) for edge in per_edge} == {frozenset(edge) for edge in edges}
        assert sum(counts["4-clique"] for counts in per_edge.values()) == 6 * motifs["4-clique"]


def test_vertices_are_the_users_own():
    edges = [("ann", "bob"), ("bob", "cy"), ("cy", "ann"), ("cy", "dan")]
    assert knee.mine.per_vertex(edges, size=3)["cy"] == {
        "edge": 3,
        "wedge-end": 0,
        "wedge-middle": 2,
        "triangle": 1,
    }
    assert knee.mine.per_edge(edges, size=3)["cy", "dan"] == {"wedge": 2, "triangle": 0}
    numbers = np.array([[10, 20], [20, 30]])
    assert set(knee.mine.per_vertex(numbers)) == {10, 20, 30}


@pytest.mark.filterwarnings("ignore:no vertex has the label")
def test_labels_are_those_of_the_users_vertices():
    rng = random.Random(2)
    for _ in range(60):
        pairs = [(f"v{a}", f"v{b}") for a, b in drawn(rng)]
        labels = {f"v{number}": rng.choice("xyz") for number in range(8) if rng.random() < 0.9}
        joined = {frozenset(pair) for pair in pairs if len(set(pair)) == 2}
        vertices = {end for pair in joined for end in pair}
        expected = sum(
            labels.get(a) == "x" and labels.get(b) == "y" and {frozenset((a, b)), frozenset((b, c))} <= joined
            for a, b, c in itertools.permutations(vertices, 3)
        )
        words = {"labels": labels, "threads": 1}
        if not any(vertex in labels for vertex in vertices):
            continue
        assert knee.mine.count(pairs, "a:x-b:y,b-c", **words) == expected
        assert knee.mine.exists(pairs, "a:x-b:y,b-c", **words) == (expected > 0)
        found = knee.mine.match(pairs, "a:x-b:y,b-c", limit=1000, **words)
        assert len(set(found)) == expected
        assert all((labels[a], labels[b]) == ("x", "y") for a, b, _ in found)


def test_frequent_patterns_have_the_supports_of_their_places(tmp_path):
    ring = [(at, (at + 1) % 10) for at in range(10)]
    assert knee.mine.fsm(ring, 10, edges=2) == {"0-1": 10, "0-1,0-2": 10}
    labels = {at: "even" if at % 2 == 0 else "odd" for at in range(10)}
    assert knee.mine.fsm(ring, 5, edges=1, labels=labels) == {"0:even-1:odd": 5}
    assert knee.mine.fsm(ring, 6, edges=1, labels=labels) == {}
    file = tmp_path / "labels.txt"
    file.write_text("".join(f"{vertex} {label}\n" for vertex, label in labels.items()))
    assert knee.mine.fsm(np.array(ring), 5, edges=1, labels=file) == {"0:even-1:odd": 5}


def test_a_file_of_labels_is_no_file_of_a_graphs_own_vertices(tmp_path):
    file = tmp_path / "labels.txt"
    file.write_text("1 C\n2 C\n3 N\n4 O\n")
    edges = [(1, 2), (2, 3), (3, 1), (3, 4)]
    with pytest.raises(TypeError, match="give a mapping from each vertex to its label"):
        knee.mine.count(edges, "a:C-b:N", labels=file)
    assert knee.mine.count(np.array(edges), "a:C-b:N", labels=file) == 2
    assert knee.mine.count(edges, "a:C-b:N", labels={1: "C", 2: "C", 3: "N", 4: "O"}) == 2


def test_a_vertex_whose_label_is_missing_has_none():
    ring = [(at, (at + 1) % 4) for at in range(4)]
    for missing in (float("nan"), np.float32("nan"), pd.NA, pd.NaT):
        labels = {0: "x", 1: "x", 2: None, 3: missing}
        assert knee.mine.fsm(ring, 1, edges=1, labels=labels) == {"0:x-1:x": 2}


def test_what_is_no_label_is_said():
    for labels in (["x", "y"], np.array(["x", "y"])):
        with pytest.raises(TypeError, match=r"not say of which vertices: give .*dict\(enumerate\(labels\)\)"):
            knee.mine.count([(0, 1)], "a:x-b", labels=labels)
    with pytest.raises(ValueError, match="the label of 1 is 'a b', but a label is of letters"):
        knee.mine.count([(1, 2)], "a:x-b", labels={1: "a b"})
    with pytest.raises(TypeError, match="'one' has a label, but the graph's vertices are whole numbers"):
        knee.mine.count(np.array([[1, 2]]), "a:x-b", labels={"one": "x"})
    with pytest.raises(ValueError, match="no label is of a vertex of the graph: '1' is not one"):
        knee.mine.count([(1, 2)], "a:x-b", labels={"1": "x"})
