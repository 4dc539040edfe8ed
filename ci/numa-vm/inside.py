"""Runs inside the emulated machine and compares what knee reads, does and records with the kernel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

KNEE = os.environ["KNEE_BIN"]
PROGRAMS = Path(os.environ["KNEE_PROGRAMS"])
AFFINITY = str(PROGRAMS / "affinity-gnu")
os.environ["OMP_WAIT_POLICY"] = "passive"


failures: list[str] = []
checks: list[str] = []


def check(what: str, found: object, expected: object) -> None:
    """Compare two values and continue, so that one boot shows all failures."""
    checks.append(what)
    if found != expected:
        failures.append(f"{what}: found {found!r}, expected {expected!r}")
        print(f"WRONG {failures[-1]}", flush=True)


def ask(*words: str) -> Any:
    """Return what a native verb prints as JSON."""
    return json.loads(subprocess.run([KNEE, *words, "--json"], check=True, capture_output=True).stdout)


def run(*options: str, command: list[str], inside: str = "") -> tuple[dict[str, Any], str]:
    """Make one run; return its record and what the program printed."""
    words = [KNEE, "run", "--json", *options, "--", *command]
    if inside:
        # A shell that joins the control group first, so that knee starts inside it.
        words = ["sh", "-c", f'echo $$ > {inside}/cgroup.procs; exec "$@"', "sh", *words]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        raise SystemExit(f"no record from {words}: {done.stderr}")
    return json.loads(done.stdout), done.stderr


def listed(text: str) -> list[int]:
    """Parse the kernel's list notation."""
    parts = (part.partition("-") for part in text.strip().split(",") if part)
    return [n for low, _, high in parts for n in range(int(low), int(high or low) + 1)]


def kernel(path: str) -> str:
    """Return the content of a kernel file."""
    return Path(path).read_text().strip()


def topology(machine: dict[str, Any]) -> None:
    """Compare knee's topology with the kernel's files."""
    nodes = {int(p.name[4:]): p for p in Path("/sys/devices/system/node").glob("node[0-9]*")}
    check("nodes", [node["id"] for node in machine["nodes"]], sorted(nodes))
    for node in machine["nodes"]:
        check(f"cpus of node {node['id']}", node["cpus"], listed((nodes[node["id"]] / "cpulist").read_text()))
        row = [int(word) for word in (nodes[node["id"]] / "distance").read_text().split()]
        check(f"distances of node {node['id']}", node["distances"], row)
    for thread in machine["hardware_threads"]:
        folder = f"/sys/devices/system/cpu/cpu{thread['id']}/topology"
        check(f"socket of cpu {thread['id']}", thread["socket"], int(kernel(f"{folder}/physical_package_id")))
        core = machine["cores"][thread["core"]]["cpus"]
        check(f"siblings of cpu {thread['id']}", core, listed(kernel(f"{folder}/thread_siblings_list")))


def bound(machine: dict[str, Any]) -> None:
    """Check every placement: affinities that threads report, the record, and the plan must agree."""
    cpus = len(machine["allowed"]["cpus"])
    cores = len(machine["cores"])
    for placement, threads in (
        ("cores-close", cores),
        ("cores-spread", cores),
        ("threads-close", cpus),
        ("cores-close+per-core:2", 2) if cpus > cores else ("numa_domains-spread", 2),
    ):
        plan = [place["cpu"] for place in ask("place", placement, "-n", str(threads))["places"]]
        # knee pins from outside; OpenMP gets only the thread count.
        env = ["--env", "OMP_NUM_THREADS={threads}"]
        options = ["-n", str(threads), "-p", placement, "--bind", "each", *env]
        record, _ = run(*options, command=["sh", "-c", f"exec {AFFINITY} 5 >/tmp/said"])
        said = dict(line.split() for line in Path("/tmp/said").read_text().splitlines())
        check(
            f"{placement}: cpus reported by threads",
            [said.get(str(n)) for n in range(threads)],
            [*map(str, plan)],
        )
        seen = [thread["affinity"] for thread in sorted(record["observed_threads"], key=lambda t: t["tid"])]
        check(f"{placement}: affinity in the record", seen, [[cpu] for cpu in plan])
        check(f"{placement}: pinned in the record", record["pinning"]["pinned"], threads)
        options = ["-n", str(threads), "-p", placement, "--bind", "set", *env]
        run(*options, command=["sh", "-c", f"exec {AFFINITY} 0.1 >/tmp/said"])
        said = {line.split()[1] for line in Path("/tmp/said").read_text().splitlines()}
        check(f"{placement}: the set", said, {",".join(map(str, sorted(plan)))})


def agrees_with_openmp(machine: dict[str, Any], library: str) -> None:
    """Check that OpenMP's runtimes place threads as knee does, for placements that both have.

    These are close with one thread per place, and spread with at most as many threads as sockets. GNU's runtime orders
    places by cpu number regardless of sockets, so it is tested only where cpu numbers follow the sockets.
    """
    cores, sockets = len(machine["cores"]), len(machine["sockets"])
    cpus = len(machine["allowed"]["cpus"])
    cases = [
        ("cores", "close", cores),
        ("threads", "close", cpus),
        ("cores", "spread", sockets),
        ("sockets", "close", sockets),
    ]
    # With one thread there is no parallel region.
    for places, bind, threads in (case for case in cases if case[2] > 1):
        env = os.environ | {
            "OMP_PLACES": places,
            "OMP_PROC_BIND": bind,
            "OMP_NUM_THREADS": str(threads),
            "OMP_DISPLAY_AFFINITY": "TRUE",
            "OMP_AFFINITY_FORMAT": "at %n %A",
        }
        done = subprocess.run(
            [PROGRAMS / f"affinity-{library}", "0.1"], env=env, capture_output=True, text=True, check=True
        )
        lines = re.findall(r"^at (\d+) ([\d,-]+)$", done.stderr + done.stdout, re.MULTILINE)
        theirs = {int(number): set(listed(cpus)) for number, cpus in lines}
        ours = [place["cpu"] for place in ask("place", f"{places}-{bind}", "-n", str(threads))["places"]]
        inside = [cpu in theirs.get(thread, set()) for thread, cpu in enumerate(ours)]
        check(f"{library} OpenMP, {places}-{bind} at {threads}: {ours} in {theirs}", all(inside), True)


def pages(machine: dict[str, Any]) -> None:
    """Check that the page census finds pages where each memory policy puts them."""
    size = 48 << 20
    command = [AFFINITY, "3", "48"]
    with_cpus = [node for node in machine["nodes"] if node["cpus"]]
    every = [node["id"] for node in machine["nodes"]]
    wanted = size // 4096

    def census(*options: str, cpu: int) -> dict[int, float]:
        record, _ = run("-n", "1", "-p", str(cpu), "--census-ms", "200", *options, command=command)
        if "unavailable" in record["pages"]:
            return {}
        return {int(node): count / wanted for node, count in record["pages"].items()}

    for node in with_cpus:
        found = census("--memory", "local", cpu=node["cpus"][0])
        check(f"first touch from node {node['id']}: {found}", found.get(node["id"], 0) > 0.9, True)
    first, last = with_cpus[0], every[-1]
    found = census("--memory", f"bind:{last}", cpu=first["cpus"][0])
    check(f"bind to node {last}: {found}", found.get(last, 0) >= 1.0, True)
    found = census("--memory", f"preferred:{last}", cpu=first["cpus"][0])
    check(f"preferred node {last}: {found}", found.get(last, 0) >= 1.0, True)
    found = census("--memory", f"interleave:{','.join(map(str, every))}", cpu=first["cpus"][0])
    shares = [found.get(node, 0) for node in every]
    weighted, _ = run("--memory", f"weighted-interleave:{first['id']}", "-n", "1", command=["true"])
    taken = weighted["exit"] == {"code": 0} or weighted["exit"].get("error", "").startswith(
        "memory policy weighted-interleave"
    )
    check(f"weighted interleave works or is refused: {weighted['exit']}", taken, True)
    check(f"interleave: {found}", all(0.8 / len(every) < share < 1.6 / len(every) for share in shares), True)
    refused, _ = run("--memory", "bind:63", "-n", "1", command=["true"])
    check(
        "a node that does not exist",
        refused["exit"].get("error", "").startswith("memory policy bind:63: no node 63"),
        True,
    )


def groups(machine: dict[str, Any]) -> None:
    """Check that knee respects a cpuset and a cpu quota (cgroup v2)."""
    top = Path("/sys/fs/cgroup")
    if not (top / "cgroup.controllers").exists():
        subprocess.run(["mount", "-t", "cgroup2", "none", str(top)], check=True)
    (top / "cgroup.subtree_control").write_text("+cpuset +cpu")
    group = top / "narrow"
    group.mkdir(exist_ok=True)
    narrow = machine["allowed"]["cpus"][1:3]
    node = machine["nodes"][-1]["id"]
    (group / "cpuset.cpus").write_text(",".join(map(str, narrow)))
    (group / "cpuset.mems").write_text(f"0,{node}" if node else "0")
    (group / "cpu.max").write_text("150000 100000")
    words = ["sh", "-c", f"echo $$ > {group}/cgroup.procs; exec {KNEE} machine --json"]
    inside = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    check("cpus of the cpuset", inside["allowed"]["cpus"], narrow)
    check("the cpuset itself", inside["allowed"].get("cpuset"), narrow)
    check("nodes of the cpuset", inside["allowed"]["nodes"], sorted({0, node}))
    check("quota", inside["allowed"]["quota_cpus"], 1.5)
    options = ["-n", "2", "-p", "cores-close", "--bind", "each", "--env", "OMP_NUM_THREADS=2"]
    run(*options, command=["sh", "-c", f"exec {AFFINITY} 6 >/tmp/said"], inside=str(group))
    said = {line.split()[1] for line in Path("/tmp/said").read_text().splitlines()}
    check("threads inside the cpuset", said, {str(cpu) for cpu in narrow})
    outside = next(cpu for cpu in machine["allowed"]["cpus"] if cpu not in narrow)
    refused, _said_error = run("-n", "1", "-p", "none", command=["true"], inside=str(group))
    check("a run inside the cpuset", refused["exit"], {"code": 0})
    words = ["sh", "-c", f"echo $$ > {group}/cgroup.procs; exec {KNEE} place {outside}"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    check(f"a cpu outside: {done.stderr}", (done.returncode, "not allowed" in done.stderr), (2, True))


def main() -> int:
    """Check one layout; return 1 if anything is wrong."""
    machine = ask("machine")
    print(subprocess.run([KNEE, "machine"], check=True, capture_output=True, text=True).stdout.split("\n\nthis")[0])
    topology(machine)
    if sys.argv[1] == "four-nodes":
        check("firmware's latencies", [bool(node.get("access")) for node in machine["nodes"]], [True] * 4)
    if sys.argv[1] == "memory-only":
        check("a node without cpus", [node["id"] for node in machine["nodes"] if not node["cpus"]], [1])
    if (PROGRAMS / "affinity-llvm").exists():
        agrees_with_openmp(machine, "llvm")
    if sys.argv[1] != "two-sockets":
        agrees_with_openmp(machine, "gnu")
    bound(machine)
    pages(machine)
    groups(machine)
    print(f"{sys.argv[1]}: {len(checks)} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
