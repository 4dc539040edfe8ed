#!/usr/bin/env bash
# Slow proofs: 200 kills at random moments, coverage of the intervals by simulation, placement and faults on emulated
# machines.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/setup.sh test
export PATH="$HOME/.cargo/bin:$PATH"
.venv/bin/python -m pytest -q -m nightly "$@"
ci/numa-vm.sh
ci/faults-vm.sh
