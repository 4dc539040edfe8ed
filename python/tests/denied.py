"""Runs knee's verbs with one system call at a time denied, as a container's filter may: none hangs, panics or aborts.

The cases are numbered: every verb of ``VERBS`` with every call of ``CALLS``, once with EPERM and once with ENOSYS. A
verb may work, or report in one error what it could not do. A case is not a fault if a bare interpreter (for Python
verbs) or a bare C program (for native ones) fails as well: then knee has not even started.

    python python/tests/denied.py --state denied.json
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from knee import _binary

LIMIT_S = 40.0
"""A verb that still runs after this time counts as hanging."""

REFUSE = Path(__file__).parents[2] / "crates" / "knee" / "tests" / "programs" / "refuse.c"

# Calls that the verbs below make (strace) or could make, except those that every program needs and no sandbox forbids:
# to write, to exit, to return from a signal handler, to lock, to get the process id.
NAMES = """
access bind capget chdir chmod clock_getres clock_gettime clock_nanosleep clone clone3 close close_range connect
copy_file_range dup dup2 dup3 epoll_create1 epoll_ctl epoll_wait eventfd2 faccessat2 fchdir fchmod fcntl fdatasync
flock fstat fsync ftruncate get_mempolicy getcwd getdents64 getegid geteuid getgid getpgrp getppid getpriority
getrandom getresgid getresuid getrlimit getrusage getsid gettimeofday getuid getxattr io_uring_setup ioctl kill link
linkat lseek lstat madvise mbind mkdir mkdirat mlock mmap move_pages mprotect mremap munmap nanosleep newfstatat
open openat openat2 perf_event_open pidfd_open pidfd_send_signal pipe pipe2 poll ppoll prctl pread64 prlimit64
pselect6 pwrite64 read readlink readlinkat readv recvfrom rename renameat renameat2 rmdir rseq rt_sigaction
rt_sigprocmask sched_get_priority_max sched_getaffinity sched_getparam sched_getscheduler sched_setaffinity
sched_yield seccomp select sendfile sendto set_mempolicy set_robust_list set_tid_address setitimer setpgid setrlimit
setsid socket socketpair splice stat statfs statx symlink sync sysinfo tgkill timer_create timer_delete
timer_settime timerfd_create umask uname unlink unlinkat unshare utimensat vfork wait4 waitid writev
"""
CALLS = NAMES.split()


@dataclass(frozen=True)
class Verb:
    """A command line of knee, and whether Python serves it."""

    words: tuple[str, ...]
    python: bool = False
    stdin: str = ""


# Busy, because sleeping needs more system calls.
BUSY = ("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
SPEC = {"schema": 1, "id": "1", "program": {"command": BUSY}, "threads": 1, "sample_ms": 10}
SHORT = ("--blocks", "1", "--factor", "threads=1", "--no-pilot")

VERBS = {
    "version": Verb(("--version",)),
    "machine": Verb(("machine", "--json")),
    "place": Verb(("place", "cores-close", "-n", "2")),
    "doctor": Verb(("doctor",)),
    "workloads": Verb(("workloads",)),
    "run": Verb(("run", "--timeout", "20", "--", *BUSY)),
    "run-json": Verb(("run", "--json", "-n", "2", "-p", "cores-close", "--bind", "each", "--", *BUSY)),
    "run-workload": Verb(("run", "--timeout", "20", "-n", "2", "fib", "--n", "15")),
    "run-stdin": Verb(("run", "--stdin", "--samples", "samples"), stdin=json.dumps(SPEC) + "\n"),
    "plan": Verb(("plan", *SHORT[:-1], "--", "true"), python=True),
    "study": Verb(("study", *SHORT, "--no-report", "--", "true"), python=True),
    "report": Verb(("report", "planned"), python=True),
}


@cache
def numbers() -> dict[str, int]:
    """Return the number of every system call of this machine."""
    lines = subprocess.run(
        ["gcc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", os.devnull],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", lines)}


class Harness:
    """The folder with the filter, and a study that was run before."""

    def __init__(self, folder: Path) -> None:
        self.binary = str(_binary.find())
        self.folder = folder
        self.refuse = folder / "refuse"
        subprocess.run(["gcc", "-o", self.refuse, REFUSE], check=True)
        subprocess.run(
            [self.binary, "study", *SHORT, "--no-report", "--out", str(folder / "planned"), "--", "true"],
            check=True, capture_output=True,
        )  # fmt: skip
        self.number = 0
        for name, verb in VERBS.items():
            words, place = [self.binary, *verb.words], self._place()
            done = subprocess.run(words, cwd=place, input=verb.stdin, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"denied: {name} fails with nothing denied: {done.stderr}")

    def wrong(self, verb: Verb, call: str, errno: str) -> str | None:
        """Return what a verb does wrong without a system call; None if it works or says what it cannot do."""
        place = self._place()
        ended, said = self._run([self.binary, *verb.words], call, errno, place, verb.stdin)
        try:
            fault = self._fault(ended, said)
            return None if fault is None or self._excused(verb, call, errno) else f"{fault}: {telling(said)}"
        finally:
            subprocess.run(["rm", "-rf", place], check=True)

    def _place(self) -> Path:
        self.number += 1
        place = self.folder / f"at{self.number}"
        place.mkdir()
        subprocess.run(["cp", "-r", self.folder / "planned", place], check=True)
        return place

    def _run(self, words: list[str], call: str, errno: str, place: Path, stdin: str = "") -> tuple[int | None, str]:
        """Return the exit status, which is negative for a signal and None for a hang, and its messages."""
        deny = [str(self.refuse), str(numbers()[call]), *(["ENOSYS"] if errno == "ENOSYS" else [])]
        (place / "stdin").write_text(stdin)
        with (place / "stdin").open() as given, (place / "said").open("w+b") as said:
            one = subprocess.Popen(
                [*deny, *words], cwd=place, stdin=given, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
            )
            try:
                ended = one.wait(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                ended = None
            with suppress(ProcessLookupError):
                # This also kills processes that it left in its session.
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()
            said.seek(0)
            return ended, said.read().decode(errors="replace")

    def _fault(self, ended: int | None, said: str) -> str | None:
        if ended is None:
            return "hangs"
        if ended < 0 or ended in (134, 139):
            return f"ends by signal {-ended}"
        for word in ("panicked", "Traceback", "Fatal Python error"):
            if word in said:
                return word
        # A verb that fails must print an error of knee, whatever its program prints.
        return None if ended == 0 or re.search("^knee: ", said, re.MULTILINE) else f"status {ended} without an error"

    def _excused(self, verb: Verb, call: str, errno: str) -> bool:
        """Whether a program without knee fails as well."""
        python = [sys.executable, "-c", "import click, json, subprocess, tempfile, tomllib"]
        return self._run(python if verb.python else ["true"], call, errno, self.folder)[0] != 0


def telling(said: str) -> str:
    """Return the useful part of a message: the text after a panic, or else its end."""
    return said.partition("panicked at ")[2][:300] or said[-300:]


def main() -> int:
    """Read the command line, try the list, and print the totals."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--from", dest="first", type=int, help="number of the first case")
    parser.add_argument("--cases", type=int, default=1_000_000, help="largest number of cases to try")
    parser.add_argument("--verb", action="append", choices=VERBS, help="only this verb")
    parser.add_argument("--call", action="append", help="only this system call")
    parser.add_argument("--state", type=Path, help="file of the totals; the next call continues there")
    asked = parser.parse_args()
    calls = [call for call in asked.call or CALLS if call in numbers()]
    cases = [(name, call, errno) for name in asked.verb or VERBS for call in calls for errno in ("EPERM", "ENOSYS")]
    state: dict[str, Any] = {"next": 0, "wrong": {}}
    if asked.state and asked.state.exists():
        state = json.loads(asked.state.read_text())
    first = state["next"] if asked.first is None else asked.first
    before = len(state["wrong"])
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(Path(folder))
        for number, (name, call, errno) in list(enumerate(cases))[first : first + asked.cases]:
            if fault := harness.wrong(VERBS[name], call, errno):
                state["wrong"][f"{number}: {name} without {call} ({errno})"] = fault
                sys.stderr.write(f"{number}: {name} without {call} ({errno}): {fault}\n")
            state["next"] = number + 1
            if asked.state:
                asked.state.write_text(json.dumps(state, indent=1) + "\n")
    kinds = Counter(fault.partition(":")[0] for fault in state["wrong"].values())
    sys.stdout.write(f"{state['next']} of {len(cases)} cases, {len(state['wrong'])} wrong: {dict(kinds)}\n")
    return 1 if len(state["wrong"]) > before else 0


if __name__ == "__main__":
    sys.exit(main())
