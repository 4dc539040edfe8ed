#!/usr/bin/env bash
# Runs small pools under Miri, in as many schedules as KNEE_MIRI_SEEDS says, by both rules of aliasing; and the stress test
# under ThreadSanitizer. Both want a nightly toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
target=${CARGO_TARGET_DIR:-$PWD/target}
if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "SKIPPED ci/miri.sh: no Miri: ci/setup.sh nightly" | tee -a "${KNEE_SKIPS:-/dev/null}"
    exit 0
fi
for rules in '' -Zmiri-tree-borrows; do
    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-many-seeds=0..${KNEE_MIRI_SEEDS:-16} $rules" CARGO_TARGET_DIR=$target/miri \
        cargo +nightly miri test --quiet --locked -p knee-runtime --lib small::
done
RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=$target/tsan cargo +nightly test --quiet --locked -Zbuild-std \
    --target x86_64-unknown-linux-gnu -p knee-runtime --test stress --test fork_join --test mixed
