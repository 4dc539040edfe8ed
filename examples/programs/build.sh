#!/usr/bin/env bash
# Makes the data and builds the programs of this folder in examples/build, and says which are left out.
# `build.sh --install` first installs the Debian packages that they come from.
set -euo pipefail
cd "$(dirname "$0")"
export PATH=$PATH:/usr/local/go/bin
build=../build

# An environment of Python, at the versions and hashes of a lock file.
environment() {
    python3 -m venv --clear "$1" && "$1/bin/python" -m pip install --quiet --disable-pip-version-check \
        --require-hashes --only-binary :all: -r "$2" && return
    rm -rf "$1"
    return 1
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

if [ "${1:-}" = --install ]; then
    packages=(xz-utils zstd make gcc libc6-dev python3-venv hyperfine)
    command -v go >/dev/null || packages+=(golang-go)
    command -v javac >/dev/null || packages+=(default-jdk-headless)
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

mkdir -p "$build"
for size in 250000 750000; do
    [ "$build/rows-$size.csv" -nt generate.py ] && continue
    python3 generate.py rows "$size" "$build/rows.part"
    mv "$build/rows.part" "$build/rows-$size.csv"
done

for name in xz zstd; do
    command -v "$name" >/dev/null || echo "left out: $name (not installed)"
done
if command -v make >/dev/null && command -v gcc >/dev/null; then
    python3 generate.py project 8 "$build/project"
else
    echo "left out: make (no make or no gcc)"
fi
if command -v gcc >/dev/null; then
    gcc -O2 -Wall -Wextra -Werror -fopenmp -o "$build/triangle" triangle.c
else
    echo "left out: OpenMP (no gcc)"
fi
if command -v go >/dev/null; then
    GO111MODULE=off GOFLAGS='' go build -o "$build/mandel-go" ../go/mandel.go
else
    echo "left out: Go (no go)"
fi
if command -v javac >/dev/null; then
    javac -d "$build/primes" Primes.java
else
    echo "left out: Java (no javac)"
fi
table=$build/duckdb/sales.duckdb
if [ "$table" -nt requirements.txt ] && [ "$table" -nt "$build/rows-750000.csv" ]; then
    :
elif environment "$build/duckdb" requirements.txt; then
    "$build/duckdb/bin/python" query.py make "$build/rows-750000.csv" "$table"
else
    echo "left out: DuckDB (no package for this Python, or no way to a registry)"
fi
if [ "$build/dask/ready" -nt requirements-dask.txt ]; then
    :
elif environment "$build/dask" requirements-dask.txt; then
    touch "$build/dask/ready"
else
    echo "left out: Dask (no package for this Python, or no way to a registry)"
fi
