#!/usr/bin/env bash
# Sets up each engine of this folder in an environment of its own in examples/build/engines, makes the table and the
# expected answers, and says which engines are left out. `build.sh duckdb polars` sets up only these.
set -euo pipefail
cd "$(dirname "$0")"
build=../build/engines
engines=("$@")
[ $# -gt 0 ] || engines=(duckdb polars datafusion hyper clickhouse spark)

# Versions and hashes are those of requirements/NAME.txt. Environments are apart, since engines may ask for different
# versions of the same library. pyspark alone comes as source; what packs it is locked, too.
environment() {
    local folder=$build/$1 lock=requirements/$1.txt
    [ "$folder/ready" -nt "$lock" ] && return
    rm -rf "$folder"
    python3 -m venv "$folder" || return
    if [ "$1" = spark ]; then
        install "$folder" --only-binary :all: -r requirements/spark-build.txt &&
            install "$folder" --no-build-isolation -r "$lock" || return
    else
        install "$folder" --only-binary :all: -r "$lock" || return
    fi
    touch "$folder/ready"
}

install() { "$1/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes "${@:2}"; }

mkdir -p "$build"
for engine in "${engines[@]}"; do
    if [ ! -f "requirements/$engine.txt" ]; then
        echo "build.sh: unknown engine '$engine'; expected duckdb, polars, datafusion, hyper, clickhouse or spark" >&2
        exit 2
    elif [ "$engine" = spark ] && ! command -v java >/dev/null; then
        echo "left out: spark (no java; Debian's package is openjdk-17-jre-headless)"
    elif ! environment "$engine"; then
        rm -rf "${build:?}/$engine"
        echo "left out: $engine (no package for this Python, or no way to a registry)"
    fi
done

# TPC-H's lineitem at scale 1: 6,001,215 rows, 232 MB, in a few seconds.
if [ ! -f "$build/lineitem.parquet" ]; then
    if ! environment data; then
        echo "build.sh: no data: tpchgen-cli cannot be installed, and without the table no engine has work" >&2
        exit 1
    fi
    "$build/data/bin/tpchgen-cli" parquet -s 1 --output-dir="$build/part" --tables=lineitem
    mv "$build/part/lineitem.parquet" "$build"
    rmdir "$build/part"
fi

# What every engine has to answer. Sums of decimals are exact in knee.
for query in q1 q6; do
    [ "$build/$query.csv" -nt "$build/lineitem.parquet" ] && continue
    knee query "$query" "$build/lineitem.parquet" --format csv >"$build/part.csv"
    mv "$build/part.csv" "$build/$query.csv"
done
