"""Counts perf events of the calling thread inside regions, as `crates/region/src/counters.rs` does."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import resource
import sys

_EVENTS_AT, _EVENT_BYTES, _MOST = 256, 256, 12
_OPEN = {"x86_64": 298, "aarch64": 241}
"""The number of the system call `perf_event_open`."""
_CLOSE_ON_EXEC = 8
_READ_BYTES = 24
_EVENT_ID = 0x8008_2407
"""`PERF_EVENT_IOC_ID`, which returns the id of the event behind a descriptor."""


class Counters:
    """The counters of one thread. They are closed with this object, which lives as long as its thread.

    A program may close descriptors that it did not open, and the kernel may then give their numbers to the program's
    own files. So the event behind each descriptor is checked before it is read or closed.
    """

    __slots__ = ("_files", "_ids", "refused")

    def __init__(self, file: mmap.mmap, events: int) -> None:
        """Open the events listed in the file for the calling thread."""
        attributes = (
            file[_EVENTS_AT + event * _EVENT_BYTES : _EVENTS_AT + (event + 1) * _EVENT_BYTES]
            for event in range(min(events, _MOST))
        )
        self._files = [_opened(attribute) for attribute in attributes]
        self._ids = [_event(file) for file in self._files]
        self.refused = self._files.count(-1)
        """How many events the kernel did not open, or the program has closed since."""

    def read(self) -> list[int]:
        """Return three numbers for each event: its count, the time it was enabled, and the time it was counted."""
        numbers: list[int] = []
        for number, file in enumerate(self._files):
            if file >= 0 and _event(file) != self._ids[number]:
                self._files[number] = -1
                self.refused += 1
            read = os.read(file, _READ_BYTES) if self._files[number] >= 0 else b""
            numbers += memoryview(read).cast("Q") if len(read) == _READ_BYTES else (0, 0, 0)
        return numbers

    def __del__(self) -> None:
        for file, number in zip(self._files, self._ids, strict=True):
            if file >= 0 and _event(file) == number:
                os.close(file)


def _opened(attribute: bytes) -> int:
    """Return the file descriptor of a counter, or -1: marking regions must never make a program fail."""
    number = _OPEN.get(os.uname().machine) if sys.maxsize > 1 << 32 else None
    if number is None or int.from_bytes(attribute[4:8], sys.byteorder) > _EVENT_BYTES:
        return -1
    this_thread, any_cpu, no_group = 0, -1, -1
    words = ctypes.create_string_buffer(attribute, _EVENT_BYTES)
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    opened = call(
        ctypes.c_long(number), words, ctypes.c_int(this_thread), any_cpu, no_group, ctypes.c_ulong(_CLOSE_ON_EXEC)
    )
    if opened >= resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2 >= 0:
        os.close(opened)
        return -1
    return int(opened)


def _event(file: int) -> int:
    """Return the kernel's id of the event behind a descriptor; 0 if the descriptor is no event, or closed."""
    number = bytearray(8)
    try:
        fcntl.ioctl(file, _EVENT_ID, number)
    except (OSError, ValueError):
        return 0
    return int.from_bytes(number, sys.byteorder)
