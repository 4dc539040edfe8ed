"""The example of a GitHub Action: its steps as they stand, offline, for programs that scale and one that does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, VALID, rewrite, skipped

EXAMPLE = ROOT / "examples/github-action"

PROGRAM = """#!/bin/sh
sleep $(awk "BEGIN {{ print {alone} / ($1 > 1 ? {gain} : 1) }}")
"""


def steps() -> dict[str, dict]:
    """The steps of the workflow by name."""
    workflow = yaml.safe_load((EXAMPLE / "scaling.yml").read_text())
    return {step["name"]: step for step in workflow["jobs"]["scaling"]["steps"]}


def checkout(folder: Path, program: str) -> None:
    """What a checkout of a repository with this program holds."""
    folder.mkdir()
    (folder / "program.sh").write_text(program)
    (folder / "Makefile").write_text("program: program.sh\n\tcp $< $@ && chmod +x $@\n")
    text = (EXAMPLE / "scaling.toml").read_text()
    assert "blocks = 10" in text
    # Four blocks decide what differs that much.
    (folder / "scaling.toml").write_text(text.replace("blocks = 10", "blocks = 4"))


def step(name: str, folder: Path, binary: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a step as a runner does: each line by a shell that ends at the first failure."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    if not (tools / "knee").exists():
        (tools / "knee").symlink_to(binary)
        (tools / "pip").write_text(f'#!/bin/sh\nexec {sys.executable} -m pip "$@"\n')
        (tools / "pip").chmod(0o755)
    env = os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "KNEE_PYTHON": os.environ.get("KNEE_PYTHON", sys.executable),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        **more,
    }
    line = steps()[name]["run"].replace("--wait-quiet 2m", "--wait-quiet 1s")
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


MADE = ("Build both", "Measure both, in the same blocks", "Show the result")
GATES = ("Fail if it is slower", "Fail if two threads gain too little")


def test_every_step_is_an_action_or_a_command_and_versions_are_named():
    found = steps()
    assert {*MADE, *GATES} <= found.keys()
    for one in found.values():
        assert ("run" in one) != ("uses" in one)
        assert "@v" in one.get("uses", "@v")


def test_it_installs_what_the_variable_names(tmp_path, binary):
    """From a wheel, as `make test` leaves one; without what it depends on, which would need the network."""
    wheels = sorted((ROOT / "dist").glob("knee-*.whl"))
    if not wheels:
        skipped("the action installs a wheel", "none in dist, where `make test` builds one")
    offline = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_TARGET": str(tmp_path / "site")}
    done = step("Install knee", tmp_path, binary, KNEE=str(wheels[-1]), **offline)
    assert done.returncode == 0, done.stderr
    version = subprocess.run([tmp_path / "site/bin/knee", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("knee ")


def test_without_the_variable_nothing_is_installed_and_it_says_what_to_set(tmp_path, binary):
    assert "KNEE" in yaml.safe_load((EXAMPLE / "scaling.yml").read_text())["env"]
    done = step("Install knee", tmp_path, binary, KNEE="", PIP_TARGET=str(tmp_path / "site"))
    assert done.returncode != 0
    assert "set this variable to a wheel or to git+https" in done.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.serial
@pytest.mark.parametrize(
    ("new", "gates"),
    [
        ({"alone": 0.4, "gain": 2.0}, (0, 0)),
        ({"alone": 1.2, "gain": 2.0}, (1, 0)),
        # A loss, so that four blocks refute a gain of 1.5 on a busy machine, too.
        ({"alone": 0.2, "gain": 0.8}, (0, 1)),
    ],
    ids=["faster", "slower", "faster, but with two threads slower than with one"],
)
def test_its_steps_run_and_gate(tmp_path, binary, new, gates):
    checkout(tmp_path / "old", PROGRAM.format(alone=0.6, gain=2.0))
    checkout(tmp_path / "new", PROGRAM.format(**new))
    for name in MADE:
        done = step(name, tmp_path, binary)
        assert done.returncode == 0, (name, done.stderr)
        if name.startswith("Measure"):
            # Other programs on this machine must not decide the test.
            rewrite(tmp_path / "both/records.jsonl", lambda one: one | {"validity": VALID})
            subprocess.run([binary, "report", tmp_path / "both", "--format", "json"], check=True)
    assert (tmp_path / "summary.md").read_text().startswith("### scaling: ")
    assert (tmp_path / "both/report.html").exists()
    done = [step(name, tmp_path, binary) for name in GATES]
    assert tuple(one.returncode for one in done) == gates, [one.stdout + one.stderr for one in done]
    assert "two threads are at least 1.5x as fast as one" in done[1].stdout
