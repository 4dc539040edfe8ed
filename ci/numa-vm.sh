#!/usr/bin/env bash
# Proves placement on kernels with NUMA nodes, SMT and cpusets that this machine does not have: boots three layouts in
# an emulator and checks in each that what a record says is what the kernel says. Emulated: nothing here is about time.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
shared=${KNEE_SHARED:-$(cd .. && pwd)/shared}
numavm=$shared/numavm/numavm
if [ ! -x "$numavm" ]; then
    echo "SKIPPED ci/numa-vm.sh: no $numavm: set KNEE_SHARED" | tee -a "${KNEE_SKIPS:-/dev/null}"
    exit 0
fi
cargo build --quiet --locked --release -p knee
mkdir -p target/numa-vm
gcc -O1 -fopenmp -o target/numa-vm/affinity-gnu ci/numa-vm/affinity.c
clang -O1 -fopenmp -o target/numa-vm/affinity-llvm ci/numa-vm/affinity.c
export KNEE_BIN=$PWD/target/release/knee KNEE_PROGRAMS=$PWD/target/numa-vm

layout() {
    local name=$1
    shift
    echo "== $name"
    "$numavm" --timeout 600 "$@" -- python3 ci/numa-vm/inside.py "$name"
}

# Tests that every machine runs, where there are nodes.
places() {
    local name=$1
    shift
    echo "== places, $name"
    "$numavm" --timeout 600 "$@"
}
build_test() {
    cargo test --quiet --locked --release -p "knee-$1" --test "$2" --no-run --message-format=json |
        sed -n "s/.*\"executable\":\"\([^\"]*$2-[^\"]*\)\".*/\1/p"
}
run=("$(build_test runtime places)" --test-threads 1 --nocapture)
probe=("$(build_test probes nodes)" --test-threads 1 --nocapture)

layout two-sockets --sockets 2 --cores 2 --threads 2 --nodes 2 --mem 512M --distance 21 --numbering alternate
layout four-nodes --sockets 2 --cores 4 --threads 1 --nodes 4 --mem 384M --distance 12,21 --hmat 80,200G
layout memory-only --sockets 1 --cores 2 --threads 2 --nodes 1 --mem 768M,512M --distance 10,20,28 --numbering split

places four-nodes --sockets 4 --cores 2 --threads 1 --nodes 4 --mem 384M --distance 21 -- "${run[@]}"
places memory-only --sockets 2 --cores 2 --threads 1 --nodes 2 --mem 384M,384M,384M --distance 21 -- "${run[@]}"
places offline --sockets 2 --cores 2 --threads 2 --nodes 2 --mem 512M --offline 1,6 -- "${run[@]}"
places cpuset --sockets 2 --cores 4 --threads 1 --nodes 2 --mem 512M -- taskset -c 1-2,5 "${run[@]}"

# Where a table lies, and from where it is read.
places query --sockets 4 --cores 2 --threads 1 --nodes 4 --mem 768M --distance 21 -- python3 ci/numa-vm/query.py
# And a graph.
places mine --sockets 4 --cores 2 --threads 1 --nodes 4 --mem 384M --distance 21 -- python3 ci/numa-vm/mine.py
# Claims about bytes of the studies after Peregrine and Flare: where there are nodes they can be judged.
claims() {
    local nodes=$1 study=$2 file=examples/studies/$2.toml
    shift 2
    echo "== claims about nodes, $study"
    # A file with smaller inputs, where there is one.
    [ ! -f "target/numa-vm/$study.toml" ] || file=target/numa-vm/$study.toml
    "$numavm" --timeout 900 --sockets "$nodes" --cores 2 --threads 1 --nodes "$nodes" --mem 768M --distance 21 -- \
        env HOME=/tmp OPENBLAS_NUM_THREADS=1 PYTHONPATH="$PWD/python" "$PWD/.venv/bin/python" -m knee study "$file" \
        --factor placement=cores-close --out /tmp/study "$@" >"target/numa-vm/$study"
}
confirmed() {
    grep "^confirmed: $1" "$2" || {
        echo "ci/numa-vm.sh: not confirmed in $2: $1" >&2
        exit 1
    }
}
claims 2 peregrine --factor graph=rmat:12:8:1 -n node-cores,cores --blocks 3
confirmed "Threads on several nodes read more than 100 times" target/numa-vm/peregrine
confirmed "Threads on several nodes read more than a fifth" target/numa-vm/peregrine
small=(--factor scale=0.3 --factor repeat=8 -n cores --blocks 4)
claims 4 flare-layouts "${small[@]}"
confirmed "Of interleaved data at least as much" target/numa-vm/flare-layouts
confirmed "Data on one node is read from other nodes more" target/numa-vm/flare-layouts
# Rows of a node whose cpus the host does not run for a while are rightly read by others, but not with `strict`.
mv target/numa-vm/flare-layouts target/numa-vm/flare-layouts.both
claims 4 flare-layouts "${small[@]}" --factor runtime=strict --factor layout=blocked
confirmed "Hardly anything of data laid out by node" target/numa-vm/flare-layouts
cat target/numa-vm/flare-layouts >>target/numa-vm/flare-layouts.both
mv target/numa-vm/flare-layouts.both target/numa-vm/flare-layouts

# Of runtimes: who steals where, and whose data tasks work on.
sizes="s/rows = [0-9_]*, columns = [0-9_]*, steps = [0-9]*/rows = 512, columns = 256, steps = 10/"
sizes+="; s/cilksort = { n = [0-9_]*/cilksort = { n = 200_000/; s/{ n = 1024 }/{ n = 256 }/; /^counters/d; /^responses/,/^]/d"
for study in deters blacklight-spawn; do
    sed "$sizes" "examples/studies/$study.toml" >"target/numa-vm/$study.toml"
done
claims 4 deters -n cores --blocks 3
for says in "Tasks of the locality version work on fewer bytes" "They work on more bytes of their own node" \
    "A locality runtime alone, with all data on one node" "Nothing is stolen from another socket" \
    "Thieves that take from anyone do steal"; do
    confirmed "$says" target/numa-vm/deters
done
claims 4 blacklight-spawn --blocks 4
confirmed "Tasks with places work on fewer bytes of other nodes: plates" target/numa-vm/blacklight-spawn
confirmed "Tasks with places work on fewer bytes of other nodes: a sort" target/numa-vm/blacklight-spawn

echo "== claims about pages"
# The studies of Blacklight with small arrays; but malloc has to return the larger ones to the kernel, which it does
# beyond 32 MB. Times mean nothing here, so only claims about pages are looked at.
mkdir -p target/numa-vm/blacklight
smaller() {
    local sizes="s/\"4M\"/\"1M\"/g; s/\"128M\"/\"$2\"/g; s/\"1G\"/\"4M\"/g"
    sed "$sizes" "examples/studies/$1.toml" >"target/numa-vm/blacklight/$1.toml"
}
smaller blacklight 2M
smaller blacklight-reallocation 40M
smaller blacklight-ownership 2M
for study in blacklight blacklight-reallocation blacklight-ownership; do
    "$numavm" --timeout 900 --sockets 4 --cores 2 --threads 1 --nodes 4 --mem 768M --distance 21 -- \
        env HOME=/tmp PYTHONPATH="$PWD/python" sh ci/numa-vm/blacklight.sh "$PWD/.venv/bin/python" "$study"
done >target/numa-vm/pages
for says in "Memory lies with the thread that wrote it" "Memory does not move to the one that reads it, in order" \
    "Memory does not move to the one that reads it, at random" "Memory lies with its owner after all threads" \
    "Without reallocation each page is still with" "No page follows a reader" "New pages from the kernel are with" \
    "What free and malloc give for 128 MB is with the owner" "The owner's pages are with it when it first reads" \
    "No page moves to the other when it reads" "Nor when it reads the array again" \
    "All pages are with the owner when"; do
    confirmed "$says" target/numa-vm/pages
done

# The probes: everywhere the same test, which asks the machine what it has. Pages are to move on request only; once the
# kernel balances nodes, too, and is kept away where that is asked for.
still=(sh -c 'echo 0 > /proc/sys/kernel/numa_balancing && exec "$@"' still "${probe[@]}")
five=(--nodes 4 --mem "384M,384M,384M,384M,384M")
places probes-four-nodes-and-memory --sockets 4 --cores 2 --threads 1 "${five[@]}" --distance 21 -- "${still[@]}"
places probes-memory-only --sockets 2 --cores 2 --threads 1 --nodes 2 --mem 384M,384M,384M --distance 21 -- "${still[@]}"
places probes-balanced --sockets 2 --cores 2 --threads 1 --nodes 2 --mem 512M --distance 21 -- \
    "${probe[@]}" pages_move_when_they_are_told_to
