#!/usr/bin/env bash
# JSON Schemas and reference pages from the code: `generated.sh write`, or `generated.sh check` to refuse drift.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
case ${1:-check} in
    write) cargo run --quiet --locked -p knee -- generate . && .venv/bin/python ci/reference.py ;;
    check) cargo run --quiet --locked -p knee -- generate --check . && .venv/bin/python ci/reference.py --check ;;
    *) echo "usage: $0 write|check" >&2; exit 2 ;;
esac
