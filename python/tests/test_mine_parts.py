"""A count in parts: `knee mine --split`, `--part` and `--merge`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from divided import printed, ran
from mining import mine
from queries import refused

import knee.cluster

GRAPH = "rmat:9:8"
QUESTIONS = {
    "diamond": ["count", GRAPH],
    "house by matching": ["count", GRAPH, "--pattern", "house", "--plan", "explore"],
    "prism": ["count", GRAPH, "--pattern", "prism"],
    "wheel, vertex-induced": ["count", GRAPH, "--pattern", "wheel-4", "--induced", "vertex"],
    "a pair that is not joined": ["count", GRAPH, "--pattern", "a-b,b-c,c-d,a!c"],
    "motifs of 4": ["motifs", GRAPH],
    "motifs of 5": ["motifs", GRAPH, "--size", "5"],
    "cliques": ["cliques", GRAPH, "--size", "6"],
    "vertices": ["count", GRAPH, "--pattern", "vertex"],
    "in the order of the source": ["count", GRAPH, "--pattern", "pentagon", "--plan", "explore", "--order", "id"],
}


@pytest.fixture(name="parts", scope="module")
def _parts(binary: str) -> list[str]:
    return printed(binary, "mine", *QUESTIONS["house by matching"], "--split", "3").splitlines()


@pytest.fixture(name="answers", scope="module")
def _answers(binary: str, parts: list[str]) -> list[str]:
    return [printed(binary, "mine", "--part", given=part + "\n").strip() for part in parts]


@pytest.mark.parametrize("name", QUESTIONS)
def test_parts_in_any_order_and_twice_make_the_whole(binary: str, name: str):
    parts = printed(binary, "mine", *QUESTIONS[name], "--split", "4").splitlines()
    answers = [printed(binary, "mine", "--part", "-n", "1", given=part + "\n").strip() for part in parts]
    assert len(answers) == 4
    merged = printed(binary, "mine", "--merge", given="\n".join([*reversed(answers), answers[1]]))
    assert merged == printed(binary, "mine", *QUESTIONS[name])


def test_json_has_the_answer_of_the_whole(binary: str, answers: list[str]):
    merged = json.loads(printed(binary, "mine", "--merge", "--json", given="\n".join(answers)))
    whole = json.loads(printed(binary, "mine", *QUESTIONS["house by matching"], "--json"))
    own = {key: whole[key] for key in ("schema", "graph", "pattern", "induced", "plan", "count")}
    assert merged == own | {"facts": {"header": "none"}}


def test_a_first_line_that_is_taken_for_a_header_is_named_everywhere(binary: str, tmp_path: Path):
    graph = tmp_path / "graph.txt"
    graph.write_text("3 2\n0 1\n1 2\n")
    message = "knee: the graph's first line is taken for a header, not for an edge: 3 vertices, 2 edges\n"
    message += "hint: if it is an edge, put it on another line\n"
    for words in (["count"], ["edges"], ["match", "--arrow", str(tmp_path / "table")], ["per-vertex", "--json"]):
        assert mine(binary, *words, graph).stderr == message
    parts = printed(binary, "mine", "count", str(graph), "--pattern", "edge", "--split", "2").splitlines()
    answers = "\n".join(printed(binary, "mine", "--part", given=part + "\n").strip() for part in parts)
    merged = ran(binary, "mine", "--merge", given=answers)
    assert (merged.stdout, merged.stderr) == ("2\n", message)
    told = json.loads(printed(binary, "mine", "--merge", "--json", given=answers))
    assert told["facts"] == {"header": "3 vertices, 2 edges"}
    with pytest.warns(UserWarning, match="first line of .* is taken for a header"):
        assert knee.cluster.merge(answers.splitlines())["count"] == 2


def test_more_parts_than_work_are_answered(binary: str, tmp_path: Path):
    graph = tmp_path / "graph.txt"
    graph.write_text("1 2\n2 3\n3 1\n")
    parts = printed(binary, "mine", "count", str(graph), "--pattern", "triangle", "--split", "5").splitlines()
    answers = [printed(binary, "mine", "--part", given=part + "\n").strip() for part in parts]
    assert printed(binary, "mine", "--merge", given="\n".join(answers)) == "1\n"


def test_another_graph_is_refused(binary: str, tmp_path: Path):
    graph = tmp_path / "graph.txt"
    graph.write_text("1 2\n2 3\n3 1\n3 4\n")
    part = printed(binary, "mine", "count", str(graph), "--split", "1")
    graph.write_text("1 2\n2 3\n3 4\n4 1\n")
    refused(ran(binary, "mine", "--part", given=part), f"{graph} is not the graph that was divided", "other edges")
    graph.write_text("1 2\n")
    refused(ran(binary, "mine", "--part", given=part), "it has 2 vertices and 1 edges, and had 4 vertices and 4 edges")


def test_a_graph_whose_vertices_have_changed_places_is_refused(binary: str, tmp_path: Path):
    graph = tmp_path / "graph.txt"
    graph.write_text("1 2\n2 3\n3 1\n3 4\n")
    part = printed(binary, "mine", "count", str(graph), "--order", "id", "--plan", "explore", "--split", "1")
    # The same graph, but its vertices are begun at in another order.
    graph.write_text("4 2\n2 3\n3 4\n3 1\n")
    refused(ran(binary, "mine", "--part", given=part), f"{graph} is not the graph that was divided", "other edges")


def test_a_count_that_is_too_large_is_said(binary: str, tmp_path: Path):
    graph = tmp_path / "star.txt"
    graph.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 1_000_001)))
    words = ["mine", "count", str(graph), "--pattern", "star-7"]
    done = subprocess.run([binary, *words], capture_output=True, text=True, check=False)
    refused(done, "cannot count so many copies: a number on the way", "hint: use a smaller pattern")
    part = printed(binary, *words, "--split", "1")
    refused(ran(binary, "mine", "--part", given=part), "cannot count so many copies")


def test_what_is_too_large_for_a_plan_is_said_before_there_are_parts(binary: str, tmp_path: Path):
    graph = tmp_path / "star.txt"
    graph.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 3_000_001)))
    words = ["count", str(graph), "--pattern", "star-7", "--plan", "explore", "--split", "2"]
    refused(ran(binary, "mine", *words), "cannot count so many copies", "or --plan auto")


def test_a_missing_part_is_named(binary: str, answers: list[str]):
    refused(
        ran(binary, "mine", "--merge", given=answers[0]),
        "2 of 3 parts are missing: 1 and 2",
        "hint: answer them with knee mine --part",
    )


def test_lines_that_were_changed_are_refused(binary: str, parts: list[str], answers: list[str]):
    changed = parts[0].replace('"part":0', '"part":1')
    refused(ran(binary, "mine", "--part", given=changed + "\n"), "not a part of knee mine --split: it was changed")
    changed = answers[0].replace('"found":["', '"found":["1')
    refused(ran(binary, "mine", "--merge", given="\n".join([changed, *answers[1:]])), "line 1: ", "it was changed")


def test_answers_of_different_jobs_are_refused(binary: str, answers: list[str]):
    other = printed(binary, "mine", "count", "rmat:4", "--split", "1")
    other = printed(binary, "mine", "--part", given=other)
    refused(ran(binary, "mine", "--merge", given=answers[0] + "\n" + other), "line 2 is of another job")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["match", GRAPH, "--split", "2"], "--split with match: only counts without labels are divided"),
        (["edges", GRAPH, "--split", "2"], "--split with edges: only counts without labels are divided"),
        (["count", GRAPH, "--split", "2", "--repeat", "3"], "--split with --repeat: a part is counted once"),
        (["--merge", "-n", "1"], "--merge with --threads: it only adds up what parts found"),
        (["count", GRAPH, "--split", "0"], "--split 0: a count has at least one part"),
        (["count", "/dev/stdin", "--split", "2"], "cannot divide a count in /dev/stdin: each part reads the graph"),
        (["count", GRAPH, "--split", "2", "--json"], "--split with --json"),
        (["count", GRAPH, "--part"], "--part with ACTION: the part itself says what to ask"),
        (["--pattern", "house", "--merge"], "--merge with --pattern: the part itself says what to ask"),
        (["--part", "--merge"], "cannot be used with"),
        (["--part", "--json"], "--part with --json"),
        (["--merge", "--layout", "blocked"], "--merge with --layout: it only adds up"),
        (["count"], "GRAPH"),
    ],
)
def test_what_makes_no_sense_is_refused(binary: str, words: list[str], said: str):
    refused(ran(binary, "mine", *words), said)


def test_a_part_ends_when_its_input_is_closed(binary: str):
    part = printed(binary, "mine", "count", "rmat:14", "--pattern", "prism", "--split", "1")
    done = subprocess.run([binary, "mine", "--part"], input=part, capture_output=True, text=True, check=False)
    refused(done, "standard input was closed before the part was answered", "knee mine --part < FILE")
