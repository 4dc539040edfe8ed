"""Makes the folder of a study."""

from __future__ import annotations

import errno
import json
import secrets
import shlex
import shutil
from pathlib import Path

from knee.store import Folder, RunSpec, StudyError, write_whole


class Taken(StudyError):
    """The folder for a new study is not empty."""


def create(path: Path, study_spec: str, machine: str, plan: list[RunSpec], batch: str | None = None) -> Folder:
    """Make the folder of a study, completely or not at all; with a batch script where there is one.

    Raises
    ------
    Taken
        When the folder is not empty.
    StudyError
        When it cannot be made.
    """
    if path.exists() and any(path.iterdir() if path.is_dir() else [path]):
        raise _taken(path)
    # A link to an empty folder stays one.
    whole = path.resolve() if path.is_symlink() and path.is_dir() else path.absolute()
    hint = "choose another folder with --out"
    if whole == Path.cwd():
        # It would be replaced, and the shell would stand in a folder that is gone.
        raise StudyError(f"cannot make the folder {path}: it is the current one", hint=hint)
    partial = whole.with_name(f".{whole.name}.{secrets.token_hex(8)}.partial")
    try:
        _make(partial)
        (partial / "samples").mkdir()
        write_whole(partial / "study.toml", study_spec)
        write_whole(partial / "machine.json", machine)
        write_whole(partial / "plan.jsonl", "".join(json.dumps(spec) + "\n" for spec in plan))
        if batch is not None:
            write_whole(partial / "batch.sh", batch)
            (partial / "batch.sh").chmod(0o755)
        partial.rename(whole)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            # Another study has taken the name in the meantime.
            raise _taken(path) from error
        raise StudyError(f"cannot make the folder {path}: {error.strerror}", hint=hint) from error
    return Folder(path)


def _make(partial: Path) -> None:
    try:
        partial.mkdir(parents=True)
    except FileExistsError as error:
        # Its own name is random, so this is a folder above it: a link that leads nowhere. No other name would help.
        raise OSError(errno.ENOTDIR, "a link on the way leads nowhere", error.filename) from error


def _taken(path: Path) -> Taken:
    return Taken(
        f"the folder is not empty: {path}", hint=f"knee study --resume {shlex.quote(str(path))}, or another --out"
    )
