"""Remedies: what they change, whom they treat, and when they do not apply."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import machine, record, rewrite, skipped

from knee.store import StudyError
from knee.study.design.trials import affordable, chosen, trials
from knee.study.options.file import from_file
from knee.study.remedies import all_remedies, allocator, glibc, memory_files, python_lock
from knee.study.remedies.executable import Executable, executable
from knee.study.remedies.remedy import CAUSES, Remedy
from knee.study.remedies.situation import Situation, situation
from knee.study.remedies.variables import assigned, with_variables

GLIBC = ("ld-linux-x86-64.so.2", "libc.so.6")
LOADER = "/lib64/ld-linux-x86-64.so.2"


def spec(threads: int = 4, **more: object) -> dict:
    cell = {"threads": threads, "placement": "cores-close"}
    program = {"command": ["./program", "{threads}"]}
    return {"schema": 1, "id": "0001", "block": 1, "cell": cell, "program": program, "threads": threads,
            "cpus": list(range(threads)), "bind": "set"} | more  # fmt: skip


def here(tmp_path: Path, libraries: tuple[str, ...] | None = GLIBC, **more) -> Situation:
    fields = {
        "as_is": spec(),
        "fewer": (),
        "machine": machine(4),
        "programs": None if libraries is None else ("/bin/program",),
        "libraries": libraries,
        "waits_for_disk": False,
        "environ": {},
        "own": (),
    }
    one = Situation(**{**fields, **more})
    one.__dict__["executables"] = [Executable("/bin/program", 62, LOADER, is_go=False, is_python=False)]
    return one


def kind(one: Situation, **what: object) -> Situation:
    """Return the situation with another kind of program."""
    fields = {"path": "/bin/program", "arch": 62, "loader": LOADER, "is_go": False, "is_python": False}
    one.__dict__["executables"] = [Executable(**{**fields, **what})]
    return one


def named(one: Situation) -> dict[str, Remedy]:
    return {remedy.name: remedy for remedy in all_remedies(one)}


def env(remedy: Remedy) -> dict[str, str]:
    assert remedy.applies, remedy
    return remedy.change["program"]["env"]


def test_every_remedy_names_causes_and_says_what_it_does_or_why_not(tmp_path):
    for one in (here(tmp_path), here(tmp_path, None), here(tmp_path, (*GLIBC, "libgomp.so.1", "libjvm.so"))):
        found = all_remedies(one)
        assert len({remedy.name for remedy in found}) == len(found) > 15
        for remedy in found:
            assert set() < set(remedy.treats) <= set(CAUSES), remedy
            assert bool(remedy.does and remedy.change) or not remedy.applies, remedy
            assert len(remedy.name) <= 36, "wider than its column at 80 columns"


def test_the_causes_are_those_of_the_list(shared):
    rows = [line.split("|")[1].strip() for line in (shared / "notes/causes.md").read_text().splitlines() if "|" in line]
    assert sorted(rows[2:]) == sorted(CAUSES)


def test_a_variable_is_changed_where_the_command_sets_it(tmp_path):
    words = ["sh", "-c", "x=1; MALLOC_ARENA_MAX='4' OTHER_LD_PRELOAD=x ./program {threads} | sort"]
    own = ({"name": "mine", "command": ["./program"], "env": {"MALLOC_ARENA_MAX": "4"}},)
    found = named(here(tmp_path, as_is=spec(program={"command": words}), own=own))
    changed = found["one arena"].change["program"]
    assert changed["command"] == [*words[:2], "x=1; MALLOC_ARENA_MAX=1 OTHER_LD_PRELOAD=x ./program {threads} | sort"]
    assert changed["env"] == {"MALLOC_ARENA_MAX": "1"}
    assert found["kept memory"].applies
    assert found["mine"].applies
    assert found["mine"].change["program"]["command"] == ["./program"]


def test_a_value_that_the_command_works_out_cannot_be_changed(tmp_path):
    for words in (["sh", "-c", "MALLOC_ARENA_MAX=$(nproc) ./program"], ["run", "--env=MALLOC_ARENA_MAX=12", "program"],
                  ["sh", "-c", "MALLOC_ARENA_MAX=`nproc --all` ./program"]):  # fmt: skip
        found = named(here(tmp_path, as_is=spec(program={"command": words})))
        assert found["one arena"].why_not == "the command works out MALLOC_ARENA_MAX itself"
        assert found["kept memory"].applies


@pytest.mark.parametrize(
    ("word", "changed", "was"),
    [
        ("A=1", "A=x y", "1"),
        ("A=1 p", "A='x y' p", "1"),
        ('p;A="b c" q', "p;A='x y' q", "b c"),
        ("(A=$b p)", "(A='x y' p)", None),
        ("BA=1 p -A=2", "BA=1 p -A=2", None),
        ("export A=;p", "export A='x y';p", ""),
        ("A=$(p q) r", "A=$(p q) r", None),
        ("A=b\\ c r", "A=b\\ c r", None),
        ('A="b\\"c" r', 'A="b\\"c" r', None),
    ],
)
def test_variables_in_a_command(word, changed, was):
    program = {"command": ["sh", "-c", word], "env": {"B": "2"}}
    new = with_variables(program, {"A": "x y", "B": "2"})
    assert new == {"command": ["sh", "-c", changed], "env": {"A": "x y", "B": "2"}}
    assert assigned(program["command"], "A") == was


def test_what_the_environment_has_stays_as_the_command_has_it():
    program = {"command": ["env", "A=1", "p"], "env": {"A": "2"}}
    assert with_variables(program, {"A": "2"})["command"] == ["env", "A=1", "p"]
    assert with_variables(program, {"A": "3"})["command"] == ["env", "A=3", "p"]


def test_without_any_record_of_libraries_no_runtime_is_guessed(tmp_path):
    command = {"command": ["java", "-Xmx1g", "GOGC", "python3", "libgomp.so.1"]}
    for remedy in all_remedies(here(tmp_path, None, as_is=spec(program=command))):
        if "program" in remedy.change:
            assert not remedy.applies, remedy


@pytest.mark.parametrize(("library", "own"), [("libgomp.so.1.0.0", "GOMP_SPINCOUNT"), ("libomp.so.5", "KMP_BLOCKTIME")])
def test_waiting_is_set_for_the_runtime_that_is_used(tmp_path, library, own):
    found = named(here(tmp_path, (*GLIBC, library)))
    assert env(found["passive waiting"]) == {"OMP_WAIT_POLICY": "passive", own: "0"}
    assert env(found["active waiting"]) == {"OMP_WAIT_POLICY": "active", own: "infinite"}
    assert env(found["dynamic schedule"]) == {"OMP_SCHEDULE": "dynamic"}


def test_waiting_that_is_set_already_or_would_harm_is_not_tried(tmp_path):
    libraries = (*GLIBC, "libgomp.so.1")
    set_already = named(here(tmp_path, libraries, environ={"OMP_WAIT_POLICY": "PASSIVE", "OMP_SCHEDULE": "dynamic,4"}))
    assert set_already["passive waiting"].why_not == "OMP_WAIT_POLICY is passive already"
    assert set_already["dynamic schedule"].why_not == "OMP_SCHEDULE is dynamic,4 already"
    assert set_already["active waiting"].applies
    crowded = named(here(tmp_path, libraries, as_is=spec(4, cpus=[0, 1])))
    assert "more threads than cpus" in str(crowded["active waiting"].why_not)
    assert named(here(tmp_path))["passive waiting"].why_not == "the program uses no OpenMP library"


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ({"loader": None}, "static program"),
        ({"is_go": True}, "Go program"),
        ({"loader": "/lib/ld-musl-x86_64.so.1"}, "musl"),
    ],
)
def test_nothing_is_preloaded_into_static_go_or_musl_programs(tmp_path, what, reason):
    found = named(kind(here(tmp_path), **what))
    for name in ("jemalloc as allocator", "kept memory", "huge pages", "one arena"):
        assert reason in str(found[name].why_not), name


def test_an_installed_allocator_is_found_and_loaded_before_the_users_own(tmp_path, monkeypatch):
    place = tmp_path / "lib" / "x86_64-linux-gnu"
    place.mkdir(parents=True)
    for name in ("libjemalloc.so.1", "libjemalloc.so.2", "libjemalloc-debug.so.9", "libjemalloc.so.txt"):
        shutil.copy(sys.executable, place / name)
    (place / "libmimalloc.so.2").write_text("not a library")
    monkeypatch.setattr(allocator, "FOLDERS", (str(tmp_path / "lib"),))
    arch = executable(sys.executable).arch
    found = named(kind(here(tmp_path, environ={"LD_PRELOAD": "mine.so"}), arch=arch))
    assert env(found["jemalloc as allocator"]) == {"LD_PRELOAD": f"{place}/libjemalloc.so.2:mine.so"}
    assert "not installed" in str(found["mimalloc as allocator"].why_not)
    assert "not installed" in str(named(kind(here(tmp_path), arch=arch + 1))["jemalloc as allocator"].why_not)
    used = named(kind(here(tmp_path, (*GLIBC, "libjemalloc.so.2")), arch=arch))
    assert used["jemalloc as allocator"].why_not == "the program uses jemalloc already"
    assert used["one arena"].why_not == "the program allocates with libjemalloc.so.2, not with glibc"


def test_tunables_are_added_to_those_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setattr(glibc, "version", lambda: (2, 36))
    madvise = machine(4) | {"facts": {"transparent_huge_pages": "madvise"}}
    theirs = {"env": {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}, "command": ["p"]}
    found = named(here(tmp_path, machine=madvise, as_is=spec(program=theirs), environ={"GLIBC_TUNABLES": "no"}))
    value = "glibc.malloc.tcache_count=0:glibc.malloc.hugetlb=1"
    assert env(found["huge pages"]) == {"GLIBC_TUNABLES": value}
    assert env(found["kept memory"])["GLIBC_TUNABLES"].startswith("glibc.malloc.tcache_count=0:glibc.malloc.trim")


def test_huge_pages_that_the_kernel_forbids_need_root(tmp_path, monkeypatch):
    monkeypatch.setattr("knee.study.remedies.huge_pages.version", lambda: (2, 36))
    never = named(here(tmp_path, machine=machine(4) | {"facts": {"transparent_huge_pages": "never"}}))["huge pages"]
    assert not never.applies
    assert never.root == "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
    always = named(here(tmp_path, machine=machine(4) | {"facts": {"transparent_huge_pages": "always"}}))["huge pages"]
    assert always.why_not == "the kernel uses them for all memory already"
    monkeypatch.setattr("knee.study.remedies.huge_pages.version", lambda: (2, 31))
    assert "since 2.35" in str(named(here(tmp_path))["huge pages"].why_not)


def test_a_heap_of_java_is_four_times_what_is_set(tmp_path):
    libraries = (*GLIBC, "libjvm.so")
    small = machine(4) | {"nodes": [{"id": 0, "cpus": [0], "memory_bytes": 16 << 30, "distances": [10]}]}
    command = {"command": ["java", "-Xmx512m", "-Xmn64m", "Main"]}
    found = named(
        here(tmp_path, libraries, machine=small, as_is=spec(8, program=command), environ={"_JAVA_OPTIONS": "-Dx=y"})
    )
    assert env(found["four times the heap (Java)"])["_JAVA_OPTIONS"] == (
        f"-Dx=y -Xms{2048 << 20} -Xmx{2048 << 20} -Xmn{256 << 20}"
    )
    assert env(found["fewer collector threads (Java)"])["_JAVA_OPTIONS"] == "-Dx=y -XX:ParallelGCThreads=2"
    large = {"command": ["sh", "-c", "java -Xmx4G Main"]}
    refused = named(here(tmp_path, libraries, machine=small, as_is=spec(program=large)))["four times the heap (Java)"]
    assert refused.why_not == "four times its heap is more than half of the memory that it may use"
    unset = named(here(tmp_path, libraries, machine=small))["four times the heap (Java)"]
    assert env(unset) == {"_JAVA_OPTIONS": "-XX:InitialRAMPercentage=6.25"}
    sized = spec(program={"command": ["java", "-Xms4g", "Main"]})
    refused = named(here(tmp_path, libraries, machine=small, as_is=sized))["four times the heap (Java)"]
    assert refused.why_not == "its heap is set by -Xms4g: give -Xmx as well"


def test_a_heap_of_go_is_four_times_what_is_set_and_never_without_a_limit(tmp_path):
    found = named(kind(here(tmp_path, environ={"GOGC": "50"}), is_go=True))
    assert env(found["four times the heap (Go)"]) == {"GOGC": "500"}, "of 1.5 times what lives"
    assert env(found["no garbage collection (Go)"]) == {"GOGC": "off", "GOMEMLIMIT": str(1 << 29)}
    unlimited = named(kind(here(tmp_path, environ={"GOMEMLIMIT": "off"}), is_go=True))
    assert env(unlimited["no garbage collection (Go)"])["GOMEMLIMIT"] == str(1 << 29)
    small = machine(4)
    small["allowed"]["memory_bytes"] = 1 << 28
    inside = named(kind(here(tmp_path, machine=small), is_go=True))
    assert env(inside["no garbage collection (Go)"])["GOMEMLIMIT"] == str(1 << 27), "half of what its group may use"
    assert "off already" in str(
        named(kind(here(tmp_path, environ={"GOGC": "off"}), is_go=True))["four times the heap (Go)"].why_not
    )
    assert named(here(tmp_path))["four times the heap (Go)"].why_not == "no program of it is made with Go"


def test_python_takes_longer_turns_and_still_runs_the_module_that_is_hidden(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/sitecustomize.py").write_text("print('hidden')")
    found = named(kind(here(tmp_path, environ={"PYTHONPATH": str(tmp_path / "own")}), is_python=True))
    variables = env(found["longer turns at the interpreter lock"])
    words = [sys.executable, "-c", "import sys; print(sys.getswitchinterval())"]
    done = subprocess.run(words, env=os.environ | variables, capture_output=True, text=True, check=True)
    said, turn_s = done.stdout.split()
    assert (said, round(float(turn_s), 6)) == ("hidden", python_lock.TURN_S)


def test_the_lock_is_left_out_only_by_an_interpreter_that_can(tmp_path):
    usual = here(tmp_path, (*GLIBC, "libpython3.13.so.1.0", "_json.cpython-313-x86_64-linux-gnu.so"))
    assert "no build without the lock" in str(named(usual)["no interpreter lock"].why_not)
    free = here(tmp_path, (*GLIBC, "libpython3.13t.so.1.0"))
    assert env(named(free)["no interpreter lock"]) == {"PYTHON_GIL": "0"}
    statically = kind(here(tmp_path, (*GLIBC, "_json.cpython-313t-x86_64-linux-gnu.so")), is_python=True)
    assert named(statically)["no interpreter lock"].applies


def siblings() -> dict:
    """Return a machine with two cores of two hardware threads."""
    two = machine(4)
    two["cores"] = [{"id": n, "socket": 0, "node": 0, "cpus": [n, n + 2]} for n in (0, 1)]
    return two


def test_one_thread_per_core_uses_the_cores_of_the_run_first(tmp_path):
    found = named(here(tmp_path, machine=siblings(), as_is=spec(2, cpus=[1, 3])))["one thread per core"]
    assert (found.change["threads"], found.change["cpus"], found.change["sampler_cpu"]) == (2, [1, 0], 3)
    many = named(here(tmp_path, machine=siblings()))["one thread per core"]
    assert (many.change["threads"], many.change["cpus"]) == (2, [0, 1])
    assert named(here(tmp_path))["one thread per core"].why_not == "each core has one hardware thread here"
    apart = named(here(tmp_path, machine=siblings(), as_is=spec(2)))["one thread per core"]
    assert apart.why_not == "the threads have a core each already"


def test_memory_policies_need_two_nodes_and_a_difference(tmp_path):
    assert named(here(tmp_path))["interleaved memory"].why_not == "the machine has one memory node"
    two = machine(4)
    two["allowed"]["nodes"] = [0, 1]
    found = named(here(tmp_path, machine=two))
    assert found["interleaved memory"].change == {"memory": {"policy": "interleave", "nodes": [0, 1]}}
    assert found["local memory"].why_not == "memory is local already"
    spread = spec(memory={"policy": "interleave", "nodes": [0, 1]})
    found = named(here(tmp_path, machine=two, as_is=spread))
    assert found["interleaved memory"].why_not == "memory is interleaved already"
    assert found["local memory"].change == {"memory": {"policy": "local"}}


def test_a_quota_is_met_by_fewer_threads_and_raised_by_root(tmp_path):
    tight = machine(4)
    tight["allowed"]["quota_cpus"] = 2.5
    found = named(here(tmp_path, machine=tight))
    assert (
        found["as many threads as the quota"].change["threads"],
        found["as many threads as the quota"].change["cpus"],
    ) == (2, [0, 1])
    assert not found["no quota"].applies
    assert "cpu.max" in str(found["no quota"].root)
    tight["allowed"]["quota_cpus"] = 4.0
    assert "suffices" in str(named(here(tmp_path, machine=tight))["as many threads as the quota"].why_not)


def test_files_move_into_memory_only_where_a_disk_was_waited_for(tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text("disk / ext4 rw 0 0\nshm /dev/shm tmpfs rw 0 0\n")
    monkeypatch.setattr(memory_files, "MOUNTS", str(mounts))
    assert named(here(tmp_path))["temporary files in memory"].why_not == "no sample saw a thread wait for a disk"
    found = named(here(tmp_path, waits_for_disk=True))["temporary files in memory"]
    if os.access("/dev/shm", os.W_OK):
        assert env(found) == {"TMPDIR": "/dev/shm"}
    mounts.write_text(mounts.read_text() + "tmp /tmp tmpfs rw 0 0\n")
    assert "in memory already" in str(named(here(tmp_path, waits_for_disk=True))["temporary files in memory"].why_not)


def test_variables_are_set_for_a_workload_as_well(tmp_path):
    workload = spec(program={"workload": "heat", "args": {"n": "10"}})
    own = ({"name": "small", "args": {"n": 5}}, {"name": "set", "env": {"A": "b"}}, {"name": "wrong", "command": ["x"]})
    found = named(here(tmp_path, as_is=workload, own=own))
    assert "GLIBC_TUNABLES" in env(found["kept memory"])
    assert found["kept memory"].why_not is None
    assert found["small"].change == {"program": {"workload": "heat", "args": {"n": "5"}}}
    assert env(found["set"]) == {"A": "b"}
    assert found["wrong"].why_not == "command is only for a command"


def test_a_remedy_that_was_added_to_a_studys_folder_is_checked_as_well(tmp_path):
    own = ({"name": "misspelt", "comand": ["./p"]}, {"name": "as is", "env": {"A": "b"}}, {"name": "nothing"})
    reasons = {one.name: one.why_not or "" for one in all_remedies(here(tmp_path, own=own))}
    assert reasons["misspelt"].startswith("a remedy has no key 'comand': its keys are name, treats, command")
    assert reasons["as is"] == "its name is that of runs without a remedy"
    assert reasons["nothing"] == "it changes nothing: give command, args or env"


def test_a_remedy_of_the_study_file_changes_command_and_variables_at_the_levels_of_the_cell(tmp_path):
    cell = {"threads": 4, "placement": "none", "size": 7}
    as_is = spec(cell=cell, program={"command": ["./p"], "env": {"A": "1"}, "for": "openmp"})
    own = (
        {
            "name": "processes",
            "treats": ["interpreter lock"],
            "command": ["./q", "{size}", "{threads}"],
            "env": {"B": "{size}"},
        },
    )
    grows = {"argument": "n", "one_thread": 1000, "power": 1}
    more = ({"name": "grown", "command": ["./q", "{n}", "{threads}"]},)
    grown = named(here(tmp_path, as_is=as_is, own=more, weak=grows))["grown"]
    assert grown.change["program"]["command"] == ["./q", "4000", "{threads}"]
    remedy = named(here(tmp_path, as_is=as_is, own=own))["processes"]
    program = {"command": ["./q", "7", "{threads}"], "env": {"A": "1", "B": "7"}, "for": "openmp"}
    assert remedy.change == {"program": program}
    assert (remedy.treats, remedy.does) == (("interpreter lock",), "./q 7 {threads} B=7")


def test_programs_are_told_apart_by_their_files(tmp_path):
    python = executable(os.path.realpath(sys.executable))
    assert python is not None
    assert python.loader
    assert not python.is_go
    assert executable(__file__) is None
    assert executable(str(tmp_path)) is None
    (tmp_path / "cut").write_bytes(Path(sys.executable).read_bytes()[:70])
    assert executable(str(tmp_path / "cut")) is None
    if not shutil.which("gcc"):
        skipped("a static program", "there is no gcc")
    (tmp_path / "a.c").write_text("int main(void) { return 0; }")
    for flag, loads in (("-static", False), ("-O1", True)):
        subprocess.run(["gcc", flag, "a.c", "-o", "a"], cwd=tmp_path, check=True)
        found = executable(str(tmp_path / "a"))
        assert found is not None
        assert bool(found.loader) is loads
        assert not found.is_python


def test_a_program_in_go_is_recognised(tmp_path):
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not Path(go).exists():
        skipped("a program in Go", "there is no go")
    found = executable(os.path.realpath(go))
    assert found is not None
    assert found.is_go


def test_libraries_come_from_the_records_of_the_same_levels(simulated):
    folder = simulated({"p": {1: (2.0, 2.0), 2: (1.0, 2.0)}, "q": {1: (2.0, 2.0), 2: (1.0, 2.0)}}, blocks=2)
    plan = {one["id"]: one for one in folder.read_plan()}
    libraries = {("p", 1): ["a.so"], ("p", 2): ["b.so"], ("q", 1): ["c.so"], ("q", 2): []}

    def mapped(one: dict) -> dict:
        cell = plan[one["id"]]["cell"]
        busy = {"states": {"disk": int(cell["placement"] == "q")}}
        seen = {"programs": ["/bin/x"], "libraries": libraries[cell["placement"], cell["threads"]]}
        return one | {"mapped": seen, "observed_threads": [busy]}

    bare = situation(folder, *chosen(folder.read_plan(), {}, 4, {}), machine(4), {})
    assert (bare.programs, bare.libraries) == (None, None)
    rewrite(folder.records, mapped)
    p = situation(folder, *chosen(folder.read_plan(), {}, 4, {"placement": "p"}), machine(4), {})
    assert (sorted(p.libraries or ()), p.programs, p.waits_for_disk) == (["a.so", "b.so"], ("/bin/x",), False)
    q = situation(folder, *chosen(folder.read_plan(), {}, 4, {"placement": "q"}), machine(4), {})
    assert (q.libraries, q.waits_for_disk) == (("c.so",), True)


def planned(*specs: tuple[str, int, int]) -> list[dict]:
    """Return a plan with runs of (placement, threads, cpus)."""
    return [spec(threads, id=str(number), role="measure", cell={"threads": threads, "placement": placement},
                 cpus=list(range(cpus))) for number, (placement, threads, cpus) in enumerate(specs, 1)]  # fmt: skip


def test_the_largest_count_with_a_cpu_for_each_thread_is_improved():
    plan = planned(
        ("none", 4, 0), ("cores-close", 1, 1), ("cores-close", 4, 4), ("cores-close", 2, 2), ("cores-close", 8, 4)
    )
    as_is, lower = chosen(plan, {}, 4, {})
    assert (as_is["cell"], [one["threads"] for one in lower]) == ({"threads": 4, "placement": "cores-close"}, [2, 1])
    as_is, lower = chosen(plan, {}, 4, {"placement": "none"})
    assert (as_is["cell"]["placement"], lower) == ("none", [])
    assert chosen(plan, {}, 2, {"placement": "none"})[0]["threads"] == 4, "the only count there is"
    as_is, lower = chosen(plan, {}, 4, {"placement": "cores-close", "threads": "2"})
    assert (as_is["threads"], [one["threads"] for one in lower]) == (2, [1])
    for at, reason in (({"placement": "cores-clos"}, "placement=cores-clos"), ({"x": "1"}, "x=1")):
        with pytest.raises(StudyError, match=f"--at: {reason}: the study has no such level"):
            chosen(plan, {}, 4, at)


def test_the_first_series_is_the_first_of_the_study_file():
    plan = planned(("sockets-close", 2, 2), ("cores-close", 2, 2))
    assert chosen(plan, {}, 4, {})[0]["cell"]["placement"] == "cores-close"
    listed = {"factors": {"placement": ["sockets-close", "cores-close"]}}
    assert chosen(plan, listed, 4, {})[0]["cell"]["placement"] == "sockets-close"


def test_every_block_has_the_run_as_it_is_and_each_remedy_in_random_order(simulated):
    folder = simulated({"p": {1: (2.0, 2.0), 2: (1.0, 2.0)}}, blocks=3)
    rewrite(folder.plan, lambda one: one | {"check": {"stdout": "x"}, "prepare": "true", "timeout_s": 9.0})
    plan = folder.read_plan()
    as_is, lower = chosen(plan, {}, 4, {})
    remedies = [one for one in all_remedies(here(folder.path, as_is=as_is, fewer=tuple(lower))) if one.applies]
    added = trials(plan, as_is, remedies, 8, 1)
    names = {"as is", *(one.name for one in remedies)}
    orders = [[one["test"] for one in added if one["block"] == block] for block in range(4, 12)]
    assert all(set(order) == names and len(order) == len(names) for order in orders)
    assert len({tuple(order) for order in orders}) > 4
    assert len({one["id"] for one in [*plan, *added]}) == len(plan) + len(added)
    for one in added:
        assert (one["role"], one["cell"], one["timeout_s"]) == ("remedy", as_is["cell"], 9.0)
        assert (one["check"], one["prepare"]) == ({"stdout": "x"}, "true")
        assert one["threads"] == (1 if one["test"] == "1 thread" else 2)
    assert trials(plan, as_is, remedies, 8, 1) == added != trials(plan, as_is, remedies, 8, 2)
    folder.plan.write_text("".join(json.dumps(one) + "\n" for one in [*plan, *added]))
    assert folder.read_plan()[-1]["role"] == "remedy"


def test_remedies_that_do_not_fit_into_a_budget_are_left_out():
    slow = Remedy("slow", (), change={"threads": 1})
    one, two = Remedy("one", (), change={"x": 1}), Remedy("two", (), change={"x": 1})
    as_is = spec(4)
    assert affordable([slow, one, two], as_is, 0.9, 1000, 5) == ([slow, one, two], 5)
    assert affordable([slow, one, two], as_is, 0.9, 9, 5) == ([one, two], 3)
    assert affordable([slow, one, two], as_is, 0.9, 11, 5) == ([one, two], 3)
    assert affordable([one], as_is, 0.9, 8.5, 5) == ([one], 4)
    assert affordable([one], as_is, 0.9, 5, 5)[0] == []


def test_remedies_in_a_study_file_are_read_and_checked(tmp_path):
    file = tmp_path / "s.toml"
    start = '[program]\ncommand = ["true"]\n[[remedy]]\nname = "a"\n'
    file.write_text(start + 'treats = ["imbalance"]\nenv = { A = 1, B = true }\n')
    assert from_file(file).remedies == [{"name": "a", "treats": ["imbalance"], "env": {"A": "1", "B": "true"}}]
    for text, reason in (
        ("", ":3: remedy 1: it changes nothing"),
        ("comand = ['x']\n", ":5: remedy 1.comand: unknown key"),
        ("command = 'x'\n", ":5: remedy 1: command: it is not a list of words"),
        ("env = { A = [1] }\n", ":5: remedy 1: env.A: it is not text"),
        ("treats = 'x'\ncommand = ['x']\n", ":5: remedy 1: treats: it is not a list of causes"),
        ("command = ['x']\n[[remedy]]\nname = 'a'\ncommand = ['y']\n", "remedy: the name 'a' is taken"),
        ("command = ['x']\n[[remedy]]\nname = 'as is'\ncommand = ['y']\n", "remedy: the name 'as is' is taken"),
        ("command = ['x']\n[[remedy]]\ncommand = ['y']\n", "remedy 2: name: a remedy needs a name"),
    ):
        file.write_text(start + text)
        with pytest.raises(StudyError, match=re.escape(reason)):
            from_file(file)


def test_a_record_shows_the_files_of_a_program(binary, tmp_path):
    words = [binary, "run", "--json", "--", sys.executable, "-c", "import time, math; time.sleep(0.2)"]
    one = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert os.path.realpath(sys.executable) in one["mapped"]["programs"]
    assert "libc.so.6" in one["mapped"]["libraries"]
    assert "mapped" not in record("1", 1, 1.0, 1.0)
