#!/bin/sh
# Builds the programs that bench/planted/programs.toml lists into a folder, and says which languages are missing.
#
#     bench/planted/build.sh build/planted
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
built=$(cd "$1" && pwd)
cd "$(dirname "$0")/programs"

has() {
    command -v "$1" >/dev/null && return
    echo "$2 is missing ($1): its programs are not built" >&2
    return 1
}

if has gcc C; then
    for file in c/*.c; do gcc -O2 -Wall -Wextra -pthread "$file" -o "$built/c-$(basename "$file" .c)"; done
    for file in openmp/*.c; do gcc -O2 -Wall -Wextra -fopenmp "$file" -o "$built/openmp-$(basename "$file" .c)"; done
fi
if has rustc Rust; then
    for file in rust/*.rs; do
        [ "$file" = rust/work.rs ] || rustc --edition 2024 -O "$file" -o "$built/rust-$(basename "$file" .rs)"
    done
fi
if has go Go; then
    for file in go/*.go; do
        [ "$file" = go/work.go ] || go build -o "$built/go-$(basename "$file" .go)" "$file" go/work.go
    done
fi
if has javac Java; then javac -d "$built/java" java/*.java; fi
if has python3.11 Python; then
    mkdir -p "$built/python"
    cp python/*.py "$built/python"
    # Version managers put a slow shell script in front of the interpreter.
    ln -sf "$(python3.11 -c 'import sys; print(sys.executable)')" "$built/python/python3.11"
fi
