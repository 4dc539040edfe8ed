"""Runs verbs whose questions can be divided into parts."""

from __future__ import annotations

import subprocess


def ran(binary: str, verb: str, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the verb with a text as its standard input, which stays open until it ends."""
    with subprocess.Popen(
        [binary, verb, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(given)
        process.stdin.flush()
        if "--merge" in words:
            process.stdin.close()
        out, err = process.stdout.read(), process.stderr.read()
        return subprocess.CompletedProcess(words, process.wait(), out, err)


def printed(binary: str, verb: str, *words: str, given: str = "") -> str:
    """Return what the verb prints."""
    done = ran(binary, verb, *words, given=given)
    assert done.returncode == 0, done.stderr
    return done.stdout
