# Runs inside the emulated machine: a study of Blacklight with small arrays. Pages move on request only.
set -eu
# One thread is enough, and its start-up takes memory and time here.
export OPENBLAS_NUM_THREADS=1
echo 0 >/proc/sys/kernel/numa_balancing
"$1" -m knee study "target/numa-vm/blacklight/$2.toml" --blocks 4 --out "/tmp/$2"
