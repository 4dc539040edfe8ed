"""Study files: what they say is what is asked, and every mistake is named with its key."""

import dataclasses

import pytest

from knee.store import StudyError
from knee.study.question import from_file

GOOD = """
schema = 1
name = "n"
[program]
command = ["./p", "{threads}"]
[program.env]
OMP_NUM_THREADS = "{threads}"
[factors]
threads = [2, 1]
"env:X" = ["a", "b"]
[design]
blocks = 3
seed = 9
[measure]
metric = { regex = "took (.*) ms", unit = "ms" }
check = { stdout = "ok" }
"""


def write(tmp_path, text):
    path = tmp_path / "s.toml"
    path.write_text(text)
    return path


def test_a_file_and_the_file_written_from_it_ask_the_same(tmp_path):
    first = from_file(write(tmp_path, GOOD))
    assert (first.blocks, first.seed, first.factors["threads"]) == (3, 9, [1, 2])
    assert first.program["directory"] == str(tmp_path)
    again = from_file(write(tmp_path, first.to_toml()))
    assert dataclasses.asdict(again) == dataclasses.asdict(first)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("schema = 2", "schema: 2: this version of knee reads 1"),
        ("x = 1", "x: no such key"),
        ("[program]", "program: it names a command or a workload, one of them"),
        ("[program]\ncommand = 'x'", "program.command: it is not a list of words"),
        ("[program]\ncommand = ['x', 1]", "program.command: it is not a list of words"),
        ("[program]\ncommand = ['x']\n[factors]\nthreads = []", "factors.threads: it is not a list of levels"),
        ("[program]\ncommand = ['x']\n[factors]\nthreads = [0]", "factors.threads: 0 is not a number of threads"),
        ("[program]\ncommand = ['x']\n[design]\nblocks = 1", "design.blocks: 1 is not a number from 2 to 1000"),
        ("[program]\ncommand = ['x']\n[design]\nblock = 1", "design.block: no such key"),
        ("[program]\ncommand = ['x']\n[measure]\nmetric = {regex = 'x'}", "measure.metric.unit: it is not one of s"),
        (
            "[program]\ncommand = ['x']\n[measure]\nmetric = {phase = 'x', regex = 'y', unit = 's'}",
            "measure.metric: it names",
        ),
        ("program = 1", "program: it is not a table"),
        ("[program", "Expected"),
    ],
)
def test_a_mistake_is_named_with_its_key(tmp_path, text, reason):
    path = write(tmp_path, text)
    with pytest.raises(StudyError) as error:
        from_file(path)
    assert str(path) in str(error.value)
    assert reason in str(error.value)


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(StudyError, match="No such file"):
        from_file(tmp_path / "none.toml")
