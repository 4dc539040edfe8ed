"""Write a Parquet file again with doubles for decimals: the same row groups and compression.

bench/cluster/doubles.py FILE NEW
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def plain(kind: pa.DataType) -> pa.DataType:
    """Return what a column becomes."""
    if pa.types.is_decimal(kind):
        return pa.float64()
    return pa.string() if kind == pa.string_view() else kind


def write(path: Path, new: Path) -> None:
    """Write the file, whole or not at all."""
    source = pq.ParquetFile(path)
    fields = [field.with_type(plain(field.type)).remove_metadata() for field in source.schema_arrow]
    schema = pa.schema(fields)
    compression = source.metadata.row_group(0).column(0).compression.lower()
    unfinished = new.with_suffix(".unfinished")
    with pq.ParquetWriter(unfinished, schema, compression=compression) as target:
        for group in range(source.num_row_groups):
            table = source.read_row_group(group).cast(schema)
            target.write_table(table, row_group_size=table.num_rows)
    unfinished.rename(new)


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
