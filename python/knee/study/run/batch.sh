#!/bin/bash
#SBATCH --job-name=@NAME@
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
# An upper bound: every run takes its time limit. With less time the job is requeued until all runs are made.
##SBATCH --time=@LIMIT@

# Makes the runs of this study that have no record yet: `sbatch batch.sh` in the study's folder, or `bash batch.sh` without
# SLURM. On TERM it ends the current run, which leaves no record, and requeues itself. Set KNEE_BIN where knee is not on
# the PATH. The node must have the same cpus as the machine on which the study was planned.

setup=@SETUP@
cleanup=@CLEANUP@
directory=@DIRECTORY@

fail() {
    echo "knee: $1" >&2
    exit 2
}

knee=$(command -v "${KNEE_BIN:-knee}") || fail "cannot find ${KNEE_BIN:-knee}: set KNEE_BIN"
knee=$(realpath "$knee")
# SLURM runs a copy of this script, so only without SLURM is it in the folder of the study.
for folder in "$(dirname "$0")" "${SLURM_SUBMIT_DIR:-.}"; do
    [ -f "$folder/plan.jsonl" ] && break
done
{ cd "$folder" && [ -f plan.jsonl ]; } || fail "no plan.jsonl in $folder: submit this from inside the study's folder"

# What the machine must share with the one of the plan: a line per hardware thread, and the allowed cpus.
shape() {
    tr -d ' \n' | grep -oE \
        '[{]"id":[0-9]+,"cpus":\[[0-9]+\],"core":[0-9]+,"socket":[0-9]+,"node":[0-9]+[}]|"allowed":[{]"cpus":\[[0-9,]*\]'
}

counted() {
    for thing in socket node core; do
        printf '%s %ss, ' "$(echo "$1" | grep -o "\"$thing\":[0-9]*" | sort -u | wc -l)" "$thing"
    done
    echo "$(echo "$1" | grep '"allowed"' | tr ',' '\n' | wc -l) cpus allowed"
}

planned=$(shape < machine.json)
here=$("$knee" machine --json | shape)
[ -n "$planned" ] || fail "cannot read machine.json"
[ "$planned" = "$here" ] || fail "this is not the machine of the plan: here $(counted "$here"); planned $(counted "$planned")"
model() { grep -oE '"model": *"[^"]*"' | head -n 1; }
planned=$(model < machine.json || true)
here=$("$knee" machine --json | model || true)
[ "$planned" = "$here" ] || fail "this is not the machine of the plan: here $here; planned $planned"

told='' child=''

# SLURM signals only the script, so it passes TERM on. Ctrl-C reaches all processes, but those that a shell starts in the
# background ignore it.
stop() {
    told=$1
    [ -z "$child" ] || kill -TERM "$child" 2> /dev/null
}
trap 'stop 0' TERM
trap 'stop 130' INT

# Runs a command, passes signals on, and waits until it ends.
run() {
    [ -z "$told" ] || return 1
    "$@" &
    child=$!
    [ -z "$told" ] || kill -TERM "$child" 2> /dev/null
    wait "$child"
    status=$?
    while kill -0 "$child" 2> /dev/null; do
        wait "$child"
        status=$?
    done
    child=''
    return "$status"
}

# All records without an incomplete last line, which a killed writer leaves.
whole() {
    [ -s records.jsonl ] || return 0
    if [ -n "$(tail -c 1 records.jsonl)" ]; then sed '$d' records.jsonl; else cat records.jsonl; fi
}

# Planned runs without a record.
missing() {
    whole | awk -F'"' '$2 != "schema" || $4 != "id" { next } recorded { seen[$6]; next } !($6 in seen)' \
        recorded=1 - recorded=0 plan.jsonl
}

shell() {
    cd "$directory" && exec sh -c "$1" 9>&-
}

measure() {
    exec "$knee" run --stdin --samples samples < missing.jsonl >> records.jsonl 9>&-
}

# What `knee study --resume` does, without the report.
without_python() {
    exec 9> .lock
    ! command -v flock > /dev/null || flock -n 9 || fail "the study is already running: $PWD"
    { whole > records.jsonl.partial && mv records.jsonl.partial records.jsonl; } || fail "cannot write here: $PWD"
    missing > missing.jsonl
    status=0
    if [ -s missing.jsonl ]; then
        around_all
        status=$?
    fi
    rm -f missing.jsonl
    return "$status"
}

around_all() {
    ended=0
    [ -z "$setup" ] || run shell "$setup" || ended=$?
    if [ "$ended" -eq 0 ]; then
        run measure || ended=$?
    elif [ -z "$told" ]; then
        echo "knee: setup failed: $setup: exit status $ended" >&2
    fi
    [ -z "$cleanup" ] || (shell "$cleanup") || echo "knee: cleanup failed: $cleanup" >&2
    return "$ended"
}

again() {
    if [ -z "${SLURM_JOB_ID:-}" ] || ! command -v scontrol > /dev/null; then
        echo "knee: stopped: bash batch.sh continues" >&2
    # It would be requeued for ever.
    elif [ "$(whole | wc -l)" -le "$recorded" ]; then
        fail "no run ended within this job's time: give it more (sbatch --time=@LIMIT@ batch.sh)"
    # A cancelled job stays cancelled.
    elif scontrol show job "$SLURM_JOB_ID" | grep -q 'JobState=RUNNING'; then
        scontrol requeue "$SLURM_JOB_ID"
    fi
}

recorded=$(whole | wc -l)
if "$knee" study --help > /dev/null 2>&1; then
    # --trust, because starting this script means running the commands of the study.
    run "$knee" study --resume . --trust
    status=$?
    # It leaves out runs that would count nothing.
    [ "$status" -gt 1 ] || all_made=1
else
    without_python
    status=$?
fi
left=$(missing | wc -l)
[ -z "${all_made:-}" ] || left=0
# The study's own rule may end it before its last block; only Python asks it.
[ ! -f ended.json ] || left=0
echo "knee: $left of $(wc -l < plan.jsonl) runs are left" >&2
[ -n "$told" ] || exit "$status"
[ "$left" -eq 0 ] || again
exit "$told"
