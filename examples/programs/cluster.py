"""A count of a pattern on a Dask cluster of this machine, whose workers have one thread each.

Usage: python cluster.py WORKERS GRAPH PATTERN PARTS   print the count

Under `knee run` the count is the region `count`, and the process that answers part K marks the region `part-K`.
"""

import sys
import tempfile
from pathlib import Path

import distributed

# This environment has no knee. What runs here needs the standard library and Dask, so it is taken from this clone.
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python"))

import knee.cluster  # noqa: E402
from knee import region  # noqa: E402


def main() -> None:
    """Start the cluster, count on it, print the count."""
    workers, graph, pattern, parts = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    with (
        tempfile.TemporaryDirectory() as folder,
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", local_directory=folder
        ) as cluster,
        distributed.Client(cluster) as client,
        region("count"),
    ):
        print(knee.cluster.count(client, graph, pattern, parts=parts))


if __name__ == "__main__":
    main()
