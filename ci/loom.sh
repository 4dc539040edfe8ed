#!/usr/bin/env bash
# Tries every interleaving of the runtime's models, up to the preemptions that each model names. Under a minute once built.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH" CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/loom
RUSTFLAGS='--cfg knee_loom' cargo test --quiet --locked -p knee-runtime --lib models:: "$@"
