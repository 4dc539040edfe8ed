"""Tables of `knee mine` as Arrow streams: the same numbers as in JSON."""

import json
import os
import shutil
import subprocess

import pytest
from conftest import skipped
from mining import mine, said
from queries import refused

pyarrow = pytest.importorskip("pyarrow")

GRAPH = "rmat:8:4:3"


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("match", "--pattern", "paw", "--limit", "100000"), "matches"),
        (("match", "--pattern", "a-b,b-c,c-d,d-a,a!c", "--limit", "7"), "matches"),
        (("match", "--pattern", "8-clique"), "matches"),
        (("match", "--pattern", "vertex", "--limit", "300"), "matches"),
        (("per-vertex", "--size", "4"), "per-vertex"),
        (("per-edge", "--size", "3"), "per-edge"),
    ],
)
def test_a_stream_has_the_numbers_of_the_json(binary, words, key, tmp_path):
    answer = json.loads(said(binary, *words, GRAPH, "--json"))
    assert said(binary, *words, GRAPH, "--arrow", tmp_path / "table.arrows") == ""
    with pyarrow.ipc.open_stream(tmp_path / "table.arrows") as stream:
        table = stream.read_all()
    assert [list(row.values()) for row in table.to_pylist()] == answer[key]
    assert all(field.type == pyarrow.uint64() and not field.nullable for field in table.schema)
    if key == "matches":
        assert table.schema.metadata[b"pattern"].decode() == answer["pattern_edges"]
        assert table.column_names == [str(number) for number in range(len(table.column_names))]
    else:
        assert table.column_names == answer["columns"]


def test_a_stream_goes_to_standard_output(binary):
    words = [binary, "mine", "match", "--pattern", "wedge", GRAPH, "--arrow", "-"]
    made = subprocess.run(words, capture_output=True, check=True)
    assert pyarrow.ipc.open_stream(made.stdout).read_all().num_rows == 10


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("count", GRAPH, "--arrow", "x"), "--arrow is of no use for count, whose answer is no table"),
        (("match", GRAPH, "--arrow", "/no/such/folder/x"), "cannot write /no/such/folder/x: No such file"),
        (("match", GRAPH, "--arrow", "/dev/full"), "cannot write /dev/full: No space left"),
        (("match", GRAPH, "--arrow", "x", "--json"), "cannot be used with"),
    ],
)
def test_what_cannot_be_written_is_refused(binary, words, why):
    done = mine(binary, *words)
    assert done.returncode != 0
    assert done.stdout == ""
    assert why in done.stderr


def test_a_file_keeps_what_it_holds_until_there_is_an_answer(binary, tmp_path):
    kept, link = tmp_path / "kept.arrows", tmp_path / "link.arrows"
    kept.write_text("kept")
    kept.chmod(0o600)
    link.symlink_to(kept)
    refused(mine(binary, "match", tmp_path / "none.txt", "--arrow", link), "cannot read graph")
    refused(mine(binary, "match", "--limit", "0", GRAPH, "--arrow", tmp_path / "new.arrows"), "bad argument: limit")
    assert kept.read_text() == "kept"
    assert {path.name for path in tmp_path.iterdir()} == {"kept.arrows", "link.arrows"}
    said(binary, "match", GRAPH, "--arrow", link)
    assert (link.is_symlink(), kept.stat().st_mode & 0o777) == (True, 0o600)
    assert pyarrow.ipc.open_stream(kept.read_bytes()).read_all().num_rows == 10


def test_what_is_read_is_not_replaced(binary, tmp_path):
    graph, labels = tmp_path / "graph.txt", tmp_path / "labels.txt"
    graph.write_text("1 2\n2 3\n3 4\n")
    labels.write_text("1 C\n2 C\n")
    (tmp_path / "same.txt").symlink_to(graph)
    words = ("match", "--pattern", "a:C-b", "--labels", labels, graph, "--arrow")
    for target in (graph, tmp_path / "same.txt", labels):
        refused(mine(binary, *words, target), f"--arrow {target}: the table would replace what is read", "hint: give")
    assert (graph.read_text(), labels.read_text()) == ("1 2\n2 3\n3 4\n", "1 C\n2 C\n")


def test_a_pipe_is_written_and_not_replaced(binary, tmp_path):
    words = f"{binary} mine match {GRAPH} --arrow >(cat > {tmp_path}/copy) && wait $!"
    subprocess.run(["bash", "-c", words], check=True)
    assert pyarrow.ipc.open_stream((tmp_path / "copy").read_bytes()).read_all().num_rows == 10


def test_a_file_in_a_folder_that_takes_no_other_is_written_in_place(binary, tmp_path):
    setpriv = shutil.which("setpriv")
    allowed = [setpriv, "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []
    if None in allowed:
        skipped("test_mine_arrow", "root may write anywhere, and there is no setpriv")
    table = tmp_path / "kept" / "table.arrows"
    table.parent.mkdir()
    table.write_bytes(b"x" * 100_000)
    table.parent.chmod(0o555)
    words = [binary, "mine", "match", "--pattern", "triangle", "--limit", "5", GRAPH, "--arrow", str(table)]
    done = subprocess.run([*allowed, *words], capture_output=True, text=True, check=False)
    table.parent.chmod(0o755)
    assert done.returncode == 0, done.stderr
    with pyarrow.ipc.open_stream(table) as stream:
        assert stream.read_all().num_rows == 5
