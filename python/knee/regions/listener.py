"""Writes regions and running counters into the mapped file that `crates/region/src/format.rs` describes.

Python has no atomic operations, so a thread claims its slots from a table under the file's lock. After that a slot
belongs to one thread, which writes to it without a lock.
"""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Callable
from time import monotonic_ns, process_time_ns, thread_time_ns
from typing import TypeVar

TYPE_CHECKING = False
"""As in typing, whose import takes longer than this whole module."""

if TYPE_CHECKING:
    from knee.regions.counters import Counters

T = TypeVar("T")

_MAGIC, _VERSION = b"kneeregn", 3
_HEAD_BYTES, _SLOT_BYTES, _NAME_BYTES = 4096, 832, 124
_COUNTER_BYTES, _COUNTER_NAME_BYTES = 128, 104
# Offsets in the header, in units of 32 bits, and of 64 bits.
_SLOT_SIZE, _NATIVE_SLOTS, _LOCKED_SLOTS, _LOCKED_CLAIMED, _REFUSED = 3, 4, 5, 7, 8
_EVENTS = 16
_COUNTER_SIZE, _NATIVE_COUNTERS, _LOCKED_COUNTERS, _LOCKED_COUNTERS_CLAIMED = 22, 23, 24, 26
_LOCKED_LOST, _REENTERED, _LOCKED_UNCOUNTED, _LOCKED_ADDITIONS_LOST = 6, 7, 10, 15
# Offsets in a slot, likewise.
_READY, _PID, _TID, _TURN, _UNMATCHED, _CROSSED, _NAME_SIZE = 0, 1, 2, 3, 6, 7, 176
_OPEN_SINCE, _TIMES, _TIMES_SIZE, _COUNTS = 2, 4, 42, 6
_NAME_AT = 708
# Offsets in the slot of a counter, in units of 32 bits; its value is the first 64 bits.
_COUNTER_READY, _COUNTER_PID, _COUNTER_TID, _COUNTER_NAME_SIZE = 2, 3, 4, 5
_COUNTER_NAME_AT = 24


class _Own:
    """The state of one region in one thread."""

    __slots__ = ("begin_ns", "calls", "counted", "depth", "entry", "inherited", "process_ns", "slot", "thread_ns")

    def __init__(self, slot: int | None) -> None:
        self.slot = slot
        """Byte offset of its slot; None when no slot was left."""
        self.depth = 0
        self.inherited = 0
        self.calls = 0
        self.entry = 0
        """Number of this entry in the thread: an open region with a larger number was entered later."""
        self.begin_ns = self.thread_ns = self.process_ns = 0
        self.counted: list[int] = []
        """Counters at entry, three numbers per event."""


class _Thread(threading.local):
    """The regions and counters of one thread."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Reset the state, in a new thread and in the child of a fork."""
        self.tid = threading.get_native_id()
        self.main = self.tid == os.getpid()
        self.entered = 0
        self.own: dict[str, _Own] = {}
        self.published: dict[str, int] = {}
        """Offset of the value of each running counter, in units of 64 bits."""
        self.counters: Counters | None = None
        """Opened when the thread enters its first region, if events are counted."""
        self.claiming = False
        """Whether it is claiming a slot."""


class Listener:
    """The mapped file, and the state of this process's threads."""

    def __init__(self, path: str, file: mmap.mmap) -> None:
        self._path = path
        self._file = file
        self._small = memoryview(file).cast("I")
        self._large = memoryview(file).cast("Q")
        self._thread = _Thread()
        self._claiming = threading.Lock()
        self._events = 0

    @classmethod
    def at(cls, path: str) -> Listener | None:
        """Map the file; None when it is missing or not a file of regions: marking must never make a program fail."""
        try:
            file = os.open(path, os.O_RDWR)
            try:
                listener = cls(path, mmap.mmap(file, 0))
            finally:
                os.close(file)
        except (OSError, ValueError, TypeError):
            return None
        if not listener._understood():
            return None
        listener._events = listener._small[_EVENTS]
        os.register_at_fork(after_in_child=listener._forked)
        return listener

    def _understood(self) -> bool:
        if self._file.size() < _HEAD_BYTES or self._file[: len(_MAGIC)] != _MAGIC:
            return False
        small = self._small
        if (small[2], small[_SLOT_SIZE], small[_COUNTER_SIZE]) != (_VERSION, _SLOT_BYTES, _COUNTER_BYTES):
            self._locked(lambda: self._count(small, _REFUSED), _LOCKED_LOST)
            return False
        counters = small[_NATIVE_COUNTERS] + small[_LOCKED_COUNTERS]
        return self._file.size() >= self._counters_at() + counters * _COUNTER_BYTES

    def _counters_at(self) -> int:
        return _HEAD_BYTES + (self._small[_NATIVE_SLOTS] + self._small[_LOCKED_SLOTS]) * _SLOT_BYTES

    def _forked(self) -> None:
        """Reset the state in the child. Regions that were open go on in the parent, and may be left here too."""
        self._claiming = threading.Lock()
        thread = self._thread
        before = thread.own
        thread.start()
        for name, own in before.items():
            if own.depth + own.inherited:
                again = thread.own[name] = _Own(None)
                again.inherited = own.depth + own.inherited

    def begin(self, name: str) -> None:
        """Enter a region."""
        thread = self._thread
        own = thread.own.get(name) or self._new(name)
        own.calls += 1
        own.depth += 1
        if own.depth > 1:
            return
        slot = own.slot
        if slot is None:
            slot = own.slot = self._claim(name)
        thread.entered += 1
        own.entry = thread.entered
        # Read the wall clock last here and first in `end`, so that the cost of reading CPU time is outside the region.
        if thread.main:
            own.process_ns = process_time_ns()
        own.thread_ns = thread_time_ns()
        if self._events:
            own.counted = self._counted(thread)
        own.begin_ns = monotonic_ns()
        if slot is not None:
            self._large[slot // 8 + _OPEN_SINCE] = own.begin_ns

    def end(self, name: str) -> None:
        """Leave a region."""
        end_ns = monotonic_ns()
        thread = self._thread
        own = thread.own.get(name) or self._new(name)
        if own.depth > 1:
            own.depth -= 1
        elif own.depth == 1:
            counted = self._counted(thread)
            thread_ns = thread_time_ns() - own.thread_ns
            process_ns = process_time_ns() - own.process_ns if thread.main else 0
            later = (other.depth and other.entry > own.entry for other in thread.own.values())
            if own.entry < thread.entered and any(later):
                self._fault(own, _CROSSED)
            if own.slot is not None:
                self._add(own, own.slot, end_ns, thread_ns, process_ns, counted)
            own.depth = own.calls = 0
        elif own.inherited:
            own.inherited -= 1
        else:
            if own.slot is None:
                own.slot = self._claim(name)
            self._fault(own, _UNMATCHED)

    def add(self, name: str, more: int) -> None:
        """Add to this thread's count."""
        try:
            # A NumPy integer would overflow below.
            number = int(more)
        except (TypeError, ValueError, OverflowError):
            # Marks make no program fail.
            self._count(self._large, _LOCKED_ADDITIONS_LOST)
            return
        published = self._thread.published
        at = published.get(name) or self._claim_counter(name)
        if at is not None:
            published[name] = at
            self._large[at] = (self._large[at] + number) & 0xFFFF_FFFF_FFFF_FFFF

    def _new(self, name: str) -> _Own:
        own = self._thread.own[name] = _Own(None)
        return own

    def _counted(self, thread: _Thread) -> list[int]:
        if not self._events:
            return []
        refused = thread.counters.refused if thread.counters else 0
        counters = thread.counters or self._open(thread)
        numbers = counters.read()
        for _ in range(counters.refused - refused):
            self._count(self._large, _LOCKED_UNCOUNTED)
        return numbers

    def _open(self, thread: _Thread) -> Counters:
        from knee.regions.counters import Counters

        thread.counters = Counters(self._file, self._events)
        return thread.counters

    def _add(self, own: _Own, slot: int, end_ns: int, thread_ns: int, process_ns: int, counted: list[int]) -> None:
        """Write the inactive copy of the times, then make it the active one."""
        large = self._large
        turn = self._small[slot // 4 + _TURN]
        times = slot // 8 + _TIMES
        now, then = times + (turn & 1) * _TIMES_SIZE, times + (1 - (turn & 1)) * _TIMES_SIZE
        before = large[now]
        large[then] = before + own.calls
        large[then + 1] = large[now + 1] + end_ns - own.begin_ns
        large[then + 2] = large[now + 2] + thread_ns
        large[then + 3] = large[now + 3] + process_ns
        large[then + 4] = large[now + 4] if before else own.begin_ns
        large[then + 5] = end_ns
        for place, (before, after) in enumerate(zip(own.counted, counted, strict=False), _COUNTS):
            # A counter that the program has closed meanwhile reads 0.
            large[then + place] = large[now + place] + max(after - before, 0)
        self._small[slot // 4 + _TURN] = (turn + 1) & 0xFFFF_FFFF
        large[slot // 8 + _OPEN_SINCE] = 0

    def _fault(self, own: _Own, which: int) -> None:
        if own.slot is not None:
            self._count(self._small, own.slot // 4 + which)

    def _claim(self, name: str) -> int | None:
        """Return the byte offset of a new slot for this thread; None when no slot is left."""
        small, thread = self._small, self._thread
        claimed = self._next(_LOCKED_CLAIMED, _LOCKED_SLOTS, _LOCKED_LOST)
        if claimed is None:
            return None
        slot = _HEAD_BYTES + (small[_NATIVE_SLOTS] + claimed) * _SLOT_BYTES
        text = name.encode(errors="replace")
        small[slot // 4 + _PID], small[slot // 4 + _TID] = os.getpid(), thread.tid
        small[slot // 4 + _NAME_SIZE] = len(text)
        shown = text[:_NAME_BYTES]
        self._file[slot + _NAME_AT : slot + _NAME_AT + len(shown)] = shown
        small[slot // 4 + _READY] = 1
        return slot

    def _claim_counter(self, name: str) -> int | None:
        """Return the offset of a new counter for this thread, in units of 64 bits; None when no slot is left."""
        small, thread = self._small, self._thread
        claimed = self._next(_LOCKED_COUNTERS_CLAIMED, _LOCKED_COUNTERS, _LOCKED_ADDITIONS_LOST)
        if claimed is None:
            return None
        slot = self._counters_at() + (small[_NATIVE_COUNTERS] + claimed) * _COUNTER_BYTES
        text = name.encode(errors="replace")
        small[slot // 4 + _COUNTER_PID], small[slot // 4 + _COUNTER_TID] = os.getpid(), thread.tid
        small[slot // 4 + _COUNTER_NAME_SIZE] = len(text)
        shown = text[:_COUNTER_NAME_BYTES]
        self._file[slot + _COUNTER_NAME_AT : slot + _COUNTER_NAME_AT + len(shown)] = shown
        small[slot // 4 + _COUNTER_READY] = 1
        return slot // 8

    def _next(self, claimed_at: int, most_at: int, lost_at: int) -> int | None:
        """Claim the next slot of a table, or count that no slot was left."""
        if self._small[claimed_at] >= self._small[most_at]:
            # Slots are never given back, so the table stays full: count without the lock, for which every mark of every
            # process would wait. Of marks that are lost at the same moment only one may be counted.
            self._count(self._large, lost_at)
            return None

        def claim() -> int | None:
            claimed = self._small[claimed_at]
            if claimed >= self._small[most_at]:
                self._count(self._large, lost_at)
                return None
            self._small[claimed_at] = claimed + 1
            return claimed

        return self._locked(claim, lost_at)

    def _locked(self, act: Callable[[], T], lost_at: int) -> T | None:
        """Call ``act`` under a lock across threads and processes; if that fails, count it and return None."""
        thread = self._thread
        if thread.claiming:
            # In the middle of another mark of this thread, as finalizers and signal handlers may be: it would wait for
            # itself, and all other processes for it.
            self._count(self._large, _REENTERED)
            return None
        thread.claiming = True
        try:
            return self._alone(act, lost_at)
        finally:
            thread.claiming = False

    def _alone(self, act: Callable[[], T], lost_at: int) -> T | None:
        """Call ``act`` under both locks; if locking fails, count that and return None."""
        import fcntl

        # A lock on the file belongs to the whole process, so threads need a second lock among themselves.
        with self._claiming:
            try:
                file = os.open(self._path, os.O_RDWR)
                try:
                    fcntl.lockf(file, fcntl.LOCK_EX)
                    return act()
                finally:
                    # Closing the file releases the lock, as does the kernel if the process dies here.
                    os.close(file)
            except OSError:
                self._count(self._large, lost_at)
                return None

    @staticmethod
    def _count(numbers: memoryview[int], place: int) -> None:
        numbers[place] = numbers[place] + 1
