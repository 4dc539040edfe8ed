# Runs inside the emulated machine: the studies of Blacklight with small arrays. Pages move on request only.
set -eu
# One thread is enough, and its start-up takes memory and time here.
export OPENBLAS_NUM_THREADS=1
echo 0 >/proc/sys/kernel/numa_balancing
for study in blacklight blacklight-reallocation blacklight-ownership; do
    "$1" -m knee study "target/numa-vm/blacklight/$study.toml" --blocks 2 --out "/tmp/$study"
done
