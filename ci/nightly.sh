#!/usr/bin/env bash
# Slow proofs: 1,000 kills at random moments; each system call denied to each verb; full disks, clocks that jump, edited
# studies and control groups; coverage of intervals and false alarms of thread counts, by simulation; placement and
# faults on emulated machines; mutated inputs for every reader; queries and counts on Spark clusters; random queries
# beside DuckDB; the runtime's protocol under loom, shuttle, Miri and ThreadSanitizer, that its models notice each broken
# rule, a billion spawns, and 256 workers for an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/setup.sh nightly
export PATH="$HOME/.cargo/bin:$PATH"
KNEE_SKIPS=$(mktemp)
export KNEE_SKIPS
trap 'rm -f "$KNEE_SKIPS"' EXIT
.venv/bin/python -m pytest -q -m nightly "$@"
# Properties on other examples than those of every day.
KNEE_PROOFS=1 .venv/bin/python -m pytest -q -m "not nightly" $(grep -l '^from hypothesis' python/tests/test_*.py)
.venv/bin/python ci/fuzz.py
ci/spark.sh
duckdb=examples/build/duckdb/bin/python  # made by examples/programs/build.sh
if [ -x "$duckdb" ]; then
    KNEE_BIN=.venv/bin/knee "$duckdb" ci/query_random.py 5000 "$RANDOM"
else
    echo "SKIPPED random queries beside DuckDB: no $duckdb" | tee -a "$KNEE_SKIPS"
fi
mkdir -p target/nightly
.venv/bin/python python/tests/kills.py --kills "${KNEE_KILLS:-1000}" --state target/nightly/kills.json
.venv/bin/python python/tests/denied.py
.venv/bin/python python/tests/surroundings.py
ci/numa-vm.sh
ci/faults-vm.sh
ci/loom.sh
ci/shuttle.sh
.venv/bin/python ci/mutants.py
ci/miri.sh
KNEE_STRESS_SPAWNS=${KNEE_STRESS_SPAWNS:-1000000000} KNEE_STRESS_SECONDS=${KNEE_STRESS_SECONDS:-3600} cargo test --quiet --locked --release -p knee-runtime --test stress
KNEE_PROOFS=1 cargo test --quiet --locked -p knee-meter --test goroutines
KNEE_PROOFS=1 cargo test --quiet --locked -p knee-mining
KNEE_COMPUTING_RUNS=${KNEE_COMPUTING_RUNS:-2000} cargo test --quiet --locked --release -p knee-meter --test computing
echo "skipped, since this machine lacks something: $(sort -u "$KNEE_SKIPS" | wc -l)"
sort -u "$KNEE_SKIPS"
