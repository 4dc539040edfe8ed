"""Are answers of `knee.cluster` those of one process of knee, and of Spark itself? No times.

    bench/cluster/equal.py LINEITEM [--graph rmat:16] [--motifs rmat:13]

TPC-H's lineitem as Parquet is asked the six queries, and the graphs are asked for diamonds, 5-cliques, and motifs of
three and four vertices: on Dask and on Spark, with two workers of one core each, and of one process. Values have to be
equal to the last digit (averages as they are rounded), and so have types; on Spark also to Spark SQL's own, with its
names and nullability. Run it with a Python that has pyspark, distributed and pandas; PYTHONPATH leads to knee, and
KNEE_BIN is its binary. The status is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any

import distributed
import pyspark
from answers import Truth
from servers import session

import knee.cluster
import knee.cluster.dask
import knee.cluster.spark
from knee.cluster.answer import Answer
from knee.cluster.parts import split_query

sys.path.append(str(Path(__file__).resolve().parents[1] / "query"))
from beside import KNEE, SIX, texts

MASTER = "local-cluster[2,1,1024]"


class Compared:
    """The answers of one process, and how many others differ from them."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.file = asked.lineitem.resolve()
        self.sql = texts()
        self.truth = {query: Truth(self.file, self.sql[query]) for query in SIX}
        self.counts = {(graph, *words): mined(graph, *words) for graph, *words in self.questions()}
        self.different = 0

    def questions(self) -> Iterable[tuple[str, ...]]:
        """Give what is asked of graphs."""
        yield self.asked.graph, "count", "diamond"
        yield self.asked.graph, "count", "5-clique"
        yield self.asked.motifs, "motifs", "3"
        yield self.asked.motifs, "motifs", "4"

    def say(self, what: str, wrong: str) -> None:
        """Print what was compared, and what differs, if anything does."""
        self.different += bool(wrong)
        print(f"{what}: {wrong or 'equal'}", flush=True)

    def rows(self, what: str, query: str, rows: Iterable[Iterable[Any]]) -> None:
        """Compare the rows of an answer with those of one process."""
        plain = [[str(cell) if isinstance(cell, date) else cell for cell in row] for row in rows]
        self.say(f"{what} {query}, {len(plain)} rows", self.truth[query].wrong(plain))

    def mined(self, what: str, engine: Any) -> None:
        """Compare all counts on an engine with those of one process."""
        for (graph, action, words), expected in self.counts.items():
            ask: Callable[..., Any] = knee.cluster.count if action == "count" else knee.cluster.motifs
            found = ask(engine, graph, words if action == "count" else int(words))
            self.say(f"{what} {words} in {graph}: {found}", "" if found == expected else f"{expected} by one process")


def mined(graph: str, action: str, words: str) -> Any:
    """Return what one process counts."""
    option = "--pattern" if action == "count" else "--size"
    return json.loads(subprocess.check_output([KNEE, "mine", action, graph, option, words, "--json"]))[action]


def on_dask(client: distributed.Client, compared: Compared) -> None:
    for query in SIX:
        found = knee.cluster.dask.query(client, compared.sql[query], compared.file)
        compared.rows("Dask", query, found.rows)
        (line,) = split_query(compared.sql[query], compared.file, 1).lines
        alone = Answer.of(knee.cluster.merge([knee.cluster.run_part(line)]))
        same = found.columns == alone.columns
        compared.say(f"Dask {query}, names and types", "" if same else f"{found.columns} for {alone.columns}")
    compared.mined("Dask", client)


def on_spark(spark: Any, compared: Compared) -> None:
    spark.read.parquet(str(compared.file)).createOrReplaceTempView("lineitem")
    for query in SIX:
        found = knee.cluster.spark.sql(spark, compared.sql[query], lineitem=compared.file)
        rows = found.collect()
        compared.rows("Spark", query, rows)
        own = spark.sql(compared.sql[query])
        compared.say(f"Spark {query}, beside Spark SQL's rows", "" if rows == own.collect() else f"{rows}")
        same = found.schema == own.schema
        compared.say(f"Spark {query}, beside Spark SQL's types", "" if same else f"{found.schema} for {own.schema}")
    compared.mined("Spark", spark)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lineitem", type=Path)
    parser.add_argument("--graph", default="rmat:16")
    parser.add_argument("--motifs", default="rmat:13")
    compared = Compared(parser.parse_args())
    print(f"pyspark {pyspark.__version__}, distributed {distributed.__version__}, {MASTER}")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        on_dask(client, compared)
    with session(MASTER, {}) as spark:
        on_spark(spark, compared)
    sys.exit(compared.different > 0)


if __name__ == "__main__":
    main()
