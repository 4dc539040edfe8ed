#!/usr/bin/env bash
# Builds what bench/by_name.py needs beyond the examples into a folder, and makes a control group with a quota of 1.2 cpus.
# `build.sh FOLDER` after examples/build.sh and examples/programs/build.sh --install; `build.sh --remove` deletes the group.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
group=/sys/fs/cgroup/cpu/knee-by-name
if [ "${1:-}" = --remove ]; then
    if [ -d $group ]; then rmdir $group; fi
    exit
fi
folder=$(realpath -m "${1:?"usage: build.sh FOLDER"}")
mkdir -p "$folder"
gcc -O2 -Wall -Wextra -Werror -fopenmp -o "$folder/triad" "$here/triad.c"
javac -d "$folder" "$here/Lists.java"
if [ ! -e "$folder/lineitem.duckdb" ]; then
    "$here/../../examples/build/duckdb/bin/python" "$here/lineitem.py" make 6000000 "$folder/lineitem.part"
    mv "$folder/lineitem.part" "$folder/lineitem.duckdb"
fi
if [ -w /sys/fs/cgroup/cpu/cgroup.procs ]; then
    mkdir -p $group
    echo 20000 >$group/cpu.cfs_period_us
    echo 24000 >$group/cpu.cfs_quota_us
else
    echo "left out: a quota (no control groups of generation 1 that may be written)"
fi
