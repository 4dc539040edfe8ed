#!/usr/bin/env bash
# Gets the peers of the probes that a registry has: likwid-bench from Debian, core-to-core-latency from crates.io. multichase is
# handed to compare.py as a finished program.
set -euo pipefail
cd "$(dirname "$0")"
export PATH="$HOME/.cargo/bin:$PATH"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

if ! command -v likwid-bench >/dev/null; then
    echo "installing packages: likwid"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends likwid >/dev/null
fi
cargo install --quiet --jobs "${JOBS:-1}" --locked --version 1.2.0 --root target core-to-core-latency
ls target/bin
