"""Queries and counts on a local Dask cluster of two workers: answers, lost workers, and what goes wrong."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import dask
import pytest
from clusters import NAMED, SUM, Binaries, fails, of_version, parent, text_of, until
from dask_worker import client_of
from distributed import Client, Future, LocalCluster
from lineitem import write
from mining import said
from queries import answer

import knee.cluster
import knee.cluster.dask
import knee.mine
from knee.cluster import worker
from knee.cluster.answer import Answer
from knee.cluster.dask import Binary, on_workers, query
from knee.cluster.dask.by_value import ByValue
from knee.cluster.dask.jobs import Cluster
from knee.cluster.parts import plain, split_count, split_query
from knee.cluster.worker import Limits, Worker


@pytest.fixture(scope="module")
def binaries(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Binaries:
    return Binaries(binary, tmp_path_factory.mktemp("binaries"))


@pytest.fixture(scope="module")
def cluster(binaries: Binaries) -> Generator[LocalCluster]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KNEE_BIN", str(binaries.script))
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            yield cluster


@pytest.fixture
def client(cluster: LocalCluster, binaries: Binaries) -> Generator[Client]:
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client
    binaries.fix()
    binaries.all_end()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tables") / "lineitem.parquet")


def named(binary: str | Path) -> str:
    """Return what a worker executes to know a binary: a method of this process's environment would change a copy."""
    return f"import os; os.environ['KNEE_BIN'] = '{binary}'"


@contextmanager
def _stuck(binaries: Binaries, patience: str) -> Generator[tuple[LocalCluster, Client]]:
    """Give a cluster whose one worker does not end its first part, and that waits so long for other workers."""
    binaries.make("stuck", "600")
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": patience}),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(exec, named(binaries.script))
        yield cluster, client


def csv_of(found: Answer | knee.cluster.Parts) -> str:
    assert not isinstance(found, knee.cluster.Parts)
    lines = [found.names, *(["" if value is None else str(value) for value in row] for row in found.rows)]
    return "\n".join(",".join(line) for line in lines) + "\n"


@pytest.mark.parametrize("name", NAMED)
def test_queries_have_the_answer_of_one_machine(client: Client, binary: str, table: Path, name: str):
    assert csv_of(query(client, text_of(name, table), table)) == answer(binary, name, table)


@pytest.mark.parametrize("pattern", ["diamond", "5-clique"])
def test_counts_are_those_of_one_machine(client: Client, binary: str, pattern: str):
    expected = int(said(binary, "count", "rmat:10", "--pattern", pattern))
    assert knee.cluster.count(client, "rmat:10", pattern) == expected
    assert knee.cluster.count(client, "rmat:10", pattern, parts=3, cache=False) == expected


def test_motifs_are_those_of_one_machine(client: Client):
    assert knee.cluster.motifs(client, "rmat:9", 4) == knee.mine.motifs("rmat:9", 4)


def test_explain_shows_the_parts_and_runs_nothing(client: Client, table: Path):
    shown = query(client, SUM, table, parts=3, explain=True)
    first, _, last = str(shown).splitlines()
    assert first.startswith("part 0 of 3: row groups 0 to ")
    assert last.endswith(f" to 11 of {table}")
    assert "part 1 of 2: its share of" in str(knee.cluster.count(client, "rmat:8", "triangle", parts=2, explain=True))


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 20)] + [0, 1])
def test_a_worker_that_is_killed_changes_no_answer(
    client: Client, cluster: LocalCluster, binary: str, binaries: Binaries, table: Path, seed: int
):
    binaries.make("slow")
    moment = random.Random(seed).uniform(0, 1.5)
    victim = random.Random(seed).choice(list(cluster.workers.values())).process.pid
    timer = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
    timer.start()
    try:
        found = csv_of(query(client, SUM, table, parts=8))
    finally:
        timer.join()
    assert found == answer(binary, "--sql", SUM, table)
    binaries.all_end()


def test_a_last_worker_that_comes_back_answers(binary: str, binaries: Binaries, table: Path):
    """Its nanny starts another one, with another address."""
    with _stuck(binaries, "60s") as (cluster, client), ThreadPoolExecutor(1) as threads:
        asked = threads.submit(query, client, SUM, table, parts=8)
        until(binaries.parts)
        os.kill(cluster.workers[0].process.pid, signal.SIGKILL)
        assert csv_of(asked.result(120)) == answer(binary, "--sql", SUM, table)
    binaries.all_end()


@pytest.fixture
def long(client: Client, binaries: Binaries) -> Future:
    """A part that takes longer than its test, and runs."""
    parts = split_count("count", "rmat:18", {"pattern": "diamond", "plan": "explore"}, 1)
    future = client.submit(
        ByValue(partial(on_workers.run, Limits())), parts.lines[0], key=f"knee-part-{uuid.uuid4()}", pure=False
    )
    until(binaries.parts)
    return future


def test_a_part_ends_with_its_worker(client: Client, cluster: LocalCluster, binaries: Binaries, long: Future):
    (part,) = binaries.parts()
    os.kill(parent(part), signal.SIGKILL)
    until(lambda: part not in binaries.parts())
    client.cancel([long])


def test_a_part_ends_when_it_is_cancelled(client: Client, binaries: Binaries, long: Future):
    client.cancel([long])
    until(lambda: not binaries.parts())


def test_a_part_ends_with_its_client(cluster: LocalCluster, binaries: Binaries, tmp_path: Path):
    program = """if True:
        import sys
        from distributed import Client
        import knee.cluster
        with Client(sys.argv[1]) as client:
            knee.cluster.count(client, "rmat:18", "diamond", plan="explore")
    """
    with subprocess.Popen([sys.executable, "-c", program, cluster.scheduler_address]) as process:
        until(binaries.parts)
        process.kill()
    until(lambda: not binaries.parts())


def test_a_cluster_that_loses_its_workers_is_an_error_where_dask_is_told_so(binaries: Binaries):
    with _stuck(binaries, "1s") as (cluster, client), ThreadPoolExecutor(1) as threads:
        asked = threads.submit(
            fails,
            lambda: knee.cluster.count(client, "rmat:6", "triangle"),
            "part ",
            "Dask gave up: ",
            "any running workers",
        )
        until(binaries.parts)
        cluster.scale(0)
        asked.result(120)
    binaries.all_end()


def test_a_part_that_takes_too_long_is_an_error(client: Client, binaries: Binaries):
    def count():
        return knee.cluster.count(client, "rmat:18", "diamond", plan="explore", timeout_s=1)

    fails(count, "part ", " of 8 failed on tcp://", "it took longer than 1 s", "hint: raise timeout_s")
    until(lambda: not binaries.parts())


def test_a_part_that_fails_once_is_tried_again(client: Client, binary: str, binaries: Binaries, table: Path):
    binaries.make("once")
    assert csv_of(query(client, SUM, table)) == answer(binary, "--sql", SUM, table)
    assert not (binaries.folder / "once").exists()


def test_a_process_that_reads_nothing_says_why(client: Client, binaries: Binaries, table: Path):
    binaries.make("deaf")
    fails(lambda: query(client, SUM, table), "failed on tcp://", "it hears nothing")
    long = SUM.replace("from", f"from /* {'x' * 65_000} */")
    fails(lambda: query(client, long, table), "failed on tcp://", "it hears nothing")


def test_what_fails_on_one_worker_is_answered_by_others(client: Client, binary: str, table: Path):
    client.run(exec, named("/none"), workers=[next(iter(client.nthreads()))])
    try:
        assert csv_of(query(client, SUM, table, parts=8)) == answer(binary, "--sql", SUM, table)
    finally:
        client.run(exec, named(os.environ["KNEE_BIN"]))


def test_sql_may_begin_with_a_comment(client: Client, binary: str, table: Path):
    assert csv_of(query(client, f"-- taxes\n{SUM}", table)) == answer(binary, "--sql", SUM, table)


def test_two_questions_at_a_time_have_their_own_answers(client: Client, binary: str, table: Path):
    with ThreadPoolExecutor() as threads:
        found = [threads.submit(query, client, text_of(name, table), table) for name in ("q1", "q6", "all")]
        for name, one in zip(("q1", "q6", "all"), found, strict=True):
            assert csv_of(one.result()) == answer(binary, name, table)


def test_parts_that_are_answered_twice_count_once(binary: str, table: Path):
    parts = query_parts(table, 3)
    answers = [knee.cluster.run_part(line) for line in parts.lines]
    once = Answer.of(knee.cluster.merge(answers))
    assert csv_of(once) == answer(binary, "--sql", SUM, table)
    assert Answer.of(knee.cluster.merge([*answers, answers[1], answers[0]])) == once
    fails(lambda: knee.cluster.merge(answers[1:]), "1 of 3 parts is missing: 0")
    other = [knee.cluster.run_part(line) for line in query_parts(table, 4).lines]
    fails(lambda: knee.cluster.merge([*answers, other[0]]), "is of another job")


def query_parts(table: Path, parts: int) -> knee.cluster.Parts:
    return split_query(SUM, table, parts)


def test_another_version_is_named(client: Client, table: Path):
    fails(
        lambda: Cluster(client).answers(of_version("0.0.9", query_parts(table, 2)), Limits()),
        "part ",
        "of 2 failed on tcp://",
        "the part is of knee 0.0.9, and this is knee 0.",
        "hint: install the same version on all machines",
    )


def test_files_that_are_not_there_or_changed_are_named(client: Client, tmp_path: Path):
    table = write(tmp_path / "own.parquet")
    fails(lambda: query(client, SUM, tmp_path / "none.parquet"), "none.parquet")
    parts = split_query(SUM, table, 4)
    write(table, seed=8)
    fails(lambda: Cluster(client).answers(parts, Limits()), str(table), "is not as it was when the query was split")
    table.unlink()
    fails(
        lambda: Cluster(client).answers(parts, Limits()),
        "failed on tcp://",
        str(table),
        "the same files under the same",
    )


def test_a_graph_that_changed_is_named(client: Client, tmp_path: Path):
    graph = tmp_path / "edges.txt"
    graph.write_text("0 1\n1 2\n2 0\n")
    parts = split_count("count", graph, {"pattern": "triangle"}, 2)
    graph.write_text("0 1\n1 2\n2 3\n")
    fails(lambda: Cluster(client).answers(parts, Limits()), "edges.txt is not the graph that was divided")
    fails(lambda: knee.cluster.count(client, tmp_path / "none.txt", "triangle"), "none.txt")
    fails(lambda: knee.cluster.count(client, [(0, 1)], "triangle"), "builtins.list", "workers read a file")  # type: ignore[arg-type]


def test_too_little_memory_is_said(client: Client, binaries: Binaries):
    binaries.make("limit", "60000")
    fails(lambda: knee.cluster.count(client, "rmat:18", "triangle"), "part ", "failed on tcp://", "memory")


def test_a_folder_that_cannot_be_written_is_named(binary: str, tmp_path: Path):
    (line,) = split_count("count", "rmat:6", {"pattern": "triangle"}, 1).lines
    none = worker.outcome(line, Worker("here", "/proc/none", 1), Limits())
    assert none.answer is None
    assert str(none.error).startswith("part 0 of 1 failed on here: cannot write /proc/none/knee-seat: No such file")
    (tmp_path / "knee-graphs").touch()
    graphs = worker.outcome(line, Worker("here", str(tmp_path), 1), Limits(cache=True))
    assert f"part 0 of 1 failed on here: cannot make the directory {tmp_path}/knee-graphs" in str(graphs.error)
    assert "hint: give the worker a folder with room for the graph, or pass cache=False" in str(graphs.error)


def test_a_worker_keeps_few_graphs(binary: str, tmp_path: Path):
    own = Worker("here", str(tmp_path), 1)
    for night in range(6):
        graph = tmp_path / "edges.txt"
        graph.write_text(f"0 1\n1 2\n2 0\n2 {3 + night}\n")
        (line,) = split_count("count", graph, {"pattern": "triangle"}, 1).lines
        assert worker.outcome(line, own, Limits(cache=True)).answer is not None
    assert len(list((tmp_path / "knee-graphs").iterdir())) <= 4


def test_an_address_in_another_file_system_is_refused():
    for path in ("s3://bucket/a.parquet", "dbfs:/a.parquet"):
        fails(lambda path=path: plain(path), f"{path} is not in a file system that workers have mounted")
    assert plain("file:///a/b.parquet") == plain("file:/a/b.parquet") == plain("/a/b.parquet") == "/a/b.parquet"


def test_a_graph_has_the_addresses_of_a_table(tmp_path: Path):
    graph = tmp_path / "edges.txt"
    graph.write_text("0 1\n1 2\n2 0\n")
    (line,) = split_count("count", f"file://{graph}", {"pattern": "triangle"}, 1).lines
    assert json.loads(line)["arguments"]["graph"] == str(graph)
    far = "hdfs://host/edges.txt"
    fails(lambda: split_count("count", far, {"pattern": "triangle"}, 1), f"{far} is not in a file system that workers")


def test_an_archive_is_whole_or_as_it_was(binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "knee.tar.gz"
    path.write_text("another one")
    monkeypatch.setenv("KNEE_BIN", "/none/knee")
    with pytest.raises(OSError, match="/none/knee"):
        knee.cluster.archive(path)
    assert [one.name for one in tmp_path.iterdir()] == ["knee.tar.gz"]
    assert path.read_text() == "another one"


def test_a_client_that_is_closed_is_an_error(cluster: LocalCluster):
    client = Client(cluster)
    client.close()
    fails(lambda: knee.cluster.count(client, "rmat:6", "triangle"), "this client is not connected: it is closed")


def test_what_is_no_cluster_is_named():
    fails(lambda: knee.cluster.count([1], "rmat:3", "triangle"), "builtins.list, which is no cluster", "SparkSession")


BARE = """if True:
    import sys
    class Refuse:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == "knee":
                raise ImportError("knee is not installed here")
    sys.meta_path.insert(0, Refuse())
"""
"""Lets an interpreter be one without knee."""


@pytest.fixture
def bare(tmp_path: Path) -> Generator[Client]:
    """A cluster whose worker has neither the package nor the binary."""
    (tmp_path / "sitecustomize.py").write_text(BARE)
    site = next(path for path in sys.path if path.endswith("site-packages"))
    # The folder of this interpreter has a binary, and that of the system's has none.
    python = os.path.realpath(sys.executable)
    own = {"PYTHONPATH": f"{tmp_path}:{site}", "PATH": "/usr/bin:/bin"}
    with client_of([python], own, tmp_path) as client:
        yield client


def test_workers_need_nothing_but_the_binary(bare: Client, binary: str, table: Path):
    fails(lambda: query(bare, SUM, table), "it has no binary knee", "pip", "knee.cluster.dask.Binary", "spark.archives")
    bare.register_plugin(Binary())
    assert csv_of(query(bare, SUM, table)) == answer(binary, "--sql", SUM, table)
