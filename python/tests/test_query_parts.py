"""A query in parts: `knee query --split`, `--part` and `--merge`."""

from __future__ import annotations

import json
import subprocess

import pytest
from divided import printed, ran
from queries import answer, refused

from knee.cluster.parts import split_query
from knee.store import StudyError

QUERIES = {
    "q1": ["q1"],
    "rare": ["rare"],
    "sql": ["--sql", "select l_shipmode, min(l_shipdate), avg(l_tax) from lineitem group by l_shipmode order by 1"],
}


@pytest.fixture(name="parts", scope="module")
def _parts(binary: str) -> list[str]:
    return printed(binary, "query", "q1", "--scale", "0.1", "--split", "3").splitlines()


@pytest.fixture(name="answers", scope="module")
def _answers(binary: str, parts: list[str]) -> list[str]:
    return [printed(binary, "query", "--part", given=part + "\n").strip() for part in parts]


@pytest.mark.parametrize("name", QUERIES)
def test_parts_in_any_order_and_twice_make_the_whole(binary: str, name: str):
    words = [*QUERIES[name], "--scale", "0.1"]
    parts = printed(binary, "query", *words, "--split", "3").splitlines()
    answers = [printed(binary, "query", "--part", given=part + "\n").strip() for part in parts]
    assert len(answers) == 3
    merged = printed(binary, "query", "--merge", "--format", "csv", given="\n".join([*reversed(answers), answers[1]]))
    assert merged.strip() == answer(binary, *words).strip()


def test_merged_csv_is_as_it_is(binary: str):
    words = ["--scale", "0.01", "--sql", 'select count(*) as "a\x1bb" from lineitem']
    told = printed(binary, "query", "--part", given=printed(binary, "query", *words, "--split", "1"))
    merged = printed(binary, "query", "--merge", "--format", "csv", given=told)
    assert merged == answer(binary, *words) == "a\x1bb\n60175\n"


def test_a_missing_part_is_named(binary: str, answers: list[str]):
    refused(ran(binary, "query", "--merge", given=answers[0]), "2 of 3 parts are missing: 1 and 2", "hint: answer them")


def test_lines_that_were_changed_are_refused(binary: str, parts: list[str], answers: list[str]):
    wider = parts[0].replace('"end":', '"end":1')
    refused(ran(binary, "query", "--part", given=wider + "\n"), "not a part of knee query --split: it was changed")
    for old, new in [('"count":', '"count":1'), ('"part":0', '"part":2'), ("sum(l_quantity)", "min(l_quantity)")]:
        changed = answers[0].replace(old, new, 1)
        assert changed != answers[0]
        done = ran(binary, "query", "--merge", given="\n".join([changed, *answers[1:]]))
        refused(done, "line 1: this is not the answer of knee query --part: it was changed", "hint: give each line")


def test_lines_of_another_kind_are_refused(binary: str, parts: list[str]):
    refused(ran(binary, "query", "--part", given="{}\n"), "not a part of knee query --split: it has no checksum")
    refused(
        ran(binary, "query", "--merge", given=parts[0]), "not the answer of knee query --part: it has other members"
    )
    assert json.loads(parts[0])["checksum"]


def test_one_reason_is_given_where_the_input_is_closed(binary: str):
    for _ in range(20):
        done = subprocess.run([binary, "query", "--part"], input="{}\n", capture_output=True, text=True, check=False)
        refused(done, "it has no checksum")


def test_what_no_part_can_be_made_of_is_refused():
    with pytest.raises(StudyError, match="a question has at least one part, not 0") as refusal:
        split_query(QUERIES["sql"][1], "lineitem.parquet", 0)
    assert refusal.value.hint == "leave parts out, or give 1 or more"
    for sql in ("select count(*) from a\0b", "select count(*) from a where m = '\ud83d'"):
        with pytest.raises(StudyError, match="has a character that cannot be passed to a program"):
            split_query(sql, "lineitem.parquet", 2)
