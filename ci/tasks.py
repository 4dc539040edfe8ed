"""Tests the pages in docs/contributing: follows all of them in a copy of the project, builds once, and checks results.

A code block of a page says what to do with it: `file=PATH` is a new file; `into=PATH after="TEXT"` inserts lines after
the only line with TEXT, `behind="TEXT"` inserts text within that line, right after TEXT; `sh` is run at the end and
must print every line of the `text` block that follows it.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs/contributing"
MOST_FILES = 2
"""A page may touch a new file, and one list."""

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A code block of a page, and its options."""

    language: str
    options: dict[str, str]
    text: str


@dataclass(frozen=True)
class Check:
    """A command, and the lines that it must print."""

    page: str
    command: str
    expected: list[str]


def blocks(page: str) -> list[Block]:
    """Return the code blocks of a page in order."""
    return [
        Block(language, dict(word.partition("=")[::2] for word in shlex.split(options)), text)
        for language, options, text in BLOCK.findall(page)
    ]


def follow(page: Path, scratch: Path) -> set[str]:
    """Follow a page in the copy, and return the files that it touches."""
    touched: set[str] = set()
    for block in blocks(page.read_text()):
        if name := block.options.get("file"):
            path = scratch / name
            if path.exists():
                raise SystemExit(f"{page.name}: {name} already exists")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif name := block.options.get("into"):
            insert(scratch / name, block, page.name)
        touched |= {name} if name else set()
    return touched


def insert(path: Path, block: Block, page: str) -> None:
    """Insert the text of a block at its mark, which exactly one line of the file must contain."""
    mark = block.options.get("after") or block.options["behind"]
    lines = path.read_text().splitlines(keepends=True)
    at = [number for number, line in enumerate(lines) if mark in line]
    if len(at) != 1:
        raise SystemExit(f"{page}: {path.name} has {len(at)} lines with {mark!r}, exactly one is needed")
    if "after" in block.options:
        lines.insert(at[0] + 1, block.text)
    else:
        lines[at[0]] = lines[at[0]].replace(mark, mark + block.text.rstrip("\n"), 1)
    path.write_text("".join(lines))


def checks(page: Path) -> list[Check]:
    """Return the commands of a page with their expected output."""
    found: list[Check] = []
    listed = blocks(page.read_text())
    for command, output in itertools.pairwise(listed):
        if command.language == "sh" and output.language == "text":
            found.append(Check(page.name, command.text, output.text.splitlines()))
    if not found:
        raise SystemExit(f"{page.name}: it has no command with expected output")
    return found


def copy(scratch: Path) -> None:
    """Copy the project in its current state, without ignored files."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, scratch / name)


def build(scratch: Path) -> dict[str, str]:
    """Build the copy, and return the environment for running its `knee`.

    Compiled dependencies are reused. Our own crates are not optimised, since they compute little here.
    """
    target = scratch / "target"
    if (ROOT / "target/debug").is_dir():
        (target / "debug").mkdir(parents=True)
        for part in ("deps", "build", ".fingerprint"):
            ours = shutil.ignore_patterns("knee*", "libknee*")
            shutil.copytree(ROOT / "target/debug" / part, target / "debug" / part, ignore=ours, copy_function=os.link)
    python = ROOT / ".venv/bin/python"
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(target),
        "KNEE_BIN": str(target / "debug/knee"),
        "KNEE_PYTHON": str(python),
        "PYTHONPATH": str(scratch / "python"),
        "PATH": f"{target / 'debug'}:{python.parent}:{os.environ['PATH']}",
    }
    words = ["cargo", "build", "--quiet", "--locked", "-p", "knee"]
    for crate in sorted((scratch / "crates").iterdir()):
        name = "knee" if crate.name == "knee" else f"knee-{crate.name}"
        for setting in ("opt-level=0", "debug=0"):
            words += ["--config", f"profile.dev.package.{name}.{setting}"]
    subprocess.run(words, cwd=scratch, env=environment, check=True)
    (scratch / ".venv").symlink_to(ROOT / ".venv")
    subprocess.run(["ci/generated.sh", "write"], cwd=scratch, env=environment, check=True)
    return environment


def missing(check: Check, scratch: Path, environment: dict[str, str]) -> str | None:
    """Return the error of a command that fails or misses expected output; None if it is correct."""
    words = ["bash", "-euo", "pipefail", "-c", check.command]
    done = subprocess.run(words, cwd=scratch, env=environment, check=False, capture_output=True, text=True)
    said = " ".join((done.stdout + done.stderr).split())
    lost = [line for line in check.expected if " ".join(line.split()) not in said]
    if not lost and done.returncode == 0:
        return None
    what = f"{check.page}: {check.command.strip()}: exit status {done.returncode}, missing {lost}"
    return f"{what}:\n{done.stdout}{done.stderr}"


def main() -> int:
    """Follow every page; return 1 if one is wrong."""
    pages = sorted(page for page in PAGES.glob("*.md"))
    wrong: list[str] = []
    # On the same file system as what was built, which is linked.
    (ROOT / "target").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        scratch = Path(folder)
        copy(scratch)
        for page in pages:
            touched = follow(page, scratch)
            print(f"{page.stem}: {len(touched)} files: {', '.join(sorted(touched))}")
            if len(touched) > MOST_FILES:
                wrong.append(f"{page.name}: it touches {len(touched)} files, at most {MOST_FILES} are allowed")
        environment = build(scratch)
        for page in pages:
            wrong += filter(None, (missing(check, scratch, environment) for check in checks(page)))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
