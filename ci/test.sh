#!/usr/bin/env bash
# Every test but the slow proofs (ci/nightly.sh). Says at the end how many were skipped, and why.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
export KNEE_SHARED=${KNEE_SHARED:-$(cd .. && pwd)/shared}
KNEE_SKIPS=$(mktemp)
export KNEE_SKIPS
trap 'rm -f "$KNEE_SKIPS"' EXIT

KNEE_PYTHON=$PWD/.venv/bin/python cargo test --quiet --locked --workspace --features knee-runtime/rayon
# Most tests use one cpu or wait for programs, so two run at once. A file stays in one process, which makes its fixtures
# once; files with few tests may be long, so conftest.py orders them. Those marked serial have the machine to themselves.
words=$*
# Words choose tests, and may leave one of both passes without any: pytest then ends with 5.
tests() { .venv/bin/python -m pytest -q --durations 25 --durations-min 5 "$@" || { [ $? = 5 ] && [ -n "$words" ]; }; }
tests -n 2 --dist loadfile --no-loadscope-reorder -m "not nightly and not serial" "$@"
tests -m "not nightly and serial" "$@"

echo "skipped, since this machine lacks something: $(sort -u "$KNEE_SKIPS" | wc -l)"
sort -u "$KNEE_SKIPS"
