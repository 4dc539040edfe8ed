#!/usr/bin/env bash
# Sets up everything on a fresh Debian 12: packages, the exact Rust toolchain, a private Python environment, and knee
# itself as a wheel. `setup.sh study` is what a study needs, `setup.sh test` what the tests need, and `setup.sh nightly`
# what slow proofs need beyond that.
# What is there already is left alone, so a second call takes seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-study}
proofs=
if [ "$what" = nightly ]; then what=test proofs=1; fi

. ci/packages.sh

install_packages() {
    local wanted=(gcc libc6-dev curl ca-certificates python3 python3-venv)
    # Tests compile the examples and small programs in every kind of language, open the report in a browser, unpack
    # captured machines, and ask lstopo about them and libpfm4 about events.
    if [ "$what" = test ]; then
        wanted+=(ghc clang libomp-dev chromium chromium-driver bzip2 git jq make procps hwloc-nox libpfm4-dev)
        wanted+=(g++ libtbb-dev)
        command -v go >/dev/null || wanted+=(golang-go)
        command -v javac >/dev/null || wanted+=(default-jdk-headless)
    fi
    install_debian "${wanted[@]}"
}

install_rust() {
    local version
    version=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
    export PATH="$HOME/.cargo/bin:$PATH"
    if ! command -v rustup >/dev/null; then
        curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain none
    fi
    # Explicitly: RUSTUP_AUTO_INSTALL=0 may be set.
    if ! rustup toolchain list | grep -q "^$version-"; then
        rustup toolchain install "$version" --profile minimal --component clippy --component rustfmt
    fi
}

# Miri, ThreadSanitizer and fuzzing want a nightly toolchain.
install_proofs() {
    if ! cargo +nightly miri --version >/dev/null 2>&1; then
        rustup toolchain install nightly --profile minimal --component miri --component rust-src
    fi
    if ! cargo fuzz --version 2>/dev/null | grep -q ' 0\.13\.2$'; then
        cargo install --quiet --locked cargo-fuzz@0.13.2
    fi
}

install_python() {
    local lock=requirements/run.txt
    if [ "$what" = test ]; then lock=requirements/test.txt; fi
    [ -x .venv/bin/python ] || python3 -m venv .venv
    if ! cmp -s "$lock" ".venv/installed-$what.txt"; then
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
        cp "$lock" ".venv/installed-$what.txt"
    fi
    if [ ! -x .venv/bin/maturin ]; then
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt
    fi
}

# Tests get it with the profile that they are built with themselves, which checks for overflows, and with its symbols:
# linked in the same way, the binary is compiled once for both.
install_knee() {
    local options=(--release)
    if [ "$what" = test ]; then options=(--strip=false); fi
    rm -rf dist
    .venv/bin/maturin build --quiet "${options[@]}" --locked --out dist
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall dist/knee-*.whl
}

install_packages
install_rust
if [ -n "$proofs" ]; then install_proofs; fi
# Pip uses one cpu and waits for the network: crates are compiled meanwhile, and maturin finds them.
building=
trap '[ -z "$building" ] || kill "$building"' EXIT
if [ "$what" = test ]; then
    cargo build --quiet --locked -p knee &
    building=$!
fi
install_python
if [ -n "$building" ]; then
    wait "$building"
    building=
fi
install_knee
