"""Trials of full disks, and of folders for temporary files that are full, read-only or missing."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from trials import BLOCKS, FULL, STUDY, Missing, Place, Trial, runs_fault, with_said

from knee import _binary
from knee.store import Folder


def disk() -> Iterator[Trial]:
    """A disk that becomes full before a study or in one of its runs, at 60 levels each, 512 bytes apart."""
    _private_mounts()
    for level, when, kind in itertools.product(range(60), ("before", "during"), ("tmpfs", "ext2")):
        name = f"{kind}, full {when} the study but for {512 * level} bytes"
        yield name, lambda place, level=level, when=when, kind=kind: _disk(place, kind, when, 512 * level)


def _disk(place: Place, kind: str, when: str, left: int) -> str | None:
    # One in four makes a report, which is a file of hundreds of kilobytes.
    report = [] if left // 512 % 4 == 3 else ["--no-report"]
    if when == "during" and not report:
        left *= 32
    with _small(place.path / "disk", kind) as small:
        study, fill = small / "s", small / "fill"
        # What the program prints is in its record: it moves the byte at which the record is cut.
        act = f"head -c {left * 7 % 4096} /dev/zero | tr '\\0' x >&2; {_filling(fill, left)}"
        words = place.program(1 + left // 512 % BLOCKS, act if when == "during" else ":")
        if when == "before":
            place.call(["sh", "-c", _filling(fill, left)])
        begin = [*STUDY, "--sample-ms", "5", *report, "--out", str(study), "--", *words]
        done = place.knee(*begin)
        if fault := done.fault(0, 2):
            return with_said(done, fault)
        if done.status == 2:
            full = [line for line in done.said.splitlines() if line.startswith("knee: cannot ") and FULL in line]
            if not full or any(str(small) not in line for line in full):
                return with_said(done, "no error that names the file and says that no space is left")
        elif fault := runs_fault(Folder(study)):
            return with_said(done, fault)
        fill.unlink()
        if hidden := [one.name for one in small.glob(".*partial")]:
            return f"left: {hidden}"
        again = begin if not study.exists() else ["study", *report, "--resume", str(study)]
        done = place.knee(*again)
        return with_said(done, done.fault(0)) or runs_fault(Folder(study))


def _filling(fill: Path, left: int) -> str:
    return f"cat /dev/zero > {fill} 2> /dev/null; truncate -c -s -{left} {fill}; sync {fill}"


def _private_mounts() -> None:
    """Give this process mounts of its own, which end with it."""
    new_mounts = 0x20000
    if ctypes.CDLL(None, use_errno=True).unshare(new_mounts):
        raise Missing("no right to mount (unshare)")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


@contextmanager
def _small(path: Path, kind: str) -> Generator[Path]:
    """Mount a disk of 3 MiB: tmpfs is filled by pages, ext2 by blocks of 1 KiB."""
    path.mkdir()
    what = ["-t", "tmpfs", "-o", "size=3m", "none"]
    if kind == "ext2":
        image = path.with_name("image")
        image.write_bytes(bytes(3 << 20))
        subprocess.run(["mkfs.ext2", "-q", "-b", "1024", "-m", "0", "-N", "128", image], check=True)
        what = ["-o", "loop", str(image)]
    subprocess.run(["mount", *what, path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def memory() -> Iterator[Trial]:
    """Folders for shared memory and temporary files that are full, read-only or missing."""
    _private_mounts()
    full = "mount -t tmpfs -o size=4k none {0} && {{ cat /dev/zero > {0}/fill 2> /dev/null; true; }}"
    states = {
        "full": full,
        "read-only": "mount -t tmpfs -o ro none {0}",
        "without files": "mount -t tmpfs -o nr_inodes=1 none {0}",
    }
    verbs = {
        "run": ["run", "--json", "--", "sh", "-c", "echo; sleep 0.05"],
        "run of a workload": ["run", "-n", "2", "fib", "--n", "15"],
        "probe": ["run", "-n", "1", "latency", "--size", "65536"],
        "mine": ["mine", "count", "rmat:8", "-n", "2"],
        "study": [*STUDY, "--out", "s", "--", "sh", "-c", "sleep 0.02"],
        "study with a setup": [*STUDY, "--no-report", "--setup", "true", "--out", "s", "--", "true"],
    }
    for where, (state, mount), (verb, words) in itertools.product(("/dev/shm", "/tmp"), states.items(), verbs.items()):
        yield f"knee {verb} with {where} {state}", lambda place, w=where, m=mount, v=words: _memory(place, w, m, v)


def _memory(place: Place, where: str, mount: str, words: list[str]) -> str | None:
    script = mount.format(where) + ' && exec "$@"'
    unshare = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"]
    done = place.call([*unshare, str(_binary.find()), *words])
    if where == "/tmp" and done.status == 2 and FULL in done.said:
        return with_said(done, done.fault(2))
    return with_said(done, done.fault(0)) or (runs_fault(Folder(place.study)) if words[0] == "study" else None)
