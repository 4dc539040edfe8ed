"""Queries and counts on Spark: answers and types beside Spark's own, lost workers, and what goes wrong.

Needs pyspark and Java, in an environment of its own: ci/spark.sh runs it.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from clusters import NAMED, SUM, Binaries, fails, of_version, parent, text_of, until
from lineitem import write
from mining import said
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, StructField, StructType
from sessions import MASTER, assert_same, environment, frame_of, own, session

import knee.cluster
import knee.mine
from knee.cluster.parts import split_count, split_query
from knee.cluster.spark import queries, sql
from knee.cluster.spark.footer import MERGED, schema_of
from knee.cluster.spark.jobs import Cluster, _given_up
from knee.cluster.spark.tables import Table
from knee.cluster.worker import Limits
from knee.store import StudyError

LONG = {"pattern": "diamond", "plan": "explore"}


@pytest.fixture(scope="module", autouse=True)
def environs() -> Generator[pytest.MonkeyPatch]:
    with environment() as patch:
        yield patch


@pytest.fixture(scope="module")
def binaries(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Binaries:
    return Binaries(binary, tmp_path_factory.mktemp("binaries"))


@pytest.fixture(scope="module")
def cluster(environs: pytest.MonkeyPatch, binaries: Binaries) -> Generator[SparkSession]:
    environs.setenv("KNEE_BIN", str(binaries.script))
    # Workers of a local cluster that are killed come back, but not more often than this.
    with session(MASTER, {"spark.task.maxFailures": "8"}) as spark:
        yield spark


@pytest.fixture
def spark(cluster: SparkSession, binaries: Binaries) -> Generator[SparkSession]:
    yield cluster
    binaries.fix()
    binaries.all_end()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tables") / "lineitem.parquet")


@pytest.fixture(scope="module")
def doubles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("doubles") / "lineitem.parquet", double=True)


OTHERS = {
    "types": "select sum(l_linenumber), avg(l_linenumber) a, avg(l_quantity * l_tax) b, min(l_shipdate),"
    " max(l_shipmode), min(l_orderkey), max(l_linenumber), count(*), sum(l_quantity + 1) from lineitem",
    "none": "select sum(l_tax), avg(l_tax), avg(l_linenumber), count(*), max(l_shipdate) from lineitem where l_tax < 0",
    "no groups": "select l_shipmode, count(*) from lineitem where l_tax < 0 group by l_shipmode",
    "order": "select l_shipmode, avg(l_linenumber) a from lineitem group by 1 order by a desc, l_shipmode limit 3",
    "keys": "select l_linenumber, l_discount, min(l_tax) from lineitem group by 1, 2 order by 2 desc, 1 limit 10",
}


@pytest.mark.parametrize("name", [*NAMED, *OTHERS])
def test_answers_and_types_are_those_of_spark(spark: SparkSession, table: Path, name: str):
    query = OTHERS.get(name) or text_of(name, table)
    assert_same(sql(spark, query, lineitem=table), own(spark, query, table))


@pytest.mark.parametrize("name", NAMED)
def test_answers_from_doubles_have_sparks_types_and_nine_digits(spark: SparkSession, doubles: Path, name: str):
    query = text_of(name, doubles)
    found, expected = frame_of(sql(spark, query, lineitem=doubles)), own(spark, query, doubles)
    assert found.schema == expected.schema
    for row, right in zip(found.collect(), expected.collect(), strict=True):
        assert [value if not isinstance(value, float) else pytest.approx(value, rel=1e-9) for value in row] == list(
            right
        )


def test_a_frame_that_reads_files_is_as_good_as_their_path(spark: SparkSession, table: Path):
    frame = spark.read.parquet(str(table))
    assert_same(sql(spark, SUM, lineitem=frame), own(spark, SUM, table))
    assert_same(sql(spark, SUM, lineitem=frame.alias("a")), own(spark, SUM, table))
    assert_same(sql(spark, SUM, lineitem=f"file://{table.parent}"), own(spark, SUM, table))


def test_the_schema_of_files_is_sparks_own_and_needs_no_job(spark: SparkSession, table: Path, tmp_path: Path):
    kinds = (
        "id as whole, cast(id as byte) as small, cast(id as decimal(9, 2)) as exact, cast(1 as decimal(30, 4)) as wide,"
        " date_add(date'2020-01-01', cast(id as int)) as day, cast(id as string) as text, array(id) as several,"
        " timestamp'2020-01-01 00:00:00' as time, cast('a' as binary) as bytes, cast(id as float) as number"
    )
    folder = tmp_path / "a folder"
    spark.range(4).write.parquet(str(tmp_path / "narrow"))
    spark.sql(f"select {kinds} from range(4)").write.parquet(str(folder))
    context = spark.sparkContext
    for path in (table, folder, tmp_path / "narrow"):
        expected = spark.read.parquet(f"file:{path}").schema
        context.setJobGroup(f"schema of {path}", "")
        found = Table.of(spark, path).frame
        assert not context.statusTracker().getJobIdsForGroup(f"schema of {path}")
        context.setLocalProperty("spark.jobGroup.id", None)
        assert found.schema == expected


def test_spark_finds_the_schema_where_it_reads_several_footers(spark: SparkSession, tmp_path: Path):
    for part, column in (("a", "one"), ("b", "two")):
        spark.range(2).toDF(column).coalesce(1).write.parquet(str(tmp_path / part))
        next((tmp_path / part).glob("*.parquet")).rename(tmp_path / f"{part}.parquet")
        shutil.rmtree(tmp_path / part)
    first = schema_of(spark, str(tmp_path))
    assert first is not None
    assert first.names == ["one"], "that of the first file"
    spark.conf.set(MERGED, "true")
    try:
        assert schema_of(spark, str(tmp_path)) is None
        assert {field.name for field in Table.of(spark, tmp_path).frame.schema.fields} == {"one", "two"}
    finally:
        spark.conf.unset(MERGED)
    (tmp_path / "x=1").mkdir()
    assert schema_of(spark, str(tmp_path)) is None, "a column may be in the name of a folder"
    (tmp_path / "damaged.parquet").write_text("PAR1 of nothing")
    assert schema_of(spark, str(tmp_path / "damaged.parquet")) is None


@pytest.mark.parametrize("version", ["3.5.8", "4.1.0"])
def test_a_frame_from_rows_is_that_from_arrow(
    spark: SparkSession, table: Path, version: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(SparkSession, "version", version)
    assert_same(sql(spark, SUM, lineitem=table), own(spark, SUM, table))


def test_tasks_are_cancelled_when_spark_refuses_the_query(
    spark: SparkSession, binaries: Binaries, table: Path, monkeypatch: pytest.MonkeyPatch
):
    binaries.make("slow")
    before = len(binaries.asked())

    def refused(*_: object) -> None:
        until(binaries.parts)
        raise StudyError("it is refused")

    monkeypatch.setattr(queries.Analysed, "of", refused)
    fails(lambda: sql(spark, SUM, lineitem=table, parts=8), "it is refused")
    until(lambda: not binaries.parts())
    assert len(binaries.asked()) - before < 8
    binaries.all_end()


def test_a_part_that_fails_for_good_ends_the_others(spark: SparkSession, binaries: Binaries):
    binaries.make("slow")
    binaries.make("late")
    before = len(binaries.asked())
    fails(lambda: knee.cluster.count(spark, "rmat:8", "triangle", parts=32, timeout_s=2), "it took longer than 2 s")
    assert len(binaries.asked()) - before < 32
    binaries.all_end()


def test_what_spark_makes_of_its_text_is_not_asked(spark: SparkSession, table: Path, tmp_path: Path):
    variables = "select count(*) from lineitem where l_shipmode = '${spark.app.name}'"
    fails(
        lambda: sql(spark, variables, lineitem=table), "knee may answer otherwise than Spark: ${ means something else"
    )
    digits = "select count(*) from lineitem where l_tax > 0.0499999999999999999999999999999999999"
    fails(lambda: sql(spark, digits, lineitem=table), "Spark takes digits off")
    spark.range(3).selectExpr("cast(id as double) x").write.parquet(str(tmp_path / "doubles"))
    twice = "select count(*) from t where x = 0.10000000000000005"
    fails(lambda: sql(spark, twice, t=tmp_path / "doubles"), "it makes another double of 0.10000000000000005")
    assert frame_of(sql(spark, "select count(*) from t where x > 0.5", t=tmp_path / "doubles")).first()[0] == 2


def test_the_users_own_view_stays(spark: SparkSession, table: Path):
    spark.range(3).createOrReplaceTempView("lineitem")
    frame_of(sql(spark, SUM, lineitem=table))
    assert spark.table("lineitem").count() == 3


@pytest.mark.parametrize("pattern", ["diamond", "5-clique"])
def test_counts_are_those_of_one_machine(spark: SparkSession, binary: str, pattern: str):
    expected = int(said(binary, "count", "rmat:10", "--pattern", pattern))
    assert knee.cluster.count(spark, "rmat:10", pattern) == expected
    assert knee.cluster.count(spark, "rmat:10", pattern, parts=3, cache=False) == expected


def test_motifs_are_those_of_one_machine(spark: SparkSession):
    assert knee.cluster.motifs(spark, "rmat:9", 4) == knee.mine.motifs("rmat:9", 4)


@pytest.mark.parametrize("seed", range(20))
def test_a_worker_that_is_killed_changes_no_answer(spark: SparkSession, binaries: Binaries, table: Path, seed: int):
    """Its Python process is killed at a random moment, and in every fourth run the whole executor."""
    binaries.make("slow")
    chosen = random.Random(seed)
    moment, up = chosen.uniform(0, 2), 3 if seed % 4 == 0 else 1
    killed = list[int]()

    def kill() -> None:
        time.sleep(moment)
        with suppress(OSError, IndexError, AssertionError):
            until(binaries.parts)
            victim = chosen.choice(binaries.parts())
            for _ in range(up):  # the part, its Python worker, their daemon, the executor
                victim = parent(victim)
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    thread = threading.Thread(target=kill)
    thread.start()
    found = frame_of(sql(spark, SUM, lineitem=table, parts=8)).collect()
    thread.join()
    assert killed
    assert found == own(spark, SUM, table).collect()
    binaries.all_end()


def test_a_part_that_fails_once_is_tried_again(spark: SparkSession, binaries: Binaries, table: Path):
    binaries.make("once")
    assert_same(sql(spark, SUM, lineitem=table), own(spark, SUM, table))
    assert not (binaries.folder / "once").exists()


def test_parts_leave_processes_that_spark_uses_again(spark: SparkSession, table: Path):
    """Spark does so only where a task has read all of its input."""
    context = spark.sparkContext

    def both(found: set[int]) -> bool:
        """Add the processes of both executors, as far as tasks come to them."""
        found.update(context.parallelize([None] * 8, 8).map(lambda _: os.getpid()).collect())
        return len(found) >= 2

    before, after = set[int](), set[int]()
    until(lambda: both(before))
    sql(spark, SUM, lineitem=table, parts=8)
    until(lambda: both(after))
    assert after == before


def test_a_part_that_takes_too_long_is_an_error(spark: SparkSession, binaries: Binaries):
    fails(
        lambda: knee.cluster.count(spark, "rmat:18", "diamond", plan="explore", timeout_s=1), "it took longer than 1 s"
    )
    until(lambda: not binaries.parts())


def test_a_part_ends_when_its_job_is_cancelled(spark: SparkSession, binaries: Binaries):
    parts = split_count("count", "rmat:18", LONG, 2)
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(fails, lambda: Cluster(spark).answers(parts, Limits()), "Spark gave up")
        until(binaries.parts)
        spark.sparkContext.cancelAllJobs()
        asked.result(30)
    until(lambda: not binaries.parts())


@pytest.mark.parametrize(
    "reason", ["Command exited with code 137", "The executor with id 2 exited with exit code 137(SIGKILL, OOMKilled)"]
)
def test_an_executor_that_is_killed_as_a_whole_wants_more_memory(reason: str):
    lost = f"ExecutorLostFailure (executor 3 exited caused by one of the running tasks) Reason: {reason}"
    said = f"Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0: {lost}\nDriver stack"
    error = _given_up(RuntimeError(said))
    assert str(error).endswith(reason)
    assert error.hint == "give executors more memory: raise spark.executor.memoryOverhead"
    assert _given_up(RuntimeError(said.replace("137", "1").replace("OOMKilled", ""))).hint == "its log says more"


def test_what_spark_rounds_or_knee_cannot_read_is_refused(spark: SparkSession, table: Path, tmp_path: Path):
    frame = spark.read.parquet(str(table))
    product = "l_quantity * l_extendedprice * l_discount * l_tax * l_tax"
    fails(lambda: sql(spark, f"select sum({product}) from lineitem", lineitem=table), "Spark rounds what multiply")
    fails(lambda: sql(spark, f"select count(*) from lineitem where {product} > 0", lineitem=table), "Spark rounds")
    for other in (frame.filter("l_tax > 0"), frame.select("l_tax"), frame.union(frame), spark.range(3).toDF("l_tax")):
        fails(lambda other=other: sql(spark, SUM, lineitem=other), "this frame is not just a read of Parquet files")
    wider = spark.read.schema(StructType([*frame.schema.fields, StructField("more", IntegerType())])).parquet(
        str(table)
    )
    fails(lambda: sql(spark, SUM, lineitem=wider), "its schema is not that of its files")
    frame.limit(10).write.partitionBy("l_returnflag").parquet(str(tmp_path / "cut"))
    fails(lambda: sql(spark, SUM, lineitem=tmp_path / "cut"), "in the names of folders")
    (tmp_path / "mixed").mkdir()
    shutil.copy(table, tmp_path / "mixed/a.parquet")
    shutil.copy(table, tmp_path / "mixed/b.data")
    fails(lambda: sql(spark, SUM, lineitem=tmp_path / "mixed"), "Spark reads b.data, too")
    fails(lambda: sql(spark, SUM, lineitem="hdfs://host/lineitem"), "hdfs://host/lineitem is not in a file system")
    fails(lambda: sql(spark, SUM, lineitem="/none.parquet"), "/none.parquet is not there")
    frame.createOrReplaceTempView("lineitem")
    fails(lambda: sql(spark, SUM, other=table), "reads another table than other")
    fails(lambda: sql(spark, SUM), "a query has one table, and here is none")
    fails(lambda: sql(spark, "select count(distinct l_tax) from lineitem", lineitem=table), "DISTINCT")
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        sql(spark, "select none from lineitem", lineitem=table)


@pytest.mark.parametrize("front", ["", "-- a comment\n", "/* select */ "])
def test_a_command_is_refused_and_not_run(spark: SparkSession, table: Path, tmp_path: Path, front: str):
    spark.sql(f"create table kept using parquet location 'file:{tmp_path}/kept' as select cast(7 as bigint) as one")
    try:
        for command in (
            "insert overwrite kept select count(*) from lineitem",
            "insert into kept select count(*) from lineitem",
            "drop table kept",
        ):
            fails(lambda command=command: sql(spark, front + command, lineitem=table))
        assert [row.one for row in spark.table("kept").collect()] == [7]
    finally:
        spark.sql("drop table if exists kept")


def test_files_that_spark_does_not_read_are_refused(spark: SparkSession, table: Path, tmp_path: Path):
    folder = tmp_path / "grows"
    folder.mkdir()
    shutil.copy(table, folder / "a.parquet")
    before = spark.read.parquet(str(folder))
    before.count()
    assert_same(sql(spark, SUM, lineitem=before), own(spark, SUM, table))
    shutil.copy(table, folder / "b.parquet")
    fails(lambda: sql(spark, SUM, lineitem=before), "Spark does not read b.parquet, and knee would")
    shutil.copy(table, tmp_path / "#1.parquet")
    assert_same(sql(spark, SUM, lineitem=tmp_path / "#1.parquet"), own(spark, SUM, table))
    fails(lambda: sql(spark, SUM, lineitem="dbfs:/mnt/t"), "dbfs:/mnt/t is not in a file system that workers")


OTHERWISE = {
    'select min("l_tax") from lineitem': 'text in " means something else',
    "select count(*) from lineitem where l_shipmode = 'A\\x'": "a backslash",
    "select count(*) from lineitem where l_shipmode = 'a''b'": "two quotes",
    "select l_shipmode as l_returnflag, count(*) from lineitem group by l_shipmode, l_returnflag": "name of a column",
    "select l_shipmode, sum(l_tax) as l_linenumber from lineitem group by l_shipmode, lineitem.l_linenumber"
    " order by lineitem.l_linenumber": "name of a column",
    "select sum(l_linenumber * l_linenumber) from lineitem": "may be too large for its type",
    "select count(*) from lineitem where l_linenumber < 2000000000 * 3": "may be too large for its type",
    "select max(l_shipdate - l_commitdate) from lineitem": "has the type interval day, which knee does not have",
}


@pytest.mark.parametrize("query", OTHERWISE)
def test_what_spark_understands_otherwise_is_refused(spark: SparkSession, table: Path, query: str):
    fails(lambda: sql(spark, query, lineitem=table), "knee may answer otherwise than Spark: ", OTHERWISE[query])


def test_names_that_differ_by_case_are_refused(spark: SparkSession, table: Path):
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        fails(lambda: sql(spark, SUM, lineitem=table), "spark.sql.caseSensitive is true")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_averages_are_ordered_as_they_are_rounded(spark: SparkSession, tmp_path: Path):
    rows = ", ".join(["('a', 0.01)", "('b', 0.01)", *["('a', 0.00)"] * 299, *["('b', 0.00)"] * 298, "('b', 0.00)"])
    made = spark.sql(f"select g, cast(x as decimal(15, 2)) x from values {rows} as t(g, x)")
    made.coalesce(1).write.parquet(str(tmp_path / "t"))
    query = "select g, avg(x) m from t group by g order by m desc, g limit 1"
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    assert_same(sql(spark, query, t=tmp_path / "t"), spark.sql(query))


def test_files_and_versions_that_differ_are_named(spark: SparkSession, tmp_path: Path):
    table = write(tmp_path / "own.parquet")
    parts = split_query(SUM, table, 4)
    fails(lambda: Cluster(spark).answers(of_version("0.0.9", parts), Limits()), "of 4 failed on", "is of knee 0.0.9")
    write(table, seed=8)
    fails(lambda: Cluster(spark).answers(parts, Limits()), str(table), "is not as it was when the query was split")
    table.unlink()
    fails(lambda: Cluster(spark).answers(parts, Limits()), "of 4 failed on", str(table), "hint: each machine")


def test_too_little_memory_is_said(spark: SparkSession, binaries: Binaries):
    binaries.make("limit", "60000")
    fails(lambda: knee.cluster.count(spark, "rmat:18", "triangle"), "part ", "memory")
