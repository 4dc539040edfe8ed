#!/usr/bin/env bash
# JSON Schemas, the Python types and checks made from them, and reference pages, from the code: `generated.sh write`, or
# `generated.sh check` to refuse drift. KNEE_BIN names a binary that is built from this very code already.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
if [ -n "${KNEE_BIN:-}" ]; then knee=("$KNEE_BIN"); else knee=(cargo run --quiet --locked -p knee --); fi
case ${1:-check} in
    write) "${knee[@]}" generate . && .venv/bin/python ci/schema_types.py && .venv/bin/python ci/reference.py ;;
    check)
        "${knee[@]}" generate --check . &&
            .venv/bin/python ci/schema_types.py --check && .venv/bin/python ci/reference.py --check
        ;;
    *) echo "usage: $0 write|check" >&2; exit 2 ;;
esac
