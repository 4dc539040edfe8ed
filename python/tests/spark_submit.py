"""Programs that are submitted to local clusters of Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from clusters import Binaries
from lineitem import write
from sessions import HOME, MASTER, REFUSE, environment

from knee.cluster import archive

PROGRAM = """if True:
    import os, sys
    from pyspark.sql import SparkSession
    os.environ["KNEE_BIN"] = sys.argv[2]  # here alone: Java has started executors without it
    from knee.cluster.spark import sql
    spark = SparkSession.builder.getOrCreate()
    try:
        print(sql(spark, "select count(*) n from lineitem", lineitem=sys.argv[1]).collect())
    except Exception as error:
        print(f"{type(error).__name__}: {error}; {error.hint}")
"""


@pytest.fixture(scope="module", autouse=True)
def environs() -> Generator[pytest.MonkeyPatch]:
    with environment() as patch:
        yield patch


@pytest.fixture(scope="module")
def binaries(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Binaries:
    return Binaries(binary, tmp_path_factory.mktemp("binaries"))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tables") / "lineitem.parquet")


def submitted(program: list[str], own: dict[str, str], *more: str, **options: str) -> str:
    """Return what a program prints that is submitted to a cluster of its own."""
    words = [str(HOME / "bin/spark-submit"), *more]
    quiet = {"pyspark_driver_python": sys.executable, "ui_enabled": "false", "log_level": "OFF"}
    for name, value in (quiet | options).items():
        words += ["--conf", f"spark.{name.replace('_', '.')}={value}"]
    return subprocess.run([*words, *program], env=own, capture_output=True, text=True, check=True).stdout


def test_speculation_changes_no_answer(binaries: Binaries, table: Path, tmp_path: Path):
    """A part is late. Spark starts copies on other hosts alone, so here it starts none."""
    (tmp_path / "job.py").write_text(PROGRAM)
    binaries.make("late")
    out = submitted(
        [str(tmp_path / "job.py"), str(table), str(binaries.script)],
        {**os.environ, "KNEE_BIN": str(binaries.script)},
        master=MASTER,
        pyspark_python=sys.executable,
        speculation="true",
        speculation_interval="100ms",
        speculation_quantile="0.3",
    )
    assert "[Row(n=30000)]" in out
    binaries.all_end(within_s=30)


def test_executors_need_nothing_but_an_archive(binary: str, table: Path, tmp_path: Path):
    """Executors have an interpreter of their own, with neither the binary nor any package but pyspark."""
    (tmp_path / "sitecustomize.py").write_text(REFUSE)
    (tmp_path / "job.py").write_text(PROGRAM)
    archive(tmp_path / "knee.tar.gz")
    site = next(path for path in sys.path if path.endswith("site-packages"))
    own = {name: value for name, value in os.environ.items() if name not in ("KNEE_BIN", "PYSPARK_PYTHON")}

    def printed(*more: str) -> str:
        return submitted(
            [str(tmp_path / "job.py"), str(table), binary],
            {**own, "PATH": "/usr/bin:/bin"},
            *more,
            master="local-cluster[1,1,1024]",
            executorEnv_PYTHONPATH=f"{tmp_path}:{site}",
            pyspark_python=os.path.realpath(sys.executable),
        )

    missing = printed()
    assert "StudyError: part " in missing
    assert "it has no binary knee; install knee there with pip" in missing
    assert "[Row(n=30000)]" in printed("--archives", f"{tmp_path}/knee.tar.gz#knee")
