"""Mutation test of the runtime's models: every injected fault must make a model fail.

Each mutation weakens an ordering, removes a wake-up, or breaks a rule of the protocol, one at a time, in a copy of the
crate; then some loom model or shuttle schedule must fail or hang. All mutations are compiled in at once and selected by
an environment variable (mutant schemata, Untch, Offutt & Harrold, ISSTA 1993), so that a mutation costs one run and no
build.

    ci/mutants.py [--list] [NAME...]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tasks import copy

ROOT = Path(__file__).parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ORDERED = [
    "closing",
    "deque",
    "frame",
    "idle",
    "inbox",
    "install",
    "job",
    "join",
    "mailbox",
    "pool",
    "scope",
    "sleepers",
    "split",
    "sync",
    "wait",
    "worker",
]
WEAKER = {"Acquire": ["Relaxed"], "Release": ["Relaxed"], "AcqRel": ["Acquire", "Release"]}

# Name, file, expression, replacement.
BROKEN = [
    # Wakes.
    ("no unpark of the worker that sleeps on a latch", "job", "worker.pool().unpark(before as usize >> 3)", "()"),
    ("no unpark of a frame's owner", "frame", "worker.pool().unpark(owner as usize)", "()"),
    ("no unpark by a gate", "install", "before == 1", "false"),
    ("no unpark for a broadcast", "install", "worker.parker.unpark()", "()"),
    (
        "no unpark of a claimed sleeper",
        "pool",
        "self.sleepers.claim(near, suits).map(|index| self.unpark(index)).is_some()",
        "self.sleepers.claim(near, suits).is_some()",
    ),
    (
        "no unpark for an order to all workers",
        "pool",
        "team.workers.iter().for_each(|&index| self.unpark(index))",
        "()",
    ),
    ("no wake for a job from outside", "pool", "self.sleepers.claim(0, |_| true)", "None::<usize>"),
    ("no unpark at the end", "pool", "(0..self.workers()).for_each(|index| self.shared.unpark(index))", "()"),
    ("no futex wake", "sync", "self.futex.wake(&self.state)", "()"),
    ("no unpark of the worker that gets mail", "idle", "pool.unpark(to)", "()"),
    ("no unpark of the owner of mail", "idle", "others.for_each(|index| pool.unpark(index))", "drop(others)"),
    ("no wake after publishing a job", "worker", "pool.sleepers.any() && pool.wake_one(self.index)", "false"),
    ("no wake of the follower", "worker", "pool.unpark(follower - 1)", "()"),
    ("no wake passed on by a thief", "wait", "self.pool().wake_one(victim.index)", "false"),
    (
        "no request for jobs before sleep",
        "idle",
        "self.pool().workers.iter().filter(|other| other.index != self.index).for_each(|other| other.deque.ask())",
        "()",
    ),
    ("no wake relayed by a worker with an order", "idle", "self.relay()", "()"),
    ("no offer at a scope's end", "closing", "self.offer()", "()"),
    ("no offer at a gate", "install", "worker.offer()", "()"),
    # Checks after announcing sleep.
    ("no last check before sleep", "idle", "self.has_something()", "false"),
    ("no check for orders before a short sleep", "wait", "&& !self.is_served()", "&& true"),
    ("no check of the latch before a short sleep", "wait", "!job.latch.announce(self.index)", "false"),
    ("short sleep with mail on its way", "wait", "Holder::Mailbox(_) => return", "Holder::Mailbox(_) => None"),
    ("the sleeper is read after the job has moved on", "idle", "(*job).latch.sleeper()", "None"),
    ("no inbox taken at a foreign gate", "install", "if foreign { own.inbox.take() } else { None }", "None"),
    ("no orders served in waits", "idle", "self.ordered().map(|job| self.execute(job)).is_some()", "false"),
    ("no job taken back", "wait", "self.pool().workers[of].mailbox.regain(job)", "false"),
    # Rules of the deque and of frames.
    ("no job is covered", "split", "head == tail", "true"),
    ("the epoch is not advanced", "split", "word.epoch.wrapping_add(1)", "word.epoch"),
    ("a guard that is ignored", "split", "!may()", "{ may(); false }"),
    (
        "a thief announces a job too early",
        "wait",
        "self.pass_on(other, more)",
        "{ self.pass_on(other, more); unsafe { (*job).set_holder(Holder::Worker(self.index)) } }",
    ),
    ("slots below spawned jobs are reused", "frame", "slot.max(floor)", "slot"),
    ("spawned jobs above a join are forgotten", "join", "self.run_spawned(slot.next())", "()"),
    ("a stolen job counts as returned", "split", "tail > number", "false"),
    ("a bare job is published", "deque", "self.settle_below(split, complete)", "{ drop(complete) }"),
    ("a bare job changes its place", "worker", "spot != self.spot.get()", "false"),
    ("a spawned job above a join is overlooked", "deque", "self.bare.set(slot.next())", "()"),
    ("a join below the floor counts as a spawned job", "frame", "slot < floor", "false"),
    ("the owner does not wait for its count", "closing", "self.await_thieves(frame)", "()"),
]

# Seeds per schedule and mutation.
SEEDS = "50"

# Mutations that may survive, with the reason.
LOOM = "loom orders exchanges with all stores, so none is seen before a preceding exchange"
KEPT: dict[str, str] = {
    "job::holder 1: Acquire to Relaxed": LOOM,
    "job::set_holder 1: Release to Relaxed": LOOM,
    "no check for orders before a short sleep": "it only saves a sleep: the parker has a token for the order",
    "sleepers::leave 1: Acquire to Relaxed": "no model covers a worker that an order wakes and that must relay it",
    "mailbox::regain 1: Acquire to Relaxed": "`holder` has acquired, but not from the worker that resends the job",
}


@dataclass
class Mutation:
    """One change that should break the crate."""

    name: str
    file: str
    start: int
    end: int
    text: str


def orderings(name: str, text: str) -> list[Mutation]:
    """Return mutations that weaken one ordering each, named by function and position."""
    found: list[Mutation] = []
    function, counts = "", dict[str, int]()
    for match in re.finditer(r"\bfn (\w+)|//[^\n]*|\bOrdering::(\w+)", text):
        if match[1]:
            function = match[1]
        elif match[2] in WEAKER:
            counts[function] = number = counts.get(function, 0) + 1
            for weaker in WEAKER[match[2]]:
                label = f"{name}::{function} {number}: {match[2]} to {weaker}"
                new = f'if crate::sync::mutant("{label}") {{ Ordering::{weaker} }} else {{ {match[0]} }}'
                found.append(Mutation(label, name, match.start(), match.end(), new))
    return found


def broken(sources: dict[str, str]) -> list[Mutation]:
    """Return the listed mutations with their positions; each expression must occur exactly once."""
    found: list[Mutation] = []
    for label, name, old, new in BROKEN:
        if sources[name].count(old) != 1:
            sys.exit(f"knee: cannot mutate the runtime: {label}: {old!r} does not occur exactly once in {name}.rs")
        start = sources[name].index(old)
        condition = f'crate::sync::mutant("{label}")'
        found.append(Mutation(label, name, start, start + len(old), switched(old, new, condition)))
    return found


def switched(old: str, new: str, condition: str) -> str:
    """Return both expressions behind a condition, keeping a leading operator or pattern."""
    for lead in ("&& ", "Holder::Mailbox(_) => "):
        if old.startswith(lead):
            return f"{lead}(if {condition} {{ {new.removeprefix(lead)} }} else {{ {old.removeprefix(lead)} }})"
    return f"(if {condition} {{ {new} }} else {{ {old} }})"


def mutate(source: Path) -> list[Mutation]:
    """Compile all mutations into the sources at once."""
    sources = {name: (source / f"{name}.rs").read_text() for name in ORDERED}
    mutations = [one for name, text in sources.items() for one in orderings(name, text)] + broken(sources)
    for name, original in sources.items():
        text = original
        # An AcqRel has two mutations at the same place.
        places: dict[tuple[int, int], list[Mutation]] = {}
        for one in (one for one in mutations if one.file == name):
            places.setdefault((one.start, one.end), []).append(one)
        for (start, end), here in sorted(places.items(), reverse=True):
            new = here[0].text
            for other in here[1:]:
                new = new.replace(f"else {{ {text[start:end]} }}", f"else {{ {other.text} }}")
            text = text[:start] + f"({new})" + text[end:] if new.startswith("if ") else text[:start] + new + text[end:]
        (source / f"{name}.rs").write_text(text + SWITCH * (name == "sync"))
    return mutations


SWITCH = """
pub(crate) fn mutant(name: &str) -> bool {
    static CHOSEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("KNEE_MUTANT").unwrap_or_default()) == name
}
"""


def build(tree: Path, checker: str) -> Path:
    """Build the tests of the mutated crate for loom or shuttle, and return the program."""
    flags = f"--cfg knee_{checker} --cap-lints allow"
    env = os.environ | {"RUSTFLAGS": flags, "CARGO_TARGET_DIR": str(TARGET / f"mutants-{checker}")}
    command = ["cargo", "test", "-j1", "--locked", "-p", "knee-runtime", "--lib", "--no-run"]
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    [program] = re.findall(r"Executable .*\((.*)\)", done.stderr)
    return Path(program)


@dataclass
class Test:
    """A model or schedule, and its run time."""

    program: Path
    name: str
    seconds: float = 0

    def fails(self, mutation: str, limit: float) -> str:
        """Return how the test fails under a mutation; empty if it passes."""
        env = os.environ | {"KNEE_MUTANT": mutation, "KNEE_SCHEDULES": SEEDS, "RUST_BACKTRACE": "0"}
        command = [self.program, "-q", "--exact", self.name]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, env=env, capture_output=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return f"{self.name} hangs"
        self.seconds = time.monotonic() - begin
        return f"{self.name} fails" if done.returncode else ""


def tests_of(program: Path) -> list[Test]:
    """Return the models or schedules of a program."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    return [
        Test(program, name) for name in re.findall(r"^((?:models|schedules)::.*): test$", listed.stdout, re.MULTILINE)
    ]


def main() -> int:
    """Run all mutations, or those whose names contain an argument."""
    words = [word for word in sys.argv[1:] if word != "--list"]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        copy(tree)
        mutations = mutate(tree / "crates/runtime/src")
        names = [one.name for one in mutations if not words or any(word in one.name for word in words)]
        if "--list" in sys.argv:
            print("\n".join(names))
            return 0
        for path in tree.glob("crates/**/*.rs"):
            path.touch()
        tests = [test for checker in ("loom", "shuttle") for test in tests_of(build(tree, checker))]
        if failing := [by for test in tests if (by := test.fails("", 600))]:
            sys.exit(f"knee: cannot test: models fail without any mutation: {failing}")
        # Fastest first, since a mutation is done at the first test that fails.
        tests.sort(key=lambda test: test.seconds)
        limits = {test.name: 20 + 5 * test.seconds for test in tests}
        wrong = 0
        for name in names:
            # A weaker ordering allows more executions: a model that only takes longer has not caught it.
            weaker = re.fullmatch(r"\w+::\w+ \d+: \w+ to \w+", name)
            by = next(
                (
                    by
                    for test in tests
                    if (by := test.fails(name, limits[test.name])) and not (weaker and by.endswith(" hangs"))
                ),
                "",
            )
            kept = KEPT.get(name)
            wrong += (not by) == (kept is None)
            print(f"{'caught' if by else 'SURVIVES'}: {name}: {by or kept or 'no test failed'}", flush=True)
        unknown = sorted(set(KEPT) - {one.name for one in mutations})
        print(f"{len(names)} mutations, {wrong} unexpected results; unknown names in KEPT: {unknown}")
        return int(wrong > 0 or bool(unknown))


if __name__ == "__main__":
    raise SystemExit(main())
