"""Anonymous reports contain no names of people, hosts or folders, but all measurements."""

import json
import os
import subprocess

import pytest
from conftest import rewrite
from test_tried import add as trials

from knee.opened import Study
from knee.report.anonymous import anonymous
from knee.store import Folder, Noted, Trials, write_trials

SECRETS = (
    *("adalove", "lovelace", "engine-room", "kludge", "T13:37", "adalove@example.org", "custom-lab"),
    *("babbage", "Difference", "mill7", "uni-ockham", "loom-lab", "gear2", "own-kernel"),
)


@pytest.fixture
def folder(simulated, monkeypatch) -> Folder:
    """A study with names of people and folders everywhere."""
    made = simulated({"cores-close": {1: (8.0, 8.0), 2: (4.0, 8.0)}, "none": {1: (8.0, 8.0), 2: (4.4, 8.0)}})
    words = ["--in=/data/kludge/in.el", "adalove", "~adalove/kludge/x", "--from=/data/The Difference Engine/in.el"]
    words += ["mill7.uni-ockham.de", "gear2.loom-lab.org:80", "charles@babbage", "--user=babbage"]
    program: dict = {"command": ["/home/adalove/lovelace/engine", *words], "directory": "/data/The Difference Engine"}
    env = {"HOME": "/home/adalove", "MAIL": "adalove@example.org", "LOGNAME": "babbage", "HOSTNAME": "mill7"}
    program |= {"env": {**env, "GEAR_babbage": "1", "babbage": "mill7"}}
    rewrite(made.plan, lambda spec: spec | {"program": program, "cell": spec["cell"] | {"env:babbage": "mill7"}})

    def signed(record: dict) -> dict:
        tail = "adalove: engine-room.lab: cannot open /home/adalove/lovelace/table.txt"
        check = {"ok": False, "reason": "standard output does not match lovelace/ok"}
        first = {"check": check} if record["id"].endswith("1") else {}
        told = {"start": "2026-01-01T13:37:00.000Z", "output": {"stdout_bytes": 0, "stderr_tail": tail}}
        kernel = {"fact": "kernel", "held": "6.1.0-custom-lab", "found": "6.1.0-own-kernel"}
        return record | told | {"changed": [kernel]} | first

    rewrite(made.records, signed)
    here = json.loads(made.machine.read_text())
    here["facts"]["kernel"] = "6.1.0-custom-lab"
    here["facts"]["runtime_variables"] = "JAVA_OPTS=-Duser=babbage -Dhost=mill7.uni-ockham.de"
    made.machine.write_text(json.dumps(here))
    with made.study_spec.open("a") as file:
        file.write('[measure]\nsetup = "make -C /home/adalove/kludge/src"\n')
    return made


def test_nothing_that_names_somebody_is_left_and_nothing_is_overwritten(binary, folder):
    before = {path: path.read_bytes() for path in folder.path.iterdir() if path.is_file()}
    words = [binary, "report", "--anonymise", "--format", "html,json,svg", str(folder.path)]
    env = {"USER": "lovelace", "LOGNAME": "lovelace"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, **env})
    assert done.returncode == 1, done.stderr  # a run was rejected
    assert {path: path.read_bytes() for path in before} == before
    written = [folder.path / "report-anonymous.html", folder.path / "analysis-anonymous.json"]
    written += list((folder.path / "figures-anonymous").iterdir())
    assert len(written) > 5
    for path in written:
        text = path.read_text()
        for secret in SECRETS:
            assert secret not in text, (path.name, secret)


def test_the_numbers_and_the_program_stay(binary, folder):
    words = [binary, "report", "--anonymise", "--format", "json", str(folder.path)]
    assert subprocess.run(words, check=False, capture_output=True).returncode == 1, "a run was rejected"
    told = json.loads((folder.path / "analysis-anonymous.json").read_text())
    own = Study.read(folder.path).analysis.to_json()
    numbers = ("base", "points", "law", "knee", "decision")
    for theirs, ours in zip(told["series"], own["series"], strict=True):
        assert [theirs[key] for key in numbers] == [ours[key] for key in numbers]
    assert "engine" in (folder.path / "plan.jsonl").read_text()


def test_folders_that_differ_still_differ(simulated):
    from knee.report.anonymous import anonymous

    folder = simulated({"cores-close": {1: (8.0, 8.0)}})
    paths = iter(["/home/a/x/tool", "/home/a/y/tool"] * 100)
    rewrite(folder.plan, lambda spec: spec | {"program": {"command": [next(paths), "/usr/bin/env", "/tool"]}})
    with anonymous(folder) as study:
        words = {tuple(run.spec["program"]["command"]) for run in study.runs}
    assert words == {("folder1/tool", "/usr/bin/env", "/tool"), ("folder2/tool", "/usr/bin/env", "/tool")}


def test_the_phase_that_is_measured_has_one_name_in_specs_and_records(simulated):
    from knee.report.anonymous import anonymous

    folder = simulated({"cores-close": {1: (8.0, 8.0)}})
    rewrite(folder.plan, lambda spec: spec | {"metric": {"phase": "smithlab/solve"}})

    def measured(record: dict) -> dict:
        spent, phase = {"begin_ns": 0, "end_ns": 10, "wall_ns": 10, "cpu_ns": 10}, {"name": "smithlab/solve"}
        return record | {"phases": [phase | spent], "metric": phase | {"unit": "s", "value": 1.0}}

    rewrite(folder.records, measured)
    with anonymous(folder) as study:
        (run, *_) = study.runs
        assert run.spec["metric"]["phase"] == run.record["phases"][0]["name"] == "folder1/solve"


def told(folder, **program) -> list[str]:
    """Words of a program as the anonymous study has them."""
    from knee.report.anonymous import anonymous

    rewrite(folder.plan, lambda spec: spec | {"program": {"command": ["solve"], **program}})
    with anonymous(folder) as study:
        made = study.runs[0].spec["program"]
    return [*made["command"], *made.get("env", {}).values()]


def test_folders_behind_an_option_beside_the_program_and_at_the_end_are_replaced(simulated):
    words = ["-I/data/smithlab/inc", "smithlab/bin/solve", "--in=data/smithlab/g.el", "cp -r ../smithlab/in", "-Ljd/x"]
    env = {"DATA": "/scratch/smithlab/", "FLAGS": "-O2 -L/scratch/jdoe/lib", "BUILD": "$HOME/smithlab/x"}
    assert told(simulated({"none": {1: (8.0, 8.0)}}), command=[*words, "{build}/smithlab/x"], env=env) == [
        *("-Ifolder1/inc", "folder2/solve", "--in=folder3/g.el", "cp -r folder4/in", "-Lfolder5/x"),
        *("{build}/folder6/x", "folder7/", "-O2 -Lfolder8/lib", "$HOME/folder6/x"),
    ]


def test_what_is_no_folder_stays_readable(simulated):
    plain = [
        "0,1;2,3",
        "rmat:14:16",
        "1/2",
        "n/2",
        "([0-9.]+) GB/s or MiB/s",
        "2.33 G instructions/s",
        "cores-close",
        "-j/4",
        "./solve",
        "../in",
    ]
    assert told(simulated({"none": {1: (8.0, 8.0)}}), command=plain) == plain


def test_levels_the_design_and_what_a_program_marked_name_no_folder(simulated):
    from knee.report.anonymous import anonymous

    folder = simulated({"none": {1: (8.0, 8.0), 2: (4.0, 8.0)}})
    rewrite(folder.plan, lambda spec: spec | {"cell": spec["cell"] | {"build": f"smithlab/{'ab'[spec['block'] % 2]}"}})
    rewrite(folder.records, lambda one: one | {"region_faults": ["smithlab/solve was left open"]})
    with folder.study_spec.open("a") as file:
        file.write('[design]\npair = "smithlab/pair"\nexclude = [{ build = "smithlab/a", threads = 2 }]\n')
        file.write('[measure]\nresponses = ["cpu/event=0xd3/"]\n')
    with anonymous(folder) as study:
        told, seen = study.folder.read_study_spec(), {run.spec["cell"]["build"] for run in study.runs}
        faults = {fault for run in study.runs for fault in run.record["region_faults"]}
    assert seen == {"folder1/a", "folder1/b"}
    assert told["design"] == {"pair": "folder1/pair", "exclude": [{"build": "folder1/a", "threads": 2}]}
    assert faults == {"folder1/solve was left open"}
    assert told["measure"]["responses"] == ["cpu/event=0xd3/"], "an event of a unit is no path"


def test_a_folder_that_is_no_study_is_one_error(binary, tmp_path):
    done = subprocess.run([binary, "report", "--anonymise", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("knee: not the folder of a study")
    assert list(tmp_path.iterdir()) == []


def test_remedies_name_nobody_and_keep_their_results(simulated):
    folder = simulated({"p": {1: (2.0, 2.0), 2: (1.0, 2.0)}})
    name, preloaded = "build of /home/babbage/mill", "LD_PRELOAD=/home/babbage/lib/libjemalloc.so.2"
    trials(folder, {name: 0.5, "huge pages": 0.9})
    treats = ("I/O", "quota, throttling", "page faults, mmap lock")
    write_trials(folder, Trials((Noted(name, treats, preloaded), Noted("huge pages", ("TLB",), "A=b"))))
    with anonymous(folder) as study:
        first, second = study.analysis.tried
        written = json.dumps(study.analysis.to_json()["tried"])
    assert "babbage" not in written
    assert (first.treats, first.answer, second.remedy) == (treats, "faster", "huge pages")
    assert first.does.endswith("/libjemalloc.so.2")


@pytest.mark.parametrize("torn", [b'{"id": "0', b'{"id": "\xc3'])
def test_a_record_that_is_only_begun_counts_as_never_written(simulated, torn):
    from knee.report.anonymous import anonymous

    folder = simulated({"cores-close": {1: (8.0, 8.0)}})
    whole = len(folder.records.read_bytes().splitlines())
    with folder.records.open("ab") as file:
        file.write(torn)
    with anonymous(folder) as study:
        assert len(study.runs) == whole
