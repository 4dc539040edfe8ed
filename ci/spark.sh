#!/usr/bin/env bash
# Queries and counts on real Spark clusters of two workers on this machine, local and standalone, and the types of the
# code for Spark, in an environment of its own: pyspark has 456 MB, and needs Java. `ci/spark.sh -k WORDS` runs some of
# the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/packages.sh
command -v java >/dev/null || install_debian openjdk-17-jre-headless
wheel=$(ls dist/knee-*.whl 2>/dev/null | head -n 1 || true)
if [ -z "$wheel" ] || [ -n "$(find Cargo.lock crates python/knee -newer "$wheel" -type f -not -name '*.pyc' -print -quit)" ]; then
    ci/setup.sh test
fi
env=target/spark
lock=requirements/spark.txt
install() { $env/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes "$@"; }
if ! cmp -s $lock $env/installed.txt; then
    rm -rf $env
    .venv/bin/python -m venv $env
    # pyspark alone comes as source; what packs it is locked, too.
    install -r examples/engines/requirements/spark-build.txt
    install --no-build-isolation -r $lock
    cp $lock $env/installed.txt
fi
$env/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall dist/knee-*.whl
# Neither pyarrow nor cloudpickle has types.
$env/bin/pyright --project ci/spark.json --pythonpath $env/bin/python
$env/bin/python -m pytest -q python/tests/spark_*.py "$@"
