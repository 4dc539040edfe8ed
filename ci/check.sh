#!/usr/bin/env bash
# All checks without tests: format, lints, types, docs, generated pages, imports between rooms.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
bin=.venv/bin

# Pyright uses one cpu: it runs beside clippy.
$bin/pyright --pythonpath $bin/python &
pyright=$!
trap 'kill $pyright 2>/dev/null || true' EXIT
cargo fmt --all --check
cargo clippy --quiet --locked --workspace --all-targets --features knee-runtime/rayon -- -D warnings
RUSTDOCFLAGS='-D warnings' cargo doc --quiet --locked --workspace --features knee-runtime/rayon --no-deps --document-private-items
$bin/ruff format --check --quiet .
$bin/ruff check --quiet .
wait $pyright
ci/features.sh
ci/generated.sh check
$bin/python ci/imports.py
$bin/python ci/cycles.py
echo "all checks passed"
