"""`knee mine --cache`: graphs that are kept as they are laid out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from queries import refused

TEXT = "10 20\n20 30\n30 10\n30 40\n40 40\n"


def mine(binary: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, "mine", *map(str, words)], capture_output=True, text=True, check=False)


def said(binary: str, *words: object) -> str:
    done = mine(binary, *words)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.fixture(name="graph")
def _graph(tmp_path: Path) -> Path:
    graph = tmp_path / "graph.txt"
    graph.write_text(TEXT)
    return graph


def test_answers_are_the_same_from_the_cache(binary: str, graph: Path, tmp_path: Path):
    cache = tmp_path / "new" / "cache"
    for words in (["count", "--pattern", "paw"], ["match", "--pattern", "paw"], ["per-edge"], ["motifs", "--size", "3"]):
        plain = said(binary, *words, graph)
        for _ in range(2):
            assert said(binary, *words, graph, "--cache", cache) == plain
    [kept] = cache.iterdir()
    assert said(binary, "match", "--pattern", "paw", kept) == said(binary, "match", "--pattern", "paw", graph)
    assert said(binary, "edges", kept) == said(binary, "edges", graph) == "10 20\n10 30\n20 30\n30 40\n"
    report = json.loads(said(binary, "count", graph, "--cache", cache, "--json"))
    assert report["facts"]["dropped_loops"] == "1"
    assert [phase["name"] for phase in report["phases"]] == ["load", "match"]


def test_layouts_and_generated_graphs_are_read_as_well(binary: str, tmp_path: Path):
    for layout in ("contiguous", "interleaved", "replicated"):
        words = ["count", "rmat:8", "--layout", layout]
        assert said(binary, *words, "--cache", tmp_path) == said(binary, *words)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_changed_graph_is_read_anew(binary: str, graph: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    assert said(binary, "count", "--pattern", "edge", graph, "--cache", cache) == "4\n"
    graph.write_text(TEXT.replace("30 40", "30 41"))
    os.utime(graph, ns=(1, 1))
    assert said(binary, "count", "--pattern", "edge", graph, "--cache", cache) == "4\n"
    assert len(list(cache.iterdir())) == 2


def test_a_damaged_file_is_refused(binary: str, graph: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    said(binary, "count", graph, "--cache", cache)
    [kept] = cache.iterdir()
    whole = bytearray(kept.read_bytes())
    whole[-1] ^= 1
    kept.write_bytes(whole)
    done = mine(binary, "count", graph, "--cache", cache)
    refused(done, f"cannot use {kept}: it is damaged, as its checksums show", "hint: remove it; --cache makes it again")


def test_what_cannot_be_kept_is_refused(binary: str, graph: Path, tmp_path: Path):
    refused(mine(binary, "count", tmp_path / "none.txt", "--cache", tmp_path), "No such file")
    refused(mine(binary, "count", graph, "--cache", graph), "cannot make the directory", "hint: give --cache a directory")
    refused(mine(binary, "count", "/dev/null", "--cache", tmp_path), "it is not a regular file")
