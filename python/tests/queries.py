"""Asks `knee query`, and reads what it answers or refuses."""

from __future__ import annotations

import subprocess


def query(binary: str, *words: object, **more) -> subprocess.CompletedProcess[str]:
    called = [binary, "query", *map(str, words)]
    return subprocess.run(called, capture_output=True, text=True, check=False, timeout=600, **more)


def answer(binary: str, *words: object) -> str:
    done = query(binary, *words, "--format", "csv")
    assert (done.returncode, done.stderr) == (0, ""), f"{words}: {done.stderr}"
    return done.stdout


def refused(done: subprocess.CompletedProcess[str], *said: str) -> None:
    """Assert that there is one message, with these words, and no trace of what happened inside."""
    assert (done.returncode, done.stdout) == (2, ""), done.stdout + done.stderr
    assert done.stderr.startswith("knee: ")
    message, _, hint = done.stderr.removeprefix("knee: ").partition("\n\n")
    assert "\n" not in message.strip(), done.stderr
    assert not hint or hint.startswith("hint: ")
    assert not any(word in done.stderr for word in ("panicked", "Traceback", "RUST_BACKTRACE", "knee: knee:"))
    for words in said:
        assert words in done.stderr, done.stderr
