#!/usr/bin/env bash
# Builds every side of the comparison that a registry has, into target/sides: the Rust crates, oneTBB and both OpenMPs.
# Same instruction set for all (the platform's base), and optimised as their users would. Other peers (lace, parlaylib)
# are handed to compare.py as finished programs.
set -euo pipefail
cd "$(dirname "$0")"
export PATH="$HOME/.cargo/bin:$PATH"
jobs=${JOBS:-1}

. ../../ci/packages.sh
install_debian gcc g++ clang libomp-dev libtbb-dev

mkdir -p target/sides
features=forte
if grep -q '^knee-runtime' Cargo.toml; then features+=,knee; fi
# Functions begin with a cache line on every side, or a small one is up to a sixth faster or slower by luck.
# Cargo reads one source of flags, so those of .cargo/config.toml must be repeated.
export RUSTFLAGS='-Cllvm-args=-align-all-functions=6 -Cllvm-args=-x86-experimental-pref-innermost-loop-alignment=6'
cargo build --quiet --jobs "$jobs" --release --locked --features "$features" --ignore-rust-version
for side in serial rayon chili forte knee; do
    if [ -x "target/release/side-$side" ]; then cp "target/release/side-$side" "target/sides/$side"; fi
done

options=(-O3 -falign-functions=64 -falign-loops=64 -Wall -Wextra -Wpedantic -Wshadow)
g++ -std=c++17 "${options[@]}" -o target/sides/tbb tbb.cpp -ltbb
gcc -std=gnu11 "${options[@]}" -fopenmp '-DSIDE="openmp-gcc"' -o target/sides/openmp-gcc openmp.c
clang -std=gnu11 "${options[@]}" -fopenmp '-DSIDE="openmp-clang"' -o target/sides/openmp-clang openmp.c
ls target/sides
