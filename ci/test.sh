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
.venv/bin/python -m pytest -q -m "not nightly" "$@"

echo "skipped, since this machine lacks something: $(sort -u "$KNEE_SKIPS" | wc -l)"
sort -u "$KNEE_SKIPS"
