#!/usr/bin/env bash
# Builds every example whose compiler is installed into examples/build, and says which are left out.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p build/objects

if command -v ghc >/dev/null; then
    for name in sumeuler parfib mandel; do
        ghc -v0 -O2 -threaded -rtsopts -outputdir "build/objects/$name" -o "build/$name-ghc" "haskell/$name.hs"
        ghc -v0 -O2 -threaded -rtsopts -feager-blackholing -outputdir "build/objects/$name-eager" \
            -o "build/$name-ghc-eager" "haskell/$name.hs"
    done
else
    echo "left out: Haskell (no ghc)"
fi
if command -v gcc >/dev/null; then
    gcc -O2 -Wall -Wextra -Werror -fopenmp -o build/sumeuler-openmp openmp/sumeuler.c
else
    echo "left out: OpenMP (no gcc)"
fi
if command -v gcc >/dev/null && command -v cargo >/dev/null; then
    cargo build --quiet --locked --release -p knee-region
    library=${CARGO_TARGET_DIR:-../target}/release/libknee_region.a
    gcc -O2 -Wall -Wextra -Werror -fopenmp -I ../crates/region/include -o build/stages-regions regions/stages.c "$library"
else
    echo "left out: regions (no gcc or no cargo)"
fi
if command -v go >/dev/null; then
    GO111MODULE=off GOFLAGS= go build -o build/mandel-go go/mandel.go
else
    echo "left out: Go (no go)"
fi
