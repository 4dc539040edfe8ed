"""Queries on a Dask cluster.

::

    from distributed import Client
    import knee.cluster.dask

    with Client("scheduler:8786") as client:
        print(knee.cluster.dask.query(client, "select sum(l_tax) from lineitem", "/data/lineitem.parquet"))
"""

from importlib.util import find_spec

if find_spec("distributed") is None:
    raise ImportError('knee.cluster.dask needs distributed: pip install "knee[dask]"')

from knee.cluster.dask.plugin import Binary
from knee.cluster.dask.queries import query

__all__ = ["Binary", "query"]
