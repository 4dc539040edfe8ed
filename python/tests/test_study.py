"""Real studies through the installed command: they run, stop, resume, and reject wrong input."""

import json
import math
import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path
from unittest import mock

import pytest
from conftest import rewrite

from knee.explain.responses import response
from knee.opened import Study
from knee.store import Folder, StudyError
from knee.study.run.create import Taken, create

SHORT = ("--blocks", "2", "--factor", "threads=1,2", "--factor", "placement=none")


def knee(binary: str, *words: str, cwd: Path, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, *words], cwd=cwd, capture_output=True, text=True, check=False, **more)


def test_a_study_of_a_command_from_question_to_report(binary, tmp_path):
    done = knee(binary, "study", "--out", "s", *SHORT, "--", "sh", "-c", "echo {threads}; sleep 0.05", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["s/analysis.json", "s/report.html"]
    assert "2 thread counts x 2 launches unpinned" in " ".join(done.stdout.split())
    study = Study.read(tmp_path / "s")
    assert [run.record["output"]["stdout_tail"] for run in study.runs] == [str(run.threads) for run in study.runs]
    assert study.analysis.bad == {}
    told = json.loads((tmp_path / "s/analysis.json").read_text())["verdict"]
    assert told["headline"] == study.verdict.splitlines()[0]


def test_each_series_is_compared_with_the_serial_version_of_its_levels(binary, tmp_path):
    words = [*SHORT, "--factor", "s=0.1,1", "--baseline", "sleep {s}", "--", "sleep", "{s}"]
    done = knee(binary, "study", "--out", "s", "--no-report", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = Study.read(tmp_path / "s").analysis.baseline
    assert len(found) == 2
    # With the other one it would be ten times as long, or a tenth.
    assert all(1 / 3 < one.estimate < 3 for one in found.values()), found


def test_a_curve_whose_serial_version_has_not_run_is_compared_with_none(simulated):
    folder = simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (6.0, 6.0)}})

    def serial(spec: dict) -> dict:
        best = {"role": "baseline", "cell": {"size": "1"}, "program": {"command": ["serial"]}}
        return spec | best if spec["threads"] == 4 else spec | {"cell": spec["cell"] | {"size": str(spec["block"] % 2)}}

    rewrite(folder.plan, serial)
    found = Study.read(folder.path).analysis.baseline
    assert [name for name in found if "size=1" in name] == list(found)
    assert len(found) == 1


def test_a_study_of_a_workload_measures_its_phase_and_its_baseline(binary, tmp_path):
    words = [*SHORT, "--baseline", "sumeuler --n 1000 --runtime serial", "sumeuler", "--n", "1000"]
    done = knee(binary, "study", "--out", "s", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = Study.read(tmp_path / "s")
    assert {run.record["metric"]["name"] for run in study.runs} == {"sum"}
    assert set(study.analysis.baseline) == {series.name for series in study.analysis.series}
    assert study.analysis.bad == {}


def test_without_names_studies_do_not_overwrite_each_other(binary, tmp_path):
    for _ in range(2):
        assert knee(binary, "study", "--no-report", *SHORT, "--", "true", cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "knee-studies").iterdir())) == 2


def test_a_study_that_only_fails_stops_after_a_block_and_can_be_made_to_go_on(binary, tmp_path):
    done = knee(binary, "study", "--out", "s", *SHORT, "--", "sh", "-c", "echo why >&2; exit 5", cwd=tmp_path)
    assert done.returncode == 2
    assert "run 0001: exit status 5: why" in done.stderr
    assert "every run of the first block failed" in done.stderr
    assert len(Folder(tmp_path / "s").read_records()) == 2
    done = knee(binary, "study", "--resume", "s", cwd=tmp_path)
    assert done.returncode == 1
    assert "1 thread: 2 of 2 runs rejected (exit status 5); 2 at other counts" in done.stdout
    assert "no verdict" in done.stdout


def test_an_explained_study_whose_program_cannot_start_says_so_as_any_other(binary, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/nowhere/interpreter\n")
    program.chmod(0o755)
    words = ["--explain", "--no-report", *SHORT, "--", "./program", "{threads}"]
    done = knee(binary, "study", "--out", "s", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "knee: every run of the first block failed, so the study stops here" in done.stderr
    done = knee(binary, "study", "--resume", "s", "--no-report", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "no verdict" in done.stdout


def test_a_study_of_another_machine_is_not_resumed(binary, tmp_path):
    assert knee(binary, "study", "--no-report", "--out", "s", *SHORT, "--", "true", cwd=tmp_path).returncode == 0
    folder = Folder(tmp_path / "s")
    folder.records.write_text("".join(folder.records.read_text().splitlines(keepends=True)[:-1]))
    machine = folder.read_machine()
    folder.machine.write_text(json.dumps(machine | {"facts": machine["facts"] | {"model": "Abacus 1"}}))
    done = knee(binary, "study", "--resume", "s", cwd=tmp_path)
    assert (done.returncode, "it was made on another machine (Abacus 1; this is " in done.stderr) == (2, True)
    folder.machine.write_text(json.dumps(machine))
    assert knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("then", "status", "said"),
    [
        ({"cpus": [0, 1, 2, 3, 8]}, 2, "it was made with cpus 0-3,8, and here they are "),
        ({"quota_cpus": 1.5}, 0, "the study was planned with a quota of 1.5 cpus, and here it is "),
    ],
)
def test_a_study_of_other_cpus_is_not_resumed(binary, tmp_path, then, status, said):
    assert knee(binary, "study", "--no-report", "--out", "s", *SHORT, "--", "true", cwd=tmp_path).returncode == 0
    folder = Folder(tmp_path / "s")
    folder.records.write_text("".join(folder.records.read_text().splitlines(keepends=True)[:-1]))
    machine = folder.read_machine()
    folder.machine.write_text(json.dumps(machine | {"allowed": machine["allowed"] | then}))
    done = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert (done.returncode, said in done.stderr) == (status, True), done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--", "/nonexistent/x"], "cannot run /nonexistent/x: no such program"),
        (["nosuchworkload"], "unknown workload 'nosuchworkload'"),
        ([], "nothing to study"),
        (["--factor", "threads=0", "--", "true"], "0 is not a number of threads"),
        (["--factor", "placement=wide", "--", "true"], "unknown placement 'wide'"),
        (["--factor", "placement=4096", "--", "true"], "cpus 4096 are not allowed"),
        (["--blocks", "0", "--", "true"], "--blocks: '0' is not a whole number from 1 to 1000"),
        (["--check", "(", "--", "true"], "is not a regular expression"),
        (["--resume", "nowhere"], "not the folder of a study: nowhere"),
        (["none.toml"], "cannot read the study: none.toml: No such file"),
        (
            ["mine", "count", "--plan", "guess", "g"],
            "bad argument: plan 'guess'; expected auto, explore or formula",
        ),
        (["--nonsense", "--", "true"], "unknown option '--nonsense'"),
        (["--out", "/proc/x", "--", "true"], "cannot make the folder /proc/x"),
        (["--check", "(?<=x)y", "--", "true"], "bad run spec: run 0001: regex parse error"),
        (["--baseline", "true", "sumeuler"], "the baseline is a command, so it has no phase sum"),
        (
            ["--copies", "--metric", "took ([0-9]+)", "--", "true"],
            "copies: only where the run time of a command is measured",
        ),
        (["--copies", "latency"], "copies: latency is a probe, which pins each thread to a cpu of its own"),
        (["--unit", "ms", "--", "true"], "there is no --metric"),
        (["--metric", "took [0-9]+", "--", "true"], "has no group"),
        (["--resume", "s", "--blocks", "3"], "no program and no other options can be given"),
        (["--resume", "s", "--sample-ms", "0"], "no program and no other options can be given"),
        (["--resume", "s", "--out", "t"], "no program and no other options can be given"),
        (["--resume", "s", "--pilot"], "no program and no other options can be given"),
        (["./script.sh", "{threads}"], "a program goes after --"),
        (["sumeuler", "--nn", "3"], "unknown option '--nn'"),
        (["--factor", "bind=each,all", "--", "true"], "bad value 'all'; expected each or set"),
        (["--factor", "cache=hot", "--", "true"], "bad value 'hot'; expected cold or warm"),
        (["--cache", "cold", "--factor", "cache=cold,warm", "--", "true"], "cache is both a factor and an option"),
        (["--skip", "1-x", "--bind", "each", "--", "true"], "--skip: '1-x' is neither a list like 0,2-3"),
        (["--skip", "0", "--", "true"], "skip has no effect without bind each"),
        (["--skip", "0", "--bind", "each", "sumeuler"], "skip works for commands only, not for workloads"),
        (["--census-ms", "5", "sumeuler"], "census_ms works for commands only, not for workloads"),
        (["--explain", "--weak", "n=10", "--", "echo", "{n}"], "explain and weak cannot be combined"),
        (["--for", "openmp", "sumeuler"], "for is not needed: a built-in workload knows its threads"),
        (["--for", "openmp", "--copies", "--", "true"], "copies and for cannot be combined: each copy has one thread"),
        (["--hold", "colour", "--", "true"], "unknown fact 'colour'"),
        (["--counters", "a,,b", "--", "true"], "--counters: a name is empty"),
        (["--counters", "cpu/event=1", "--", "true"], "counter 'cpu/event=1' is not an event"),
        (["--weak", "n", "--", "true"], "--weak: 'n' is not ARG=SIZE"),
        (["--budget", "soon", "--", "true"], "--budget: 'soon' is not a duration"),
        (["--width", "200%", "--", "true"], "--width: '200%' is not a share from 0.1% to 100%"),
        (["--exclude", "threads", "--", "true"], "--exclude: 'threads' does not name levels"),
        (["--pair", "x", "--", "true"], "pair: x is not a factor of this study"),
        (["--factor", "workload=heat,lace"], "unknown workload 'lace'"),
        (["--events", "none.toml", "--", "true"], "events has no effect without counters"),
        (["--counters", "x", "--events", "none.toml", "--", "true"], "none.toml: No such file"),
        (
            ["--prepare", "x {size}", "--baseline", "true", "--factor", "size=1", "--", "true", "{size}"],
            "has no value for",
        ),
    ],
)
def test_bad_input_is_one_error_and_exit_status_two(binary, tmp_path, words, reason):
    done = knee(binary, "study", *([] if {"--out", "--resume"} & {*words} else ["--out", "s"]), *words, cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert done.stderr.startswith("knee: ")
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert max(map(len, done.stderr.splitlines())) < 160


def test_a_folder_with_something_in_it_is_left_alone(binary, tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s/mine.txt").write_text("precious")
    done = knee(binary, "study", "--out", "s", "--", "true", cwd=tmp_path)
    assert done.returncode == 2
    assert "the folder is not empty: s" in done.stderr
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["mine.txt"]


def test_an_unreadable_folder_is_said_to_be_so(binary, tmp_path):
    knee(binary, "study", "--no-report", "--out", "s", *SHORT, "--", "true", cwd=tmp_path)
    (tmp_path / "s/records.jsonl").write_bytes(b"\xff\xfe\n")
    done = knee(binary, "report", "s", cwd=tmp_path)
    assert done.returncode == 2
    message, _, hint = done.stderr.partition("\n\n")
    assert message == "knee: cannot read line 1: s/records.jsonl: not text"
    assert hint == "hint: remove that line; knee study --resume s repeats its run\n"


def test_a_full_disk_stops_the_study_and_loses_nothing(binary, tmp_path, monkeypatch):
    # The limit is on every file, and the other tests' list of planned studies may be longer.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    words = ["study", "--out", "s", "--blocks", "9", "--factor", "threads=1,2", "--sample-ms", "0", "--", "true"]
    words[5:5] = ["--factor", "placement=none", "--hold", "none"]
    done = knee(binary, *words, cwd=tmp_path, preexec_fn=little_room)
    assert done.returncode == 2
    assert "cannot write a record: s/records.jsonl: File too large" in done.stderr
    assert "knee study --resume s" in done.stderr
    kept = len(Folder(tmp_path / "s").read_records())
    assert 0 < kept < 18
    assert knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path).returncode == 0
    assert len(Folder(tmp_path / "s").read_records()) == 18


def test_ctrl_c_keeps_what_there_is_and_says_how_to_go_on(binary, tmp_path):
    # The third run waits until it is interrupted.
    program = ["sh", "-c", "test -e go || test $(wc -l < s/records.jsonl) -lt 2 || sleep 60"]
    words = [binary, "study", "--out", "s", "--blocks", "5", "--factor", "threads=1", "--", *program]
    study = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    records = tmp_path / "s/records.jsonl"
    while not records.exists() or records.read_text().count("\n") < 2:
        time.sleep(0.01)
    os.killpg(study.pid, signal.SIGINT)
    said = study.communicate(timeout=20)[1]
    assert study.returncode == 130
    assert "runs are done" in said
    assert "knee study --resume s" in said
    (tmp_path / "go").touch()
    second = knee(binary, "study", "--resume", "s", cwd=tmp_path)
    assert second.returncode == 0, second.stderr
    folder = Folder(tmp_path / "s")
    assert [r["id"] for r in folder.read_records()] == [s["id"] for s in folder.read_plan()]


def test_a_plan_made_at_the_desk_is_run_without_python_and_reported_at_the_desk(binary, tmp_path):
    assert knee(binary, "plan", "--out", "s", *SHORT, "--", "true", "{threads}", cwd=tmp_path).returncode == 0
    words = f"{binary} run --stdin --samples samples < plan.jsonl > records.jsonl"
    subprocess.run(["sh", "-c", words], cwd=tmp_path / "s", check=True, env={"PATH": "/usr/bin:/bin"})
    done = knee(binary, "report", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(Study.read(tmp_path / "s").runs) == 4


def test_a_study_file_with_a_workload_measures_its_phase(binary, tmp_path):
    (tmp_path / "w.toml").write_text("[program]\nworkload = 'sumeuler'\n[program.args]\nn = 500\n")
    done = knee(binary, "study", "--out", "s", *SHORT, "./w.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {run.record["metric"]["name"] for run in Study.read(tmp_path / "s").runs} == {"sum"}
    (tmp_path / "w.toml").write_text("[program]\nworkload = 'sumeuler'\n[program.args]\nm = 500\n")
    done = knee(binary, "study", "--out", "t", *SHORT, "w.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "unknown argument 'm'" in done.stderr
    assert not (tmp_path / "t").exists()


def test_a_study_counts_and_says_what_it_could_not_count(binary, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/mine.toml").write_text("")
    counting = "counters = ['minor-faults', 'nosuchevent']\nevents = 'mine.toml'"
    file = f"[program]\ncommand = ['sh', '-c', 'exit 0 {{threads}}']\n[measure]\n{counting}\n"
    (tmp_path / "in/c.toml").write_text(file)
    done = knee(binary, "study", "--out", "s", *SHORT, "in/c.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "1 of 2 counters have values; the report shows their medians. Not available: nosuchevent (" in said
    study = Study.read(tmp_path / "s")
    counting = [run for run in study.runs if run.role == "counting"]
    assert len(counting) == len(study.runs) / 2, "runs that count are not those that are timed"
    assert {run.spec["events"] for run in counting} == {str(tmp_path / "in/mine.toml")}
    rows = [row for row in study.rows() if row["role"] == "counting"]
    assert len(rows) == len(counting)
    assert all(row["minor-faults"] > 0 and "nosuchevent" not in row for row in rows)
    medians = json.loads((tmp_path / "s/analysis.json").read_text())["counters"]["medians"]
    assert {one["counter"] for one in medians} == {"minor-faults"}
    again = knee(binary, "plan", "--counters", "task-clock", *SHORT, "in/c.toml", cwd=tmp_path).stdout.splitlines()
    counted = {tuple(json.loads(line).get("counters", ["none"])) for line in again}
    assert counted == {("none",), ("task-clock",)}, "an option replaces a key"


def test_events_that_are_no_toml_are_found_before_any_run(binary, tmp_path):
    (tmp_path / "mine.toml").write_text("[event")
    words = ["study", "--out", "s", "--counters", "x", "--events", "mine.toml", "--", "true"]
    done = knee(binary, *words, cwd=tmp_path)
    assert done.returncode == 2
    assert f"knee: cannot read the events: {tmp_path / 'mine.toml'}: " in done.stderr
    assert "docs/reference/events.md" in done.stderr
    assert not (tmp_path / "s").exists()


@pytest.mark.serial
def test_copies_run_side_by_side_on_one_thread_each(binary, tmp_path):
    words = ["--copies", "--factor", "threads=1,2", "--factor", "placement=0,1;none", "--blocks", "2"]
    program = ["sh", "-c", "echo {threads}; sleep 0.5"]
    done = knee(binary, "study", "--out", "s", *words, "--", *program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = Study.read(tmp_path / "s")
    copies = [run for run in study.runs if run.role == "copies"]
    assert [run.record["output"]["stdout_tail"] for run in copies] == ["1\n1", "1\n1"]
    # One after the other, each run would take a second. A busy machine may delay one of both.
    assert min(run.record["wall_ns"] for run in copies) < 0.99e9, "they ran at once"
    pinned = next(series for series in study.analysis.series if series.pinned)
    assert pinned.copies[2].blocks == 2
    assert [point.threads for point in pinned.curve.points] == [1, 2]


@pytest.mark.serial
def test_two_runners_do_not_share_a_study(binary, tmp_path):
    program = ["sh", "-c", "touch begun; until [ -e go ]; do sleep 0.05; done"]
    words = [binary, "study", "--out", "s", "--blocks", "2", "--factor", "threads=1", "--", *program]
    first = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not (tmp_path / "begun").exists():
        assert first.poll() is None
        time.sleep(0.01)
    second = knee(binary, "study", "--resume", "s", cwd=tmp_path)
    (tmp_path / "go").touch()
    assert second.returncode == 2
    assert "the study is already running: s" in second.stderr
    assert first.wait() == 0


def test_a_file_named_like_ours_in_the_users_folder_is_never_imported(binary, tmp_path):
    for name in ("knee.py", "numpy.py", "click.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the working folder')")
    done = knee(binary, "plan", "--blocks", "2", "--", "true", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_opened_study_gives_frames_and_charts(simulated):
    import knee

    study = knee.open(simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}}).path)
    assert list(study.frame().columns[:3]) == ["order", "run", "block"]
    assert len(study.frame()) == 10
    assert {"speedup", "efficiency", "run-time", "machine", "runs"} <= set(study.charts)
    with pytest.raises(ValueError, match="unknown kind of frame"):
        study.frame("excel")


@pytest.mark.parametrize(("form", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_figures_come_in_the_forms_of_a_paper(binary, simulated, form, begins):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}}).path
    done = knee(binary, "report", str(folder), "--format", form, cwd=folder)
    assert done.returncode == 0, done.stderr
    files = list((folder / "figures").iterdir())
    assert len(files) >= 5
    assert all(path.read_bytes().startswith(begins) for path in files)


def test_several_workloads_are_a_factor_and_each_is_compared_with_itself(binary, tmp_path):
    # Two blocks of a busy machine leave intervals that span hundreds: the claim is one that any of them decides.
    file = """[program]
workload = { heat = { rows = 64, columns = 64, steps = 2 }, cilksort = { n = 20000 } }
[factors]
threads = [1, 2]
runtime = ["near", "random"]
placement = ["none"]
[design]
blocks = 2
[[claim]]
says = "Two threads sort faster"
speedup = { workload = "cilksort", runtime = "near", threads = 2 }
above = 1e-30
"""
    (tmp_path / "several.toml").write_text(file)
    done = knee(binary, "study", "--out", "s", "several.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = Study.read(tmp_path / "s")
    assert study.analysis.bad == {}
    assert {run.record["metric"]["name"] for run in study.runs} == {"steps", "sort"}
    assert {(one.series.split(", ")[0], one.reference.split(", ")[0]) for one in study.analysis.contrasts} == {
        ("heat", "heat"),
        ("cilksort", "cilksort"),
    }
    assert "of 2 cases at 2 threads" in study.analysis.verdict.headline
    assert [one.answer for one in study.analysis.claims] == ["confirmed"]
    analyzed = json.loads(knee(binary, "analyze", "s", "--json", cwd=tmp_path).stdout)
    assert analyzed["response"] == "time"
    assert set(analyzed["factors"]) == {"threads", "workload", "runtime"}


def test_a_workload_stands_twice_in_a_study_under_names_of_ones_own(binary, tmp_path):
    file = """[program.workload]
small = { workload = "heat", rows = 64 }
large = { workload = "heat", rows = 128 }
cilksort = { n = 2000 }
[program.args]
runtime = "random"
[factors]
threads = [1]
placement = ["none"]
[design]
blocks = 2
[[claim]]
says = "Twice the rows take longer"
ratio = { of = { workload = "large" }, over = { workload = "small" } }
above = 1e-30
"""
    (tmp_path / "twice.toml").write_text(file)
    done = knee(binary, "study", "--out", "s", "twice.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = Study.read(tmp_path / "s")
    specs = [(run.spec["cell"]["workload"], run.spec["program"]["workload"]) for run in study.runs]
    ran = {(*names, run.record["metric"]["name"]) for names, run in zip(specs, study.runs, strict=True)}
    assert ran == {("small", "heat", "steps"), ("large", "heat", "steps"), ("cilksort", "cilksort", "sort")}
    args = {run.spec["program"]["args"].get("rows") for run in study.runs}
    assert args == {"64", "128", None}
    assert [one.answer for one in study.analysis.claims] == ["confirmed"]
    (tmp_path / "wrong.toml").write_text(file.replace('"heat"', '"heet"'))
    done = knee(binary, "plan", "wrong.toml", cwd=tmp_path)
    assert "unknown workload 'heet'" in done.stderr


@pytest.mark.serial
def test_weak_scaling_pays_for_the_work_done(binary, tmp_path):
    words = ["--factor", "threads=1,2", "--factor", "placement=none", "--blocks", "2", "--weak", "n=1"]
    sleep = ["--", "sh", "-c", "sleep 0.05; exit $((0 * {n} * {threads}))"]
    done = knee(binary, "study", "--out", "s", *words, *sleep, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = Study.read(tmp_path / "s")
    (series,) = study.analysis.series
    # Twice the work in the same time is a speedup of two. How long the runs took, their records say.
    time_s = {(run.spec["block"], run.threads): run.time_s for run in study.runs}
    paid = [2 * time_s[block, 1] / time_s[block, 2] for block in (1, 2)]
    assert series.curve.at(2).speedup.estimate == pytest.approx(math.sqrt(math.prod(paid)))
    assert series.curve.at(2).efficiency == pytest.approx(math.sqrt(math.prod(paid)) / 2)
    assert sorted(response(study.runs, "speedup").values) == pytest.approx(sorted(paid))
    assert "n grows from 1" in (tmp_path / "s/report.html").read_text()


def test_one_block_makes_a_report_without_intervals(binary, tmp_path):
    words = ["--factor", "threads=1,2", "--factor", "env:X=a,b", "--factor", "placement=none", "--blocks", "1"]
    done = knee(binary, "study", "--out", "s", *words, "--", "sleep", "0.02", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no verdict. Too few good runs for an interval" in done.stdout
    assert "0 thread count" not in done.stdout
    analyzed = knee(binary, "analyze", "s", cwd=tmp_path)
    assert analyzed.returncode == 0, analyzed.stderr
    assert "serves as the error" in " ".join(analyzed.stdout.split())


def test_a_workload_may_be_measured_as_a_whole_and_its_file_says_so(binary, tmp_path):
    done = knee(binary, "plan", "--out", "s", *SHORT, "--phase", "wall", "fib", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    again = knee(binary, "plan", "s/study.toml", cwd=tmp_path).stdout
    assert [json.loads(line) for line in again.splitlines()] == Folder(tmp_path / "s").read_plan()
    assert '"metric"' not in again
    words = ["--phase", "wall", "--copies", *SHORT, "--", "true", "{threads}"]
    assert knee(binary, "plan", *words, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("step", ["--build", "--setup"])
def test_a_program_that_is_made_first_need_not_be_there_yet(binary, tmp_path, step):
    make = "printf '#!/bin/sh\\n' > made; chmod +x made"
    done = knee(binary, "study", "--no-report", "--out", "s", *SHORT, step, make, "--", "./made", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(record["exit"] == {"code": 0} for record in Folder(tmp_path / "s").read_records())


def test_a_folder_that_cannot_be_made_leaves_nothing_behind(tmp_path):
    full = mock.patch.object(Path, "rename", side_effect=OSError(28, "No space left on device"))
    with full, pytest.raises(StudyError, match=r"cannot make the folder .*: No space left on device"):
        create(tmp_path / "s", "", "{}", [])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_studies_that_is_a_link_to_nowhere_is_said_to_be_so(tmp_path):
    (tmp_path / "studies").symlink_to(tmp_path / "nowhere")
    # As Taken, the next name would be tried, and the one after it, for ever.
    with pytest.raises(StudyError, match=r"cannot make the folder .*: a link on the way leads nowhere") as error:
        create(tmp_path / "studies/s", "", "{}", [])
    assert not isinstance(error.value, Taken)


def test_a_link_to_an_empty_folder_leads_to_the_study(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    create(tmp_path / "link", "", "{}", [])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there/plan.jsonl").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "there"]


def test_the_current_folder_is_not_replaced_by_a_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (Path(), tmp_path):
        with pytest.raises(StudyError, match=r"cannot make the folder .*: it is the current one"):
            create(name, "", "{}", [])
    assert list(tmp_path.iterdir()) == []


def test_a_plan_says_in_words_what_it_holds(binary, tmp_path):
    words = [*SHORT, "--budget", "10m", "--rerun-disturbed"]
    done = knee(binary, "plan", *words, "--", "true", "{threads}", cwd=tmp_path)
    assert done.stderr.splitlines() == [
        "knee: 4 runs: 2 combinations x 2 blocks, each block in its own random order",
        "      threads: 1, 2",
        "      placement: none",
        "      time limit of a run: 10 min",
        "      duration: unknown; `knee plan --pilot` makes one run and estimates it",
        "      it stops before a block would exceed 10 min, after two blocks or more",
        "      blocks that other programs disturb are repeated, at most 2",
    ]
    assert len(done.stdout.splitlines()) == 4


def test_a_plan_lists_levels_in_their_own_order(binary, tmp_path):
    factors = ["--factor", "threads=8,1,2,16", "--factor", "size=9,10,2", "--factor", "placement=none,cores-close"]
    done = knee(binary, "plan", "--seed", "7", *factors, "--", "true", "{threads}", "{size}", cwd=tmp_path)
    said = [line.strip() for line in done.stderr.splitlines()]
    assert {"threads: 1, 2, 8, 16", "size: 9, 10, 2", "placement: none, cores-close"} <= {*said}


def test_a_plan_on_a_terminal_is_a_summary_and_no_json(binary, tmp_path):
    leader, follower = os.openpty()
    words = [binary, "plan", *SHORT, "--", "true", "{threads}"]
    done = subprocess.run(words, cwd=tmp_path, stdout=follower, stderr=subprocess.PIPE, text=True, check=True)
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert shown.startswith("knee: 4 runs: 2 combinations x 2 blocks")
    assert "{" not in shown
    assert done.stderr == ""


def test_a_pilot_run_that_cannot_be_made_is_refused_before_there_is_a_folder(binary, tmp_path):
    for more, program, reason in (
        (["--build", "true"], "true", "the study has a build or setup command"),
        (["--prepare", "true"], "./none", "no such program"),
    ):
        words = ["plan", "--pilot", "--out", "p", *more, "--factor", "threads=1", "--", program]
        done = knee(binary, *words, cwd=tmp_path)
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr
        assert not (tmp_path / "p").exists()


def test_a_pilot_run_of_a_plan_says_how_long_it_takes(binary, tmp_path):
    words = ["plan", "--pilot", "--blocks", "5", "--factor", "threads=1,2"]
    done = knee(binary, *words, "--", "sh", "-c", "sleep 0.3; : {threads}", cwd=tmp_path)
    assert re.search(r"duration: about [\d.]+ s: 5 blocks x 2 runs of [\d.]+ s\n", done.stderr), done.stderr
    assert [*tmp_path.iterdir()] == [], "a plan leaves nothing behind"
    done = knee(binary, *words, "--", "sh", "-c", "echo why >&2; exit {threads}", cwd=tmp_path)
    assert "duration: unknown: the pilot run on 1 thread failed: exit status 1: why" in done.stderr


def test_a_study_says_before_its_first_block_how_long_it_takes(binary, tmp_path):
    words = ["study", "--no-report", "--blocks", "3", "--factor", "threads=1", "--factor", "placement=none"]
    program = ["--", "sh", "-c", "echo once >> log; sleep 0.3; : {threads}"]
    done = knee(binary, *words, "--out", "s", *program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    duration = re.search(r"duration: about [\d.]+ s: 3 blocks x 1 run of [\d.]+ s\n", done.stderr)
    assert duration, done.stderr
    assert duration.start() < done.stderr.index("block 1 of 3 is done")
    assert len((tmp_path / "log").read_text().split()) == 4, "three runs and a pilot run"
    folder = Folder(tmp_path / "s")
    assert len(folder.read_records()) == 3
    assert not [*folder.samples.glob("pilot*")]
    done = knee(binary, *words, "--no-pilot", "--out", "t", *program, cwd=tmp_path)
    assert "duration" not in done.stderr
    assert len((tmp_path / "log").read_text().split()) == 7


def test_options_stand_before_or_after_a_study_file_and_a_workload(binary, tmp_path):
    (tmp_path / "s.toml").write_text("[program]\ncommand = ['true', '{threads}']\n")
    options = ["--blocks", "2", "-n", "1-2", "--factor", "placement=cores-close", "--copies"]
    before = knee(binary, "plan", *options, "s.toml", cwd=tmp_path)
    after = knee(binary, "plan", "s.toml", *options, cwd=tmp_path)
    assert before.returncode == after.returncode == 0, after.stderr
    assert before.stdout == after.stdout
    assert len(after.stdout.splitlines()) == 2 * 3
    options = ["--blocks", "2", "--threads=1,2", "--factor", "placement=none", "--wait-quiet"]
    before = knee(binary, "plan", *options, "sumeuler", "--n", "500", cwd=tmp_path)
    after = knee(binary, "plan", "sumeuler", "--n", "500", *options, cwd=tmp_path)
    mixed = knee(binary, "plan", *options[:2], "sumeuler", *options[2:], "--n=500", cwd=tmp_path)
    assert before.returncode == 0, before.stderr
    assert before.stdout == after.stdout == mixed.stdout
    behind = knee(binary, "plan", *options, "--", "true", "{threads}", "--blocks", "9", cwd=tmp_path)
    assert '"command": ["true", "{threads}", "--blocks", "9"]' in behind.stdout
