"""`knee mine --cache`: graphs that are kept as they are laid out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from mining import mine, said
from queries import refused

TEXT = "10 20\n20 30\n30 10\n30 40\n40 40\n"


@pytest.fixture(name="graph")
def _graph(tmp_path: Path) -> Path:
    graph = tmp_path / "graph.txt"
    graph.write_text(TEXT)
    return graph


def test_answers_are_the_same_from_the_cache(binary: str, graph: Path, tmp_path: Path):
    cache = tmp_path / "new" / "cache"
    for words in (
        ["count", "--pattern", "paw"],
        ["match", "--pattern", "paw"],
        ["per-edge"],
        ["motifs", "--size", "3"],
    ):
        plain = said(binary, *words, graph)
        for _ in range(2):
            assert said(binary, *words, graph, "--cache", cache) == plain
    [kept] = cache.iterdir()
    assert said(binary, "match", "--pattern", "paw", kept) == said(binary, "match", "--pattern", "paw", graph)
    assert said(binary, "edges", kept) == said(binary, "edges", graph) == "10 20\n10 30\n20 30\n30 40\n"
    report = json.loads(said(binary, "count", graph, "--cache", cache, "--json"))
    assert report["facts"]["dropped_loops"] == "1"
    assert [phase["name"] for phase in report["phases"]] == ["load", "match"]


def test_a_graph_of_loops_alone_is_kept_as_well(binary: str, tmp_path: Path):
    graph = tmp_path / "loops.txt"
    graph.write_text("7 7\n8 8\n")
    for words in (["count"], ["match"], ["exists"], ["per-edge"], ["motifs", "--size", "3"]):
        for _ in range(2):
            assert said(binary, *words, graph, "--cache", tmp_path / "cache") == said(binary, *words, graph)


def test_layouts_and_generated_graphs_are_read_as_well(binary: str, tmp_path: Path):
    for layout in ("contiguous", "interleaved", "replicated"):
        words = ["count", "rmat:8", "--layout", layout]
        assert said(binary, *words, "--cache", tmp_path) == said(binary, *words)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_changed_graph_is_read_anew(binary: str, graph: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    assert said(binary, "count", "--pattern", "edge", graph, "--cache", cache) == "4\n"
    before = graph.stat()
    graph.write_text(TEXT.replace("30 10", "30 50"))
    # As cp -p and rsync -t do.
    os.utime(graph, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert graph.stat().st_size == before.st_size
    assert said(binary, "count", "--pattern", "triangle", graph, "--cache", cache) == "0\n"
    assert len(list(cache.iterdir())) == 2


def test_a_link_to_another_graph_is_another_graph(binary: str, graph: Path, tmp_path: Path):
    other = tmp_path / "other.txt"
    other.write_text("1 2\n")
    link = tmp_path / "link.txt"
    for target, edges in ((graph, "4\n"), (other, "1\n"), (graph, "4\n")):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        assert said(binary, "count", "--pattern", "edge", link, "--cache", tmp_path / "cache") == edges


def test_a_kept_graph_is_used_as_it_is(binary: str, graph: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    said(binary, "count", graph, "--cache", cache)
    [kept] = cache.iterdir()
    assert said(binary, "count", "--pattern", "edge", kept) == "4\n"
    refused(mine(binary, "count", kept, "--cache", cache), f"--cache {cache} is of no use for {kept}")
    assert list(cache.iterdir()) == [kept]
    kept.write_bytes(kept.read_bytes()[:-1])
    done = mine(binary, "count", kept)
    refused(done, f"cannot use {kept}: it has")
    assert "remove it" not in done.stderr


def test_a_byte_order_mark_is_no_part_of_a_graph(binary: str, graph: Path):
    graph.write_text(TEXT, encoding="utf-8-sig")
    assert said(binary, "count", "--pattern", "edge", graph) == "4\n"


def test_a_named_pipe_is_read_once(binary: str, tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", 'printf "1 2\\n2 3\\n3 1\\n" > "$0"', str(pipe)]) as writer:
        assert said(binary, "count", "--pattern", "triangle", pipe) == "1\n"
        assert writer.wait() == 0


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
    refused(
        mine(binary, "count", graph, "--cache", graph), "cannot make the directory", "hint: give --cache a directory"
    )
    refused(mine(binary, "count", "/dev/null", "--cache", tmp_path), "it is not a regular file")
