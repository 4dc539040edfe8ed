#!/usr/bin/env bash
# Gets the peers of the probes that a registry has: likwid-bench from Debian, core-to-core-latency from crates.io. multichase is
# handed to compare.py as a finished program.
set -euo pipefail
cd "$(dirname "$0")"
export PATH="$HOME/.cargo/bin:$PATH"

. ../../ci/packages.sh
command -v likwid-bench >/dev/null || install_debian likwid
cargo install --quiet --jobs "${JOBS:-1}" --locked --version 1.2.0 --root target core-to-core-latency
ls target/bin
