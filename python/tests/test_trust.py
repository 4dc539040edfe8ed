"""A study from somebody else runs nothing until the user agrees; knee asks once."""

import json
import shutil
from pathlib import Path

import pytest
from conftest import rewrite
from hostile import in_terminal
from test_study import knee

import knee as package

KINDS = ("build", "setup", "prepare", "program", "conclude", "cleanup")
"""The kinds of commands of a study."""


def foreign(folder: Path) -> Path:
    """Write a study file whose commands each leave a file behind; return it and make the folder for the files."""
    ran = folder / "ran"
    ran.mkdir()
    file = folder / "study.toml"
    file.write_text(f"""
[program]
command = ["sh", "-c", "touch {ran}/program {{threads}}"]
[factors]
threads = [1, 2]
placement = ["none"]
[design]
blocks = 2
[measure]
build = "touch {ran}/build"
setup = "touch {ran}/setup"
prepare = "touch {ran}/prepare"
conclude = "touch {ran}/conclude"
cleanup = "touch {ran}/cleanup"
""")
    return file


def ran(folder: Path) -> set[str]:
    return {one.name for one in (folder / "ran").iterdir()}


@pytest.fixture
def state(tmp_path, monkeypatch) -> Path:
    """Folder of an empty list of planned studies: this user has planned none yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_looking_at_a_study_runs_none_of_its_commands(binary, tmp_path, state):
    file = foreign(tmp_path)
    assert knee(binary, "plan", str(file), cwd=tmp_path).returncode == 0
    assert knee(binary, "plan", "--slurm", "--out", "s", str(file), cwd=tmp_path).returncode == 0
    assert ran(tmp_path) == set()
    assert knee(binary, "study", "--no-report", "--out", "t", str(file), cwd=tmp_path).returncode == 0
    assert ran(tmp_path) == set(KINDS)
    for one in (tmp_path / "ran").iterdir():
        one.unlink()
    for words in (["report", "--format", "html,md,json,svg", "t"], ["report", "--anonymise", "t"], ["report", "s"],
                  ["analyze", "t"], ["compare", "t", "t"], ["compare", "t", "t", "t"],
                  ["compare", "--factor", "threads", "t"], ["study", "--resume", "s", "--blocks", "2"]):  # fmt: skip
        assert "Traceback" not in knee(binary, *words, cwd=tmp_path).stderr
    study = package.open(tmp_path / "t")
    assert len(study.runs) == 4
    assert ran(tmp_path) == set()


def test_a_study_from_somebody_else_is_resumed_only_with_trust(binary, tmp_path, state):
    file = foreign(tmp_path)
    assert knee(binary, "plan", "--out", "s", str(file), cwd=tmp_path).returncode == 0
    shutil.rmtree(state)
    done = knee(binary, "study", "--resume", "s", cwd=tmp_path)
    assert done.returncode == 2
    assert "knee: cannot resume: s: you did not plan it on this machine, and it would run build: touch" in done.stderr
    assert done.stderr.endswith("hint: read its study.toml and plan.jsonl, then knee study --resume s --trust\n")
    assert ran(tmp_path) == set()
    assert knee(binary, "study", "--no-report", "--resume", "s", "--trust", cwd=tmp_path).returncode == 0
    assert ran(tmp_path) == set(KINDS)
    # Nothing is left to run, so --trust is not needed; and a study once trusted stays trusted.
    assert knee(binary, "study", "--resume", "s", cwd=tmp_path).returncode == 0
    (tmp_path / "s/records.jsonl").unlink()
    assert knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path).returncode == 0


def test_a_user_s_own_study_is_resumed_without_a_question_in_any_folder(binary, tmp_path, state):
    file = foreign(tmp_path)
    assert knee(binary, "plan", "--out", "s", str(file), cwd=tmp_path).returncode == 0
    assert (state / "knee/planned").stat().st_mode & 0o077 == 0 or (state / "knee").stat().st_mode & 0o077 == 0
    shutil.copytree(tmp_path / "s", tmp_path / "moved")
    with (tmp_path / "moved/study.toml").open("a") as text:
        text.write('[[claim]]\nsays = "it scales"\nspeedup = { threads = 2 }\nabove = 1.5\n')
    for _ in range(2):
        words = ["--no-report", "--rerun-disturbed", "--resume", "moved"]
        done = knee(binary, "study", *words, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr


CHANGES = {
    "the program": lambda spec: spec | {"program": spec["program"] | {"command": ["sh", "-c", "touch ran/evil"]}},
    "a variable": lambda spec: spec | {"program": spec["program"] | {"env": {"PATH": "."}}},
    "the folder": lambda spec: spec | {"program": spec["program"] | {"directory": "/"}},
    "prepare": lambda spec: spec | {"prepare": "touch ran/evil"},
    "conclude": lambda spec: spec | {"conclude": "touch ran/evil"},
    "an event file": lambda spec: spec | {"events": "/etc/passwd"},
}


@pytest.mark.parametrize("name", [*CHANGES, "setup", "build", "cleanup"])
def test_a_folder_that_came_back_changed_is_asked_about(binary, tmp_path, state, name):
    file = foreign(tmp_path)
    assert knee(binary, "plan", "--out", "s", str(file), cwd=tmp_path).returncode == 0
    if name in CHANGES:
        rewrite(tmp_path / "s/plan.jsonl", lambda spec: CHANGES[name](spec) if spec["id"] == "0003" else spec)
    else:
        text = (tmp_path / "s/study.toml").read_text()
        (tmp_path / "s/study.toml").write_text(text.replace(f"ran/{name}", "ran/evil"))
    done = knee(binary, "study", "--resume", "s", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "you did not plan it" in done.stderr
    assert ran(tmp_path) == set()


@pytest.mark.parametrize("answer", ["n", "y"])
def test_a_terminal_is_asked(binary, tmp_path, state, answer):
    file = foreign(tmp_path)
    assert knee(binary, "plan", "--out", "s", str(file), cwd=tmp_path).returncode == 0
    shutil.rmtree(state)
    words = [binary, "study", "--no-report", "--resume", "s"]
    status, printed = in_terminal(words, tmp_path, answer=f"{answer}\n".encode(), width=200)
    said = printed.replace("\r\n", "\n")
    for kind in KINDS:
        assert f"      {kind}: " in said, said
    assert said.count("program: ") == 1
    assert "Run them? [y/N]" in said
    assert (status, ran(tmp_path)) == ((0, set(KINDS)) if answer == "y" else (2, set()))


def test_the_question_names_the_folders_in_which_commands_of_the_plan_run(binary, tmp_path, state):
    file = foreign(tmp_path)
    assert knee(binary, "plan", "--out", "s", str(file), cwd=tmp_path).returncode == 0
    shutil.rmtree(state)
    words = [binary, "study", "--no-report", "--resume", "s"]
    _, printed = in_terminal(words, tmp_path, answer=b"n\n", width=400)
    assert f"Resuming it runs, in {tmp_path}:" in printed
    elsewhere = {"directory": "/nowhere"}
    rewrite(tmp_path / "s/plan.jsonl", lambda spec: spec | {"program": spec["program"] | elsewhere})
    _, printed = in_terminal(words, tmp_path, answer=b"n\n", width=400)
    said = printed.replace("\r\n", "\n")
    lines = {kind: [one for one in said.split("\n") if one.startswith(f"      {kind}: ")] for kind in KINDS}
    assert {kind for kind, [line] in lines.items() if line.endswith("  (in /nowhere)")} == {
        "prepare", "program", "conclude"
    }  # fmt: skip
    assert {kind for kind, [line] in lines.items() if line.endswith(f"  (in {tmp_path})")} == {
        "build", "setup", "cleanup"
    }  # fmt: skip


def test_a_user_without_a_home_can_plan_and_run(binary, tmp_path, monkeypatch):
    file = foreign(tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert knee(binary, "study", "--no-report", "--out", "s", str(file), cwd=tmp_path).returncode == 0
    (tmp_path / "s/records.jsonl").unlink()
    assert knee(binary, "study", "--resume", "s", cwd=tmp_path).returncode == 2
    assert knee(binary, "study", "--no-report", "--resume", "s", "--trust", cwd=tmp_path).returncode == 0


def test_trust_is_for_resuming(binary, tmp_path):
    done = knee(binary, "study", "--trust", "--", "true", cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "knee: --trust goes with --resume")
    assert json.dumps(sorted(one.name for one in tmp_path.iterdir())) == "[]"
