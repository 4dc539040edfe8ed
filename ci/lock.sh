#!/usr/bin/env bash
# Rewrites the lock files of the Python environment: every version and hash, no address.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v uv >/dev/null || { echo "ci/lock.sh: uv is missing: .venv/bin/python -m pip install uv" >&2; exit 1; }
lock() { uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url "$@"; }
lock pyproject.toml -o requirements/run.txt
lock pyproject.toml --group dev -c requirements/run.txt -o requirements/test.txt
lock pyproject.toml --extra spark --group spark -o requirements/spark.txt
echo "maturin>=1.16,<2" | lock - -o requirements/build.txt
