"""A standalone cluster of Spark: a master, and two workers that are two hosts to Spark, with a core each.

Its workers have an interpreter of their own, with neither the binary nor any package but pyspark; the binary comes to
them by an archive, or by a path.
"""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from clusters import NAMED, SUM, Binaries, fails, faulty, text_of, until
from control_groups import group
from lineitem import write
from mining import said
from pyspark.sql import SparkSession
from sessions import HOME, REFUSE, assert_same, environment, frame_of, own, session

import knee.cluster
from knee.cluster import archive
from knee.cluster.spark import sql
from knee.cluster.spark.jobs import Cluster

HOSTS = "127.0.0.1", "127.0.0.2"

JAVA = os.environ.get("JAVA_HOME")

LATE_S = 60
"""How long a part is stuck: far longer than all others together take."""


@dataclass(frozen=True)
class Standalone:
    """A running cluster."""

    url: str
    folder: Path
    workers: dict[str, subprocess.Popen[bytes]]
    """Processes of the workers by host."""

    def start(self, host: str, inside: Sequence[str] = ()) -> None:
        """Start the worker of a host; ``inside`` are words before its command."""
        words = ["worker.Worker", self.url, "-h", host, "-c", "1", "-m", "1g", "-d", str(self.folder / host)]
        self.workers[host] = started(self.folder / f"{host}.log", *words, inside=inside)
        until(lambda: "Successfully registered" in (self.folder / f"{host}.log").read_text())

    def end(self) -> None:
        for one in self.workers.values():
            one.kill()
            one.wait()


def started(log: Path, name: str, *words: str, inside: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Start one of the cluster's processes, which inherits nothing of this environment but where Spark is."""
    clean = {"PATH": "/usr/bin:/bin", "SPARK_HOME": str(HOME), **({"JAVA_HOME": JAVA} if JAVA else {})}
    line = [*inside, str(HOME / "bin/spark-class"), f"org.apache.spark.deploy.{name}", "--webui-port", "0", *words]
    with log.open("wb") as file:
        return subprocess.Popen(line, env=clean, stdin=subprocess.DEVNULL, stdout=file, stderr=file)


@pytest.fixture(scope="module", autouse=True)
def environs() -> Generator[pytest.MonkeyPatch]:
    with environment() as patch:
        # The interpreter alone, without the environment that it is in.
        patch.setenv("PYSPARK_PYTHON", os.path.realpath(sys.executable))
        patch.delenv("KNEE_BIN", raising=False)
        yield patch


@contextmanager
def cluster_of(folder: Path) -> Generator[Standalone]:
    """Start a cluster, without workers so far."""
    with socket.create_server((HOSTS[0], 0)) as free:
        port = free.getsockname()[1]
    log = folder / "master.log"
    master = started(log, "master.Master", "-h", HOSTS[0], "-p", str(port))
    cluster = Standalone(f"spark://{HOSTS[0]}:{port}", folder, {})
    try:
        until(lambda: re.search(r"Starting Spark master at (spark://\S+)", log.read_text()))
        yield cluster
    finally:
        cluster.end()
        master.kill()
        master.wait()


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Generator[Standalone]:
    with cluster_of(tmp_path_factory.mktemp("standalone")) as cluster:
        for host in HOSTS:
            cluster.start(host)
        yield cluster


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tables") / "lineitem.parquet")


@contextmanager
def on(
    standalone: Standalone, settings: dict[str, str] | None = None, *, waits: bool = True
) -> Generator[SparkSession]:
    """Start a session, and wait for all workers."""
    (standalone.folder / "sitecustomize.py").write_text(REFUSE)
    site = next(path for path in sys.path if path.endswith("site-packages"))
    bare = {"spark.executorEnv.PYTHONPATH": f"{standalone.folder}:{site}", "spark.executor.memory": "1g"}
    with session(standalone.url, bare | (settings or {})) as spark:
        executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
        if waits:
            until(lambda: executors().size() == 1 + len(standalone.workers))
        yield spark


def test_a_session_that_has_just_begun_knows_the_cores_of_its_executors(standalone: Standalone):
    with on(standalone, waits=False) as spark:
        cluster = Cluster(spark)
        assert spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() > 1
        assert cluster._threads() is not None
    fails(lambda: knee.cluster.count(spark, "rmat:6", "triangle"), "this session is stopped")


def test_a_worker_without_the_binary_is_told_the_three_ways(standalone: Standalone, table: Path):
    three = "install knee there with pip", "register_plugin", "spark.archives"
    with on(standalone) as spark:
        fails(lambda: sql(spark, SUM, lineitem=table), "part ", "it has no binary knee", *three)


def test_answers_by_an_archive_are_those_of_spark_and_of_one_machine(
    standalone: Standalone, binary: str, table: Path, tmp_path: Path
):
    archive(tmp_path / "knee.tar.gz")
    expected = int(said(binary, "count", "rmat:10", "--pattern", "diamond"))
    with on(standalone, {"spark.archives": f"{tmp_path}/knee.tar.gz#knee"}) as spark:
        for name in NAMED:
            query = text_of(name, table)
            assert_same(sql(spark, query, lineitem=table), own(spark, query, table))
        assert knee.cluster.count(spark, "rmat:10", "diamond") == expected


@pytest.fixture
def binaries(binary: str, tmp_path: Path) -> Generator[Binaries]:
    """Return a binary whose path workers are told."""
    with faulty(binary, tmp_path) as made:
        yield made


def test_a_late_part_is_answered_by_another_host(standalone: Standalone, binaries: Binaries, table: Path):
    """Spark starts a copy of what is late on the other host, and ends the late one."""
    told = {"spark.executorEnv.KNEE_BIN": str(binaries.script), "spark.speculation": "true"}
    soon = {"spark.speculation.interval": "100ms", "spark.speculation.quantile": "0.3"}
    with on(standalone, told | soon) as spark:
        expected = own(spark, SUM, table).collect()
        binaries.make("stuck", str(LATE_S))
        begin = time.monotonic()
        assert frame_of(sql(spark, SUM, lineitem=table, parts=4)).collect() == expected
        assert time.monotonic() - begin < LATE_S
        assert len(binaries.asked()) > 4
        assert not (binaries.folder / "stuck").exists(), "one was stuck"
        binaries.all_end()


@pytest.mark.parametrize("seed", range(4))
def test_a_host_that_is_lost_changes_no_answer(standalone: Standalone, binaries: Binaries, table: Path, seed: int):
    """Its worker is killed at a random moment, which ends its executor, and the other host does what is left."""
    host, moment = HOSTS[seed % 2], random.Random(seed).uniform(0, 2)
    with on(standalone, {"spark.executorEnv.KNEE_BIN": str(binaries.script)}) as spark:
        expected = own(spark, SUM, table).collect()
        binaries.make("slow")

        killed = list[str]()

        def kill() -> None:
            time.sleep(moment)
            until(binaries.parts)
            standalone.workers[host].kill()
            standalone.workers[host].wait()
            killed.append(host)

        thread = threading.Thread(target=kill)
        thread.start()
        found = frame_of(sql(spark, SUM, lineitem=table, parts=8)).collect()
        thread.join()
        assert killed
        assert found == expected
        assert all("--threads=1" in words for words in binaries.asked()), "an executor has one of this machine's cpus"
        binaries.all_end()
    standalone.start(host)


def test_too_little_memory_in_a_control_group_is_said(binaries: Binaries, table: Path, tmp_path: Path):
    """The kernel kills the part and not the executor, which has more memory than it."""
    told = {"spark.executorEnv.KNEE_BIN": str(binaries.script)}
    # All of its heap is there from the start, and takes none of what the test leaves.
    heap = {"spark.executor.memory": "512m", "spark.executor.extraJavaOptions": "-Xms512m -XX:+AlwaysPreTouch"}
    with group("spark_standalone") as limited, cluster_of(tmp_path) as cluster:
        cluster.start(HOSTS[0], limited.inside)
        with on(cluster, told | heap) as spark:
            assert_same(sql(spark, SUM, lineitem=table), own(spark, SUM, table))
            limited.leave(80)
            where = "part ", " failed on "
            fails(lambda: sql(spark, SUM, lineitem=table), *where, "MiB of memory; ", "give workers more memory")
            large = lambda: knee.cluster.count(spark, "rmat:19", "triangle", parts=2)  # noqa: E731
            fails(large, *where, "MiB of memory, but only ", "more memory")
            binaries.make("hungry")
            killed = "its process was killed by signal 9", "hint: give the worker more memory"
            fails(lambda: knee.cluster.count(spark, "rmat:6", "triangle", parts=2), *where, *killed)
