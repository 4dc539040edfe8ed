#!/usr/bin/env bash
# natural.sh FOLDER VENV: installs what natural.toml, opened_natural.toml and held_out_natural.toml need (packages of
# Debian; of PyPI into VENV) and makes the inputs in FOLDER. A second call keeps what exists. natural.sh --remove FOLDER
# deletes the control groups, which outlive FOLDER.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
groups=/sys/fs/cgroup/cpu

if [ "${1:-}" = --remove ]; then
    for group in "$groups"/natural-*; do if [ -d "$group" ]; then rmdir "$group"; fi; done
    exit
fi
folder=$(realpath -m "${1:?"usage: natural.sh FOLDER VENV"}") venv=$(realpath -m "${2:?"usage: natural.sh FOLDER VENV"}")

. "$here/../../ci/packages.sh"
wanted=(gcc make ruby xz-utils zstd pigz plzip lbzip2 openssl sysbench stress-ng graphicsmagick libjemalloc2)
wanted+=(libtcmalloc-minimal4)
# For opened_natural.toml, and then held_out_natural.toml.
wanted+=(git perl sqlite3 ninja-build brotli pbzip2 7zip pixz mawk grep)
wanted+=(nodejs sbcl squashfs-tools hashdeep ffmpeg vsearch bwa mupdf-tools)
command -v gofmt >/dev/null || wanted+=(golang-go)
command -v javac >/dev/null || wanted+=(openjdk-17-jdk-headless)
python3 -c 'import ensurepip' 2>/dev/null || wanted+=(python3-venv)
install_debian "${wanted[@]}"
if [ ! -x "$venv/bin/python" ]; then python3 -m venv "$venv"; fi
"$venv/bin/pip" install --quiet numpy==2.* lxml==6.* tokenizers==0.* duckdb==1.* joblib==1.* lmdb==1.* \
    shapely==2.* polars==1.* regex==2026.* pillow==13.* RapidFuzz==3.*

mkdir -p "$folder"
cd "$folder"

# 48 MB of text: words drawn by Zipf's law from a fixed seed, ten a line.
if [ ! -e text48 ]; then
    "$venv/bin/python" - <<'EOF'
import numpy
rng = numpy.random.default_rng(17)
letters = numpy.array(list("etaoinshrdlucmfwypvbgkjqxz"))
words = ["".join(letters[rng.integers(0, 26, size)]) for size in rng.integers(2, 11, 20000)]
with open("text48.part", "w") as text:
    while text.tell() < 48_000_000:
        drawn = rng.zipf(1.3, 100_000) % 20000
        for first in range(0, 100_000, 10):
            text.write(" ".join(words[word] for word in drawn[first : first + 10]) + "\n")
EOF
    truncate -s 48000000 text48.part
    mv text48.part text48
fi
for size in 4 8 12 24; do
    if [ ! -e text$size ]; then
        head -c ${size}000000 text48 >text.part
        mv text.part text$size
    fi
done

export folder venv
python3 - "$here"/{natural,opened_natural,held_out_natural}.toml <<'EOF' | bash -euo pipefail
import sys, tomllib
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        for family in tomllib.load(file)["family"]:
            if "setup" in family:
                print(f"(\n{family['setup']}\n)")
EOF
