"""Writes files of a study, and nothing outside its folder.

A folder may come from anywhere, so anything in it may be a symbolic link. No link is followed, and files are replaced
by new ones with names that cannot be foreseen.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically: a reader finds the old or the new content, never a part."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
    try:
        # The file is new, so it is no link.
        with partial.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def opened_to_write(path: Path) -> BinaryIO:
    """Open a file for appending without a buffer, and make it if there is none.

    Raises
    ------
    OSError
        Also for anything that is no regular file: it may be a symbolic link to another file, or a pipe.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.fdopen(os.open(path, flags, 0o666), "ab", buffering=0)
    except OSError as error:
        raise _linked(path) if error.errno == errno.ELOOP else error from None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def make_folder(path: Path) -> None:
    """Make a folder inside that of a study, if there is none.

    Raises
    ------
    OSError
        Also when it is a symbolic link to a folder.
    """
    if path.is_symlink():
        raise _linked(path)
    path.mkdir(exist_ok=True)


def _linked(path: Path) -> OSError:
    return OSError(errno.ELOOP, "it is a symbolic link, which knee does not follow", str(path))
