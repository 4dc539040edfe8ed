"""What the footers of Parquet files say need not be read: row groups, conditions, extremes. No exact answer changes."""

from __future__ import annotations

import datetime
import json
import random
from decimal import Decimal
from pathlib import Path

import pytest
from divided import printed, ran
from queries import answer, query, refused

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

GROUPS, ROWS = 6, 50
"""Row groups of the table, and rows of each."""
FIRST = datetime.date(2020, 1, 1)


def rows(seed: int):
    """Make a table whose days ascend, so that row groups have few of them each."""
    draw, count = random.Random(seed), GROUPS * ROWS
    table = {
        "day": [FIRST + datetime.timedelta(days=at // 10) for at in range(count)],
        "price": [Decimal(draw.randrange(-5000, 5000)) / 100 for _ in range(count)],
        "key": [draw.randrange(1 << 40) for _ in range(count)],
        "small": [draw.randrange(-3, 3) for _ in range(count)],
        "wide": [draw.randrange(1 << 32) for _ in range(count)],
        "half": [draw.random() - 0.5 for _ in range(count)],
        "word": [draw.choice(["AIR", "MAIL", "SHIP"]) for _ in range(count)],
    }
    types = [pa.date32(), pa.decimal128(9, 2), pa.int64(), pa.int8(), pa.uint32(), pa.float64(), pa.string()]
    return pa.table({name: pa.array(values, kind) for (name, values), kind in zip(table.items(), types, strict=True)})


def write(table, path: Path, **more) -> Path:
    pq.write_table(table, path, row_group_size=ROWS, store_decimal_as_integer=True, **more)
    return path


@pytest.fixture(name="files", scope="module")
def _files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Write the same rows with and without what is known of row groups."""
    folder, table = tmp_path_factory.mktemp("footers"), rows(1)
    return write(table, folder / "known.parquet"), write(table, folder / "unknown.parquet", write_statistics=False)


def in_parts(binary: str, path: Path, sql: str, parts: int | str = 3) -> tuple[str, int]:
    """Return the answer of a query in parts, and how many rows these have read."""
    lines = printed(binary, "query", str(path), "--sql", sql, "--split", str(parts)).splitlines()
    answers = [printed(binary, "query", "--part", given=line + "\n") for line in lines]
    merged = printed(binary, "query", "--merge", "--format", "csv", given="".join(answers))
    return merged, sum(json.loads(one)["rows"] for one in answers)


def drawn(draw: random.Random) -> str:
    """Return a query of which footers may decide something."""
    day = f"date '{FIRST + datetime.timedelta(days=draw.randrange(-3, 33))}'"
    conditions = [
        f"day {draw.choice(['<', '<=', '>', '>=', '=', '<>'])} {day}",
        f"{day} < day",
        f"price between {draw.randrange(-60, 60)}.5 and {draw.randrange(-60, 60)}",
        f"small {draw.choice(['<', '>', '='])} {draw.randrange(-5, 5)}",
        f"not small in (1, {draw.randrange(9)})",
        f"price * small - small > {draw.randrange(-400, 400)}",
        f"wide > {draw.choice([0, 1 << 31, 1 << 32])}",
        "half < 2",
        f"word >= '{draw.choice(['A', 'MAIL', 'Z'])}'",
        f"(day < {day} or key < {1 << draw.randrange(30, 42)})",
        "1 = 1",
    ]
    outputs = [
        "count(*)",
        "count(price)",
        "min(day)",
        "max(day)",
        "min(price)",
        "max(price + 1)",
        "min(key + 0)",
        "max(small * 1)",
        "sum(small)",
        "max(small)",
        "min(wide)",
        "max(wide)",
        "sum(price)",
        "avg(small)",
        "min(word)",
        "max(half)",
    ]
    chosen = ", ".join(draw.sample(outputs, draw.randint(1, 5)))
    where = " and ".join(draw.sample(conditions, draw.randint(0, 3)))
    by_word = draw.random() < 0.2
    head = f"select word, {chosen}" if by_word else f"select {chosen}"
    tail = " group by word order by word" if by_word else ""
    return f"{head} from t{' where ' + where if where else ''}{tail}"


def test_answers_are_those_of_a_file_that_states_nothing(binary: str, files: tuple[Path, Path]):
    known, unknown = files
    draw, read = random.Random(7), []
    for _ in range(120):
        sql = drawn(draw)
        expected = answer(binary, unknown, "--sql", sql)
        assert answer(binary, known, "--sql", sql) == expected, sql
        merged, count = in_parts(binary, known, sql)
        assert merged == expected, sql
        read.append(count)
    assert min(read) == 0
    assert max(read) == GROUPS * ROWS
    assert len(set(read)) > 4


def test_what_is_written_otherwise_and_known_is_not_asked_again(binary: str, files: tuple[Path, Path]):
    for sql in (
        "select min(small + 0) as a, sum(small) as b from t",
        "select max(small * 1) as a, avg(small) as b, max(small) as c, min(small) as d from t",
        "select min(day + 0) as a, sum(price) as b from t",
        "select min(small) as a, min(small + 0) as b, min(word) as c, max(half) as d from t",
    ):
        expected = answer(binary, files[1], "--sql", sql)
        assert answer(binary, files[0], "--sql", sql) == expected, sql
        assert in_parts(binary, files[0], sql)[0] == expected, sql


def test_row_groups_without_a_row_that_counts_are_not_read(binary: str, files: tuple[Path, Path]):
    known, unknown = files
    sql = (
        f"select sum(key) as s from t where day >= date '{FIRST}' and day < date '{FIRST + datetime.timedelta(days=7)}'"
    )
    assert in_parts(binary, known, sql)[1] == 2 * ROWS
    assert in_parts(binary, unknown, sql)[1] == GROUPS * ROWS
    facts = json.loads(query(binary, known, "--sql", sql, "--json").stdout)["facts"]
    assert facts["rows"] == str(2 * ROWS)
    nothing = json.loads(query(binary, known, "--sql", sql.replace(">=", "<"), "--json").stdout)
    assert nothing["facts"]["rows"] == "0"
    assert [phase["name"] for phase in nothing["phases"]] == ["load", "encode", "plan", "scan"]


def spoilt(path: Path, to: Path, columns: list[str]) -> Path:
    """Write a file again with zeros for some of its columns."""
    content, metadata = bytearray(path.read_bytes()), pq.read_metadata(path)
    for group in range(metadata.num_row_groups):
        for at in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(at)
            if chunk.path_in_schema in columns:
                first = chunk.dictionary_page_offset or chunk.data_page_offset
                content[first : first + chunk.total_compressed_size] = bytes(chunk.total_compressed_size)
    to.write_bytes(content)
    return to


def test_columns_whose_extremes_say_all_are_not_read(binary: str, files: tuple[Path, Path], tmp_path: Path):
    sql = "select count(*) as n, min(day) as a, max(small) as b, count(price) as c, sum(key) as s from t"
    sql += " where day > date '1999-01-01'"
    file = spoilt(files[0], tmp_path / "spoilt.parquet", ["day", "small", "price"])
    assert in_parts(binary, file, sql)[0] == answer(binary, files[1], "--sql", sql)
    # A condition that some rows do not meet is asked of each.
    where = sql.replace("1999-01-01", str(FIRST))
    line = printed(binary, "query", str(file), "--sql", where, "--split", "1")
    refused(ran(binary, "query", "--part", given=line), "column day")


def test_nothing_is_read_where_footers_say_all(binary: str, files: tuple[Path, Path], tmp_path: Path):
    file = spoilt(files[0], tmp_path / "spoilt.parquet", pq.read_schema(files[0]).names)
    sql = "select min(day) as a, max(price) as b, min(small) as c, max(key) as d, count(*) as n from t"
    assert in_parts(binary, file, sql)[0] == answer(binary, files[1], "--sql", sql)


def test_nulls_are_refused_where_they_would_be_read(binary: str, tmp_path: Path):
    table = rows(2)
    day = [None if at == 7 else value for at, value in enumerate(table["day"].to_pylist())]
    path = write(table.set_column(0, "day", pa.array(day, pa.date32())), tmp_path / "nulls.parquet")
    for sql in (
        "select max(day) from t",
        "select count(day) from t",
        "select count(*) from t where day > date '1999-01-01'",
    ):
        line = printed(binary, "query", str(path), "--sql", sql, "--split", "1")
        refused(ran(binary, "query", "--part", given=line), "column day: it has nulls")
        refused(query(binary, path, "--sql", sql), "column day: it has nulls")


def test_days_of_the_old_calendar_are_refused_all_the_same(binary: str, tmp_path: Path):
    table = rows(3)
    day = [datetime.date(1500, 1, 1) if at == 7 else value for at, value in enumerate(table["day"].to_pylist())]
    table = table.set_column(0, "day", pa.array(day, pa.date32()))
    path = write(table.replace_schema_metadata({"org.apache.spark.legacyDateTime": ""}), tmp_path / "legacy.parquet")
    line = printed(binary, "query", str(path), "--sql", "select min(day) from t", "--split", "1")
    refused(ran(binary, "query", "--part", given=line), "dates before 1582-10-15")


def test_what_more_than_128_bits_hold_is_refused_whatever_footers_say(binary: str, tmp_path: Path):
    large = pa.table({"a": [1 << 62] * 3, "z": [1, 2, 3]})
    for known in (True, False):
        path = tmp_path / f"{known}.parquet"
        pq.write_table(large, path, write_statistics=known)
        for where in ("z > 60 and a * a * a > 0", "z < 60 or a * a * a > 0"):
            sql = f"select count(*) from t where {where}"
            refused(query(binary, path, "--sql", sql), "more than 128 bits")
            line = printed(binary, "query", str(path), "--sql", sql, "--split", "1")
            refused(ran(binary, "query", "--part", given=line), "more than 128 bits")


def test_groups_of_some_rows_that_have_more_codes_than_all_rows_are_no_reason_to_refuse(binary: str, tmp_path: Path):
    """Of all rows, keys are stored over their step. Up to 65,000 they fit 16 bits as they are."""
    key = [200 * at for at in range(652)]
    path = tmp_path / "steps.parquet"
    table = pa.table({"day": [1] * 326 + [2] * 326, "key": key, "flag": [at % 2 for at in range(652)]})
    pq.write_table(table, path, row_group_size=326)
    sql = "select key, flag, count(*) as n from t where day = 1 group by key, flag order by key"
    assert len(answer(binary, path, "--sql", sql).splitlines()) == 1 + 326


def test_parts_that_read_no_column_have_as_many_row_groups_each(binary: str, files: tuple[Path, Path]):
    lines = printed(binary, "query", str(files[0]), "--sql", "select count(*) from t", "--split", "3").splitlines()
    groups = [json.loads(line)["files"][0]["groups"] for line in lines]
    assert [one["end"] - one["start"] for one in groups] == [GROUPS // 3] * 3


@pytest.mark.parametrize(("parts", "number"), [("2", 2), ("2..4", 2), ("3..3", 3), ("1..9", 1)])
def test_between_the_fewest_and_the_most_as_many_parts_are_made_as_are_worth_it(binary, files, parts, number):
    lines = printed(binary, "query", str(files[0]), "--sql", "select sum(key) from t", "--split", parts).splitlines()
    assert len(lines) == number


def test_numbers_of_parts_that_make_no_sense_are_refused(binary, files):
    for parts, said in [
        ("4..2", "the fewest are more than the most"),
        ("0..2", "at least one part"),
        ("4..0", "at least one part"),
    ]:
        refused(query(binary, files[0], "--sql", "select sum(key) from t", "--split", parts), said)
    refused(
        query(binary, files[0], "--split", "2.."),
        "bad value '2..' for --split; expected a number, or a range such as 2..8",
    )
