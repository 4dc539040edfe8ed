# Runs as root inside the emulated machine. Every step is made first; the records are judged at the end.
set -eu
cd "$(mktemp -d)"

# spec ID CPUS THREADS COMMAND: one line of a plan, in which every thread is pinned. COMMAND is JSON.
spec() {
    printf '{"schema":1,"id":"%s","program":{"command":%s},"threads":%s,"cpus":%s,"bind":"each","sample_ms":20,"timeout_s":60}\n' \
        "$1" "$4" "$3" "$2"
}
seen() { while [ ! -s "$1" ]; do sleep 0.1; done; }
# Everything is slow here, pinning too: waits until no thread of the program in that file has two cpus.
pinned() {
    seen "$1"
    while grep -q '^Cpus_allowed_list:.*[-,]' /proc/"$(cat "$1")"/task/*/status; do sleep 0.1; done
}
lines() { while [ "$(wc -l <records)" -lt "$1" ]; do sleep 0.1; done; }

# One study: a cpu goes away in the middle of its first run, and is back for the last one. After that the clock is
# stepped a year ahead, and back again.
mkfifo plan
: >records
"$KNEE_BIN" run --stdin <plan >records &
runner=$!
exec 3>plan

spec loses '[0,1]' 2 "[\"$KNEE_WAITS\", \"$PWD/gone\"]" >&3
pinned gone.running
echo 0 >/sys/devices/system/cpu/cpu1/online
sleep 10
touch gone
lines 1
spec refused '[0,1]' 2 '["true"]' >&3
spec remains '[0]' 1 '["true"]' >&3
lines 3
echo 1 >/sys/devices/system/cpu/cpu1/online
spec again '[0,1]' 2 "[\"$KNEE_WAITS\", \"$PWD/back\"]" >&3
pinned back.running
touch back
lines 4

for step in ahead back; do
    spec "$step" '[0]' 1 "[\"sh\", \"-c\", \"echo > $PWD/step-$step; sleep 2\"]" >&3
    seen "step-$step"
    case $step in ahead) by=31536000 ;; back) by=-31536000 ;; esac
    date -s "@$(($(date +%s) + by))" >/dev/null
done
lines 6
exec 3>&-
wait $runner

python3 - <<'PYTHON'
import json

records = {record["id"]: record for record in map(json.loads, open("records"))}
wrong = []


def check(what, found, expected):
    if found != expected:
        wrong.append(f"{what}: found {found!r}, expected {expected!r}")


loses = records["loses"]
check("a run that loses a cpu ends", loses["exit"], {"code": 0})
check("it was pinned", loses["pinning"]["pinned"], 3)
check("its threads go where they can", [thread["affinity"] for thread in loses["observed_threads"]], [[0]] * 3)
check("it is marked", loses["changed"], [{"fact": "cpus", "held": "0-1", "found": "0"}])
refusal = {"error": "cpus 1 are not allowed; this process may use 0"}
check("a run that needs the cpu is refused", records["refused"]["exit"], refusal)
check("a run that does not is made", records["remains"]["exit"], {"code": 0})
again = records["again"]
check("the cpu is used again", (again["exit"], again.get("changed")), ({"code": 0}, None))
check("by its thread", sorted(thread["affinity"] for thread in again["observed_threads"])[-1], [1])
for step in ("ahead", "back"):
    record = records[step]
    check(f"{step}: the limit counts no clock time", record["exit"], {"code": 0})
    check(f"{step}: nor does the wall time, {record['wall_ns']}", 2 <= record["wall_ns"] / 1e9 < 60, True)
check("runs", len(records), 6)
print("\n".join(wrong) or "all faults of the emulated machine are in the records")
raise SystemExit(bool(wrong))
PYTHON
