"""The first mutated inputs of every reader: each is read, or refused in one clear error."""

import mutated
import pytest

FIRST = 60

FOUND = {"plan.jsonl": (361,)}
"""Later inputs that were once more than an error."""


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    return mutated.readers(tmp_path_factory.mktemp("mutated"))


NAMES = (
    "study file",
    "study.toml",
    "plan.jsonl",
    "records.jsonl",
    "machine.json",
    "machine-memory.json",
    "waits.jsonl",
    "ended.json",
    "trials.json",
    "records of questions",
    "samples",
)


@pytest.mark.parametrize("name", [*NAMES, "run spec"])
def test_no_input_is_more_than_an_error(readers, name):
    found = {number: mutated.finding(name, readers[name], number) for number in (*range(FIRST), *FOUND.get(name, ()))}
    assert {number: what for number, what in found.items() if what} == {}


def test_every_reader_takes_its_whole_input_and_is_tested(readers):
    assert {*NAMES, "run spec"} == readers.keys()
    for reader in readers.values():
        reader.read(reader.whole)


def test_an_input_is_the_same_every_time(readers):
    whole = readers["records.jsonl"].whole
    first, again = ([mutated.mutated("records.jsonl", whole, number) for number in range(50)] for _ in range(2))
    assert first == again
    assert len(set(first)) > 40
