"""Folders from somebody else: knee writes nothing outside of them, even if files in them are links."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from test_study import SHORT, knee

from knee.store import StudyError, write_whole
from knee.store.write import make_folder, opened_to_write
from knee.study.run.create import create

REPORT = ["report", "--format", "html,json"]
MARKDOWN = ["report", "--format", "md"]
STUDY = ["study", "--wait-quiet", "1s", "--rerun-disturbed", "--no-report", "--resume"]

WRITTEN = {
    "report.html": REPORT,
    "analysis.json": REPORT,
    "report.md": MARKDOWN,
    "figures": MARKDOWN,
    "figures/speedup.svg": MARKDOWN,
    "report-anonymous.md": [*MARKDOWN, "--anonymise"],
    "figures-anonymous": [*MARKDOWN, "--anonymise"],
    ".lock": STUDY,
    "records.jsonl": STUDY,
    "waits.jsonl": STUDY,
    "plan.jsonl": STUDY,
    "samples": STUDY,
    "samples/0001.csv.gz": STUDY,
    "samples/0004.csv.gz": STUDY,
}
"""Every file that knee writes into the folder of a study, with the command that writes it."""


def tree(folder: Path) -> dict[str, bytes | None]:
    """Return every file below a folder with its content."""
    return {str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None for one in folder.rglob("*")}


@pytest.fixture(scope="module")
def planned(tmp_path_factory, binary) -> Path:
    """A study with half of its runs done."""
    folder = tmp_path_factory.mktemp("planned")
    words = [*SHORT, "--", "sleep", "0.02"]
    assert knee(binary, "study", "--out", "s", *words, cwd=folder).returncode == 0
    records = folder / "s/records.jsonl"
    records.write_text("".join(records.read_text().splitlines(keepends=True)[:2]))
    return folder / "s"


def linked(folder: Path, name: str, outside: Path) -> None:
    """Replace a file or folder of a study by a link to one outside that holds the same."""
    link, target = folder / name, outside / name.replace("/", "-")
    if link.is_dir() or (name.startswith("figures") and "/" not in name):
        target.mkdir(parents=True)
        shutil.rmtree(link, ignore_errors=True)
    else:
        target.parent.mkdir(exist_ok=True)
        # The target has valid content, so that only the link is wrong.
        target.write_bytes(link.read_bytes() if link.exists() else b"")
        link.unlink(missing_ok=True)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)


@pytest.mark.parametrize("name", WRITTEN)
def test_links_in_place_of_written_files_are_not_followed(binary, tmp_path, planned, name):
    shutil.copytree(planned, tmp_path / "s")
    if name == "records.jsonl":
        with (tmp_path / "s" / name).open("a") as file:
            file.write("a torn line, which resuming removes")
    linked(tmp_path / "s", name, tmp_path / "outside")
    before = tree(tmp_path / "outside")
    done = knee(binary, *WRITTEN[name], "s", cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert tree(tmp_path / "outside") == before, done.stderr
    assert done.returncode in (0, 1) or "symbolic link" in done.stderr, done.stderr


def test_links_with_predictable_names_are_not_followed(binary, tmp_path, planned):
    shutil.copytree(planned, tmp_path / "s")
    for name in WRITTEN:
        linked(tmp_path / "s", f"{name}.partial", tmp_path / "outside")
    before = tree(tmp_path / "outside")
    for words in ([*REPORT, "s"], [*MARKDOWN, "s"], [*STUDY, "s"]):
        done = knee(binary, *words, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
    assert tree(tmp_path / "outside") == before


def test_a_run_writes_its_samples_into_a_new_file(binary, tmp_path):
    (tmp_path / "mine").write_text("mine\n")
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples/run.csv.gz").symlink_to(tmp_path / "mine")
    for name in ("run-2.csv.gz", "run-3.csv.gz"):
        done = knee(binary, "run", "--samples", "samples", "--", "sleep", "0.05", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "samples" / name).read_bytes()[:2] == b"\x1f\x8b"
    assert (tmp_path / "mine").read_text() == "mine\n"


def test_probes_do_not_follow_a_link_at_the_default_path(binary, tmp_path):
    (tmp_path / "machine-memory.json").symlink_to(tmp_path / "mine")
    done = knee(binary, "memory", "--quick", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "mine").exists()) == (2, False)
    assert "cannot write machine-memory.json: is a symbolic link" in done.stderr


def test_temporary_names_are_random_and_leave_nothing(tmp_path, monkeypatch):
    names: list[str] = []
    replace = Path.replace

    def noted(self: Path, target: Path) -> Path:
        names.append(self.name)
        assert self.stat().st_mode & 0o777 == 0o666 & ~umask
        return replace(self, target)

    umask = os.umask(0)
    os.umask(umask)
    monkeypatch.setattr(Path, "replace", noted)
    for _ in range(3):
        write_whole(tmp_path / "a", "text")
    assert len(set(names)) == 3
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "b", b"bytes")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b"]


def test_only_regular_files_are_opened(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "new")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=r"symbolic link|regular file"):
            opened_to_write(tmp_path / name)
    with pytest.raises(OSError, match="symbolic link"):
        make_folder(tmp_path / "link")
    assert not (tmp_path / "new").exists()


def test_a_failure_to_make_a_folder_removes_no_other_folder(tmp_path):
    there = tmp_path / f".s.partial-{os.getpid()}"
    there.mkdir()
    (there / "mine").write_text("mine\n")
    (tmp_path / "s").write_text("a file\n")
    with pytest.raises(StudyError):
        create(tmp_path / "s", "", "", [])
    create(tmp_path / "t", "", "", [])
    assert (there / "mine").read_text() == "mine\n"
    assert subprocess.run(["ls", "-A"], cwd=tmp_path, capture_output=True, check=True).stdout.split() == [
        there.name.encode(), b"s", b"t"]  # fmt: skip
