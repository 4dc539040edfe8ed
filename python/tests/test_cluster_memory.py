"""Workers of Dask in a control group with too little memory: what fails says so, and workers stay."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path

import dask
import pytest
from clusters import SUM, Binaries, fails, faulty
from control_groups import Group, group
from dask_worker import client_of
from distributed import Client
from lineitem import write

import knee.cluster
from knee.cluster.dask import query


@pytest.fixture(scope="module")
def limited() -> Generator[Group]:
    with group("test_cluster_memory") as made:
        yield made


@pytest.fixture
def binaries(binary: str, tmp_path: Path) -> Generator[Binaries]:
    with faulty(binary, tmp_path) as made:
        yield made


@pytest.fixture
def client(limited: Group, binaries: Binaries, tmp_path: Path) -> Generator[Client]:
    """A cluster whose one worker is in the group."""
    own = os.environ | {"KNEE_BIN": str(binaries.script)}
    # Where the nanny is killed, nothing starts another worker.
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "60s"}),
        client_of([*limited.inside, sys.executable], own, tmp_path) as client,
    ):
        yield client


def test_what_does_not_fit_is_said(client: Client, limited: Group, tmp_path: Path):
    table = write(tmp_path / "lineitem.parquet")
    limited.leave(40)
    where = "part 0 of ", "failed on tcp://"
    fails(lambda: knee.cluster.count(client, "rmat:18", "triangle"), *where, "MiB of memory, but only ", "more memory")
    fails(lambda: query(client, SUM, table), *where, "MiB of memory; ", "give workers more memory")


def test_the_kernel_kills_the_part_and_not_its_worker(client: Client, limited: Group, binaries: Binaries):
    """A part takes more than it looked for, and its worker has more memory than it. Its nanny would start another one,
    and Dask would give up after some.
    """
    binaries.make("hungry")
    limited.leave(24)
    fails(
        lambda: knee.cluster.count(client, "rmat:6", "triangle"),
        "of 4 failed on tcp://",
        "its process was killed by signal 9, as the kernel does when a container is out of memory",
        "hint: give the worker more memory",
    )
