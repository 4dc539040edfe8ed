#!/usr/bin/env bash
# Proves faults that need a machine of its own: boots one with two cpus in an emulator, takes a cpu away while a program
# is pinned to it, and steps the clock while a program runs. Emulated: nothing here is about speed.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
shared=${KNEE_SHARED:-$(cd .. && pwd)/shared}
numavm=$shared/numavm/numavm
if [ ! -x "$numavm" ]; then
    echo "SKIPPED ci/faults-vm.sh: no $numavm: set KNEE_SHARED" | tee -a "${KNEE_SKIPS:-/dev/null}"
    exit 0
fi
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build --quiet --locked --release -p knee
mkdir -p "$target/faults-vm"
gcc -O1 -pthread -o "$target/faults-vm/waits" crates/knee/tests/programs/waits.c
export KNEE_BIN=$target/release/knee KNEE_WAITS=$target/faults-vm/waits
"$numavm" --sockets 1 --cores 2 --threads 1 --nodes 1 --timeout 600 -- sh ci/faults-vm-inside.sh
