"""What an ELF file says of a program: whether it loads libraries, and which language's runtime is linked into it.

System V ABI, chapters 4 and 5 (object files, program loading).
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

from knee.store.read import opened

_PT_INTERP = 3


@dataclass(frozen=True)
class Executable:
    """An ELF file with 64 bits.

    ``loader`` is the path of the dynamic loader, None of a static program; ``arch`` is the number of its instruction
    set.
    """

    path: str
    arch: int
    loader: str | None
    is_go: bool
    is_python: bool
    takes_locks: bool = False
    """Whether it calls ``pthread_mutex_lock``."""


def executable(path: str) -> Executable | None:
    """Read a file; None if it cannot be read or is not an ELF file with 64 bits."""
    try:
        # The path may come from somebody else's folder, and name a pipe.
        with opened(Path(path)) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[:6] != b"\x7fELF\x02\x01":
                return None
            (arch,) = struct.unpack_from("<H", data, 18)
            # Python's interpreter exports this function; a program that embeds Python loads a library that does.
            is_python = data.find(b"\0Py_BytesMain\0") >= 0
            is_go, takes_locks = ".go.buildinfo" in _sections(data), data.find(b"\0pthread_mutex_lock\0") >= 0
            return Executable(path, arch, _loader(data), is_go, is_python, takes_locks)
    except (OSError, ValueError, struct.error):
        return None


def _loader(data: mmap.mmap) -> str | None:
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for number in range(count):
        at = start + number * size
        (kind,) = struct.unpack_from("<I", data, at)
        if kind == _PT_INTERP:
            (offset,) = struct.unpack_from("<Q", data, at + 8)
            (length,) = struct.unpack_from("<Q", data, at + 32)
            return data[offset : offset + length].rstrip(b"\0").decode(errors="replace")
    return None


def _sections(data: mmap.mmap) -> set[str]:
    """Return the names of all sections."""
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    if not start or names >= count:
        return set()
    (text,) = struct.unpack_from("<Q", data, start + names * size + 24)
    found: set[str] = set()
    for number in range(count):
        (name,) = struct.unpack_from("<I", data, start + number * size)
        end = data.find(b"\0", text + name)
        found.add(data[text + name : end].decode(errors="replace"))
    return found
