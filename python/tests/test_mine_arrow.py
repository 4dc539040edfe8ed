"""Tables of `knee mine` as Arrow streams: the same numbers as in JSON."""

import json
import subprocess

import pytest
from mining import mine, said

pyarrow = pytest.importorskip("pyarrow")

GRAPH = "rmat:8:4:3"


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("match", "--pattern", "paw", "--limit", "100000"), "matches"),
        (("match", "--pattern", "a-b,b-c,c-d,d-a,a!c", "--limit", "7"), "matches"),
        (("match", "--pattern", "8-clique"), "matches"),
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
    ("words", "said"),
    [
        (("count", GRAPH, "--arrow", "x"), "--arrow is of no use for count, whose answer is no table"),
        (("match", GRAPH, "--arrow", "/no/such/folder/x"), "cannot write /no/such/folder/x: No such file"),
        (("match", GRAPH, "--arrow", "/dev/full"), "cannot write /dev/full: No space left"),
        (("match", GRAPH, "--arrow", "x", "--json"), "cannot be used with"),
    ],
)
def test_what_cannot_be_written_is_refused(binary, words, said):
    done = mine(binary, *words)
    assert done.returncode != 0
    assert done.stdout == ""
    assert said in done.stderr
