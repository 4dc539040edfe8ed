"""`knee mine` in graphs whose vertices have labels."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from mining import mine, said
from queries import refused

# A ring of five atoms with two chains.
GRAPH = "1 2\n2 3\n3 4\n4 5\n5 1\n3 6\n6 7\n4 8\n"
LABELS = "1 C\n2 C\n3 C\n4 N\n5 C\n6 O\n7 C\n8 O\n9 S\n"


@pytest.fixture(name="graph")
def _graph(tmp_path: Path) -> list[object]:
    (tmp_path / "graph.txt").write_text(GRAPH)
    (tmp_path / "labels.txt").write_text(LABELS)
    return [tmp_path / "graph.txt", "--labels", tmp_path / "labels.txt"]


@pytest.mark.parametrize(
    ("pattern", "copies"),
    [
        ("a:C-b:C", 3),
        ("a:C-b:N", 2),
        # Who is a matters where only a has a label: an edge between two C counts twice.
        ("a:C-b", 10),
        ("a:C-b:O,b-c:C", 1),
        ("a:C-b,b-c:C", 4),
        ("a:C-b:C,b-c:C", 2),
        ("a:C-b:C,b-c:C,a!c", 2),
        ("a:C-b:C,b-c:C,c-d:N,d-e:C,e-a", 1),
        ("a:P-b", 0),
        ("a:S-b", 0),
    ],
)
def test_copies_have_the_labels_that_are_asked_for(binary: str, graph: list[object], pattern: str, copies: int):
    counted, there, found = (
        mine(binary, action, *graph, "--pattern", pattern).stdout.splitlines()
        for action in ("count", "exists", "match")
    )
    assert (counted, there) == ([str(copies)], ["yes" if copies else "no"])
    assert len(found) == copies + 1
    assert found[0].startswith("# 0:")


def test_a_label_that_no_vertex_has_is_named(binary: str, graph: list[object]):
    done = mine(binary, "count", *graph, "--pattern", "a:Zz-b:C")
    assert done.stdout == "0\n"
    assert done.stderr.splitlines() == [
        "knee: no vertex has the label Zz; those of the graph are C, N, O",
        "knee: lines of the labels that name no vertex with an edge: 1",
    ]
    report = json.loads(said(binary, "count", *graph, "--pattern", "a:C-b", "--json"))
    assert report["facts"]["labels_of_other_vertices"] == "1"


def test_copies_are_listed_by_their_own_numbers(binary: str, graph: list[object]):
    assert said(binary, "match", *graph, "--pattern", "x:O-y,y-z:O").strip() == "# 0:O-1,1-2:O"
    assert said(binary, "match", *graph, "--pattern", "x:O-y:C,y-z:N").splitlines() == ["# 0:O-1:C,1-2:N", "6 3 4"]


def test_frequent_patterns_have_enough_vertices_in_each_place(binary: str, graph: list[object]):
    # Four carbon atoms have a carbon neighbour, 1 and 2 have two; one alone is the oxygen atom of the carbon chain.
    lines = said(binary, "fsm", *graph, "--support", "2").splitlines()
    assert lines == ["4 0:C-1:C", "2 0:C-2:C,1:C-2", "2 0:C-1:C,0-2:C,1-3:C"]
    report = json.loads(said(binary, "fsm", *graph, "--support", "1", "--edges", "1", "--json"))
    assert report["facts"]["labelled_vertices"] == "8"
    assert {one["pattern"]: one["support"] for one in report["fsm"]} == {
        "0:C-1:C": 4,
        "0:C-1:N": 1,
        "0:C-1:O": 1,
        "0:N-1:O": 1,
    }
    done = mine(binary, "fsm", *graph, "--support", "9")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "knee: no pattern has a support of 9 or more\n"


def test_labels_may_be_compressed(binary: str, graph: list[object], tmp_path: Path):
    packed = tmp_path / "labels.gz"
    packed.write_bytes(gzip.compress(LABELS.encode()))
    assert said(binary, "count", graph[0], "--labels", packed, "--pattern", "a:C-b:N").strip() == "2"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["count", "--pattern", "triangle"], "the pattern is triangle, which has no labels"),
        (["explain", "--pattern", "a:C-b"], "is of no use for explain"),
        (["motifs"], "is of no use for motifs"),
        (["count", "--pattern", "a:C-b", "--plan", "formula"], "--plan formula is of no use for a pattern with labels"),
        (["count", "--pattern", "a:C-b", "--split", "2"], "--split with --labels"),
        (["fsm"], "fsm needs --support"),
    ],
)
def test_what_makes_no_sense_is_refused(binary: str, graph: list[object], words: list[str], message: str):
    refused(mine(binary, *words, *graph), message)


def test_a_bad_file_of_labels_is_named(binary: str, graph: list[object], tmp_path: Path):
    bad = tmp_path / "bad.txt"
    bad.write_text("1 C\n1 N\n")
    done = mine(binary, "count", graph[0], "--labels", bad, "--pattern", "a:C-b")
    refused(done, f"cannot read labels: {bad}: line 2: vertex 1 has two labels, C and N", "hint: a file of labels has")
