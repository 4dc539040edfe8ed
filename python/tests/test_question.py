"""Study files: what they say is what is asked, and every mistake is named with its key."""

import dataclasses

import pytest

from knee.store import StudyError
from knee.study.file import from_file
from knee.study.question import threads_skipped

GOOD = """
schema = 1
name = "n"
[program]
command = ["./p", "{threads}"]
for = "openmp"
[program.env]
OMP_NUM_THREADS = "{threads}"
[factors]
threads = [2, 1]
"env:X" = ["a", "b"]
[design]
blocks = 3
seed = 9
bind = "each"
skip = [0, 2]
[hold]
facts = []
[measure]
census_ms = 0
same_output = false
warmup = 2
cache = "cold"
setup = "make data"
prepare = "sync"
conclude = "rm -f out"
cleanup = "rm -r data"
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
    assert first.program["for"] == "openmp"
    assert (first.bind, first.skip, first.hold, first.census_ms, first.same_output) == ("each", [0, 2], [], 0, False)
    assert (first.warmup, first.cache, first.setup, first.cleanup) == (2, "cold", "make data", "rm -r data")
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
        ("[program]\ncommand = ['x']\nfor = 1", "program.for: it is not text"),
        ("[program]\ncommand = ['x']\n[design]\nbind = 'all'", "design.bind: 'all' is not one of each, set"),
        ("[program]\ncommand = ['x']\n[design]\nskip = [-1]", "design.skip: it is not a list of threads"),
        ("[program]\ncommand = ['x']\n[design]\nskip = '0x'", "design.skip: '0x' is no list"),
        ("[program]\ncommand = ['x']\n[measure]\nwarmup = 'x'", "measure.warmup: 'x' is not a number from 0 to 1000"),
        ("[program]\ncommand = ['x']\n[measure]\nsetup = ['x']", "measure.setup: it is not text"),
        ("[program]\ncommand = ['x']\n[measure]\nsame_output = 1", "measure.same_output: it is not true or false"),
        ("[program]\ncommand = ['x']\n[factors]\nbind = ['x']", "factors.bind: 'x' is not one of each, set"),
        ("[program]\ncommand = ['x']\n[hold]\nfacts = 'smt'", "hold.facts: it is not a list of names"),
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


@pytest.mark.parametrize(
    ("text", "threads"), [("0,2-4", [0, 2, 3, 4]), ("0x3", [1, 2]), ("0x5", [1, 3]), ("0x0", []), ("7", [7])]
)
def test_threads_to_skip_are_a_list_or_likwids_mask_over_started_threads(text, threads):
    assert threads_skipped(text, "--skip") == threads
