"""`knee query` over Parquet files that people have: many texts, doubles, links to folders."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from divided import printed
from queries import answer, query, refused

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(name="words", scope="module")
def _words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write 66,000 different words, in two row groups that have few enough of them each."""
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    numbers = np.arange(66_000)
    pq.write_table(pa.table({"x": numbers, "w": [f"w{x:05d}" for x in numbers]}), path, row_group_size=33_000)
    return path


@pytest.mark.parametrize("encoding", ["plain", "narrow", "split"])
def test_a_column_that_has_too_many_texts_in_all_row_groups_is_refused(binary, words, encoding):
    done = query(binary, words, "--encoding", encoding, "--sql", "select count(*) from t where w = 'w65999'")
    refused(done, "column w: it has over 65536 different texts")
    assert answer(binary, words, "--encoding", encoding, "--sql", "select sum(x) as s from t") == "s\n2177967000\n"


def test_the_cache_leaves_such_a_column_out(binary, words, tmp_path):
    for _ in range(2):
        told = answer(binary, words, "--cache", tmp_path, "--sql", "select max(x) as m from t")
        assert told == "m\n65999\n"


@pytest.fixture(name="doubles", scope="module")
def _doubles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("doubles") / "doubles.parquet"
    draw = np.random.default_rng(7)
    x = draw.random(5000)
    # The larger ones take each other away.
    pq.write_table(pa.table({"x": x, "y": np.concatenate([x * 1e12, -x[::-1] * 1e12])[::2]}), path)
    return path


@pytest.mark.parametrize("column", ["x", "y"])
def test_sums_of_doubles_in_another_order_are_no_wrong_answers(binary, doubles, column):
    words = [binary, "run", "--json", "query", "sql", str(doubles), "--sql", f"select sum({column}), avg(x) from t"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["check"].get("ok") is not False


def test_the_plain_loop_repeats_as_well(binary):
    words = ("q6", "--scale", "0.001", "--repeat", "5", "--json")
    told = [json.loads(query(binary, *words, "--runtime", name).stdout) for name in ("serial", "loop")]
    scans = [next(phase for phase in one["phases"] if phase["name"] == "scan") for one in told]
    assert [scan["counters"]["rows"] for scan in scans] == [5 * int(told[0]["facts"]["rows"])] * 2


def test_parts_name_files_as_they_were_given(binary, doubles, tmp_path):
    (tmp_path / "link").symlink_to(doubles.parent)
    line = printed(
        binary, "query", str(tmp_path / "link/doubles.parquet"), "--sql", "select sum(x) from t", "--split", "1"
    )
    assert json.loads(line)["files"][0]["path"] == str(tmp_path / "link/doubles.parquet")


@pytest.mark.parametrize("follows", ["with (nolock)", "with ordinality", "as u"])
def test_nothing_behind_the_name_of_the_table_is_ignored(binary, follows):
    done = query(binary, "--scale", "0.001", "--sql", f"select count(*) from t {follows}")
    refused(done, "knee query does not know what follows the table's name, t")


@pytest.mark.parametrize(
    ("keys", "refused_days"),
    [
        ({}, ()),
        ({"org.apache.spark.version": "3.5.1"}, ()),
        ({"org.apache.spark.version": "2.4.8"}, (-141_428,)),
        ({"org.apache.spark.version": "3.5.1", "org.apache.spark.legacyDateTime": ""}, (-141_428,)),
    ],
)
def test_dates_of_sparks_legacy_calendar_are_refused_where_they_are_others(binary, tmp_path, keys, refused_days):
    for day in (-141_428, -141_427):
        days = pa.array([day, 0], pa.int32()).cast(pa.date32())
        table = pa.table({"d": days, "x": [1, 2]}).replace_schema_metadata(keys)
        pq.write_table(table, tmp_path / "t.parquet")
        done = query(binary, tmp_path / "t.parquet", "--sql", "select sum(x), min(d) from t")
        if day in refused_days:
            refused(done, "t.parquet: column d has dates before 1582-10-15", "hint: write them again with spark.sql")
        else:
            assert done.returncode == 0, done.stderr
        assert answer(binary, tmp_path / "t.parquet", "--sql", "select sum(x) as s from t") == "s\n3\n"
