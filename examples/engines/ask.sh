#!/bin/sh
# Asks one engine: ask.sh ENGINE QUERY THREADS RUNS. An engine is the NAME of with_NAME.py, spark-double or spark-decimal,
# and for knee's own scan knee-narrow or knee-plain, by how its columns are encoded.
set -eu
cd "$(dirname "$0")"
build=../build/engines
engine=$1 query=$2 threads=$3 runs=$4

case $engine in
knee-*)
    # It marks its phases as regions, of which `scan` is all repetitions of the query.
    exec "${KNEE_BIN:-knee}" query "$query" "$build/lineitem.parquet" --encoding "${engine#knee-}" --runtime near \
        --repeat "$runs" --format csv -n "$threads"
    ;;
spark-*)
    set -- --kind "${engine#spark-}"
    engine=spark
    ;;
*)
    set --
    ;;
esac
if [ ! -x "$build/$engine/bin/python" ]; then
    echo "ask.sh: no engine '$engine': examples/engines/build.sh sets it up, or says why not" >&2
    exit 2
fi
exec "$build/$engine/bin/python" "with_$engine.py" "$query" "$threads" --runs "$runs" "$@"
