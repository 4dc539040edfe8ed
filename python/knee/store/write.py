"""Writes files of a study, and nothing outside its folder.

A folder may come from anywhere, so anything in it may be a symbolic link. knee follows no link there. It writes a new
file with a random name, and renames it to replace the old one.
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
    """Write a file atomically: a reader finds the old or the new content, never a part.

    Raises
    ------
    OSError
        Its ``filename`` is the path, also where the disk is full.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}.partial")
    try:
        # Mode x creates the file, so it cannot be a link.
        with partial.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError):
            # An error in writing has no name, one in opening the temporary name.
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def opened_to_write(path: Path) -> BinaryIO:
    """Open a file for unbuffered appending; create it if it does not exist.

    Raises
    ------
    OSError
        Also for anything but a regular file, such as a symbolic link or a pipe.
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
    """Make a folder inside the folder of a study, if it does not exist.

    Raises
    ------
    OSError
        Also when the path is a symbolic link.
    """
    if path.is_symlink():
        raise _linked(path)
    path.mkdir(exist_ok=True)


def _linked(path: Path) -> OSError:
    return OSError(errno.ELOOP, "it is a symbolic link, which knee does not follow", str(path))
