#!/usr/bin/env bash
# Runs whole pools in random schedules: KNEE_SCHEDULES seeds for each test, 20 schedules for each seed. A failure says its
# seed; `KNEE_SEED=n ci/shuttle.sh NAME` repeats it.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH" CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/shuttle
export KNEE_SCHEDULES=${KNEE_SCHEDULES:-1000}
RUSTFLAGS='--cfg knee_shuttle' cargo test --quiet --locked -p knee-runtime --lib "schedules::${1:-}"
