#!/usr/bin/env bash
# Refuses features that only tests ask for in crates that knee itself uses: those crates, and all that depend on them,
# would be compiled twice, for the wheel and for the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
features() { cargo tree --quiet --locked --prefix none --format '{p} [{f}]' "$@" | sed 's/ (\*)$//' | sort -u; }
wheel=$(features -p knee --edges normal,build)
tests=$(features --workspace --features knee-runtime/rayon --edges normal,build,dev)
more=$(comm -23 <(echo "$wheel") <(echo "$tests"))
if [ -n "$more" ]; then
    echo "tests use these with other features; crates/knee, or a crate that it uses, has to ask for the same ones:" >&2
    echo "$more" >&2
    exit 1
fi
