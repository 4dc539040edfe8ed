"""The library that leaves files to the page cache: what it changes, and what it leaves as it is."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import skipped
from test_remedies import here, kind, named

from knee import cli
from knee.store import StudyError
from knee.study.questions.interventions import for_cause
from knee.study.remedies import all_remedies
from knee.study.remedies.page_cache import LIBRARY, NAME, SOURCE
from knee.study.run import compiler
from knee.study.run.compiler import compiled

PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file that is opened in some way, for which a disk is waited, and the bits that say so. */
static int waits(int file) {
    return (fcntl(file, F_GETFL) & (O_SYNC | O_DSYNC)) != 0;
}

int main(int argc, char **words) {
    int ends[2];
    char read_again[6] = "";
    const char *path = words[argc - 1];
    if (pipe(ends) != 0) return 1;
    int synced = open(path, O_RDWR | O_CREAT | O_SYNC, 0640);
    int other = openat(AT_FDCWD, path, O_WRONLY | O_DSYNC | O_APPEND);
    int plain = open(path, O_RDONLY);
    if (write(synced, "knee", 4) != 4 || write(other, "!", 1) != 1) return 2;
    if (pread(plain, read_again, 5, 0) != 5 || strcmp(read_again, "knee!") != 0) return 3;
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, plain, 0);
    if (mapped == MAP_FAILED || msync(mapped, 4096, MS_SYNC) != 0 || ((char *)mapped)[4] != '!') return 4;
    if (open("/no/such/folder/file", O_CREAT | O_RDWR, 0600) >= 0 || errno != ENOENT) return 5;
    if (posix_fadvise(plain, 0, 0, POSIX_FADV_DONTNEED) != 0 || posix_fadvise(-1, 0, 0, POSIX_FADV_DONTNEED) != EBADF)
        return 6;
    errno = 0;
    int closed = fsync(4711) == -1 && errno == EBADF && fdatasync(4711) == -1;
    /* The kernel refuses to sync a pipe, so an answer of 0 did not come from there. */
    printf("%d %d %d %d\n", waits(synced), waits(other), fsync(ends[1]), closed);
    return 0;
}
"""


@pytest.fixture
def program(tmp_path):
    """A program that opens, writes, syncs and reads a file, and says which of that may wait for a disk."""
    cc = next(filter(None, map(shutil.which, compiler.COMPILERS)), None)
    if cc is None:
        skipped("a program that syncs", "there is no C compiler")
    source, made = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    subprocess.run([cc, "-O2", source, "-o", made], check=True)
    return made


def said(program: Path, file: Path, **env: str) -> str:
    done = subprocess.run([program, file], env=os.environ | env, check=True, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout


def test_nothing_waits_for_a_disk_and_all_is_read_as_it_was_written(program, tmp_path):
    library, why = compiled(SOURCE, tmp_path / LIBRARY)
    assert library is not None, why
    assert said(program, tmp_path / "one") == "1 1 -1 1\n"
    assert said(program, tmp_path / "two", LD_PRELOAD=str(library)) == "0 0 0 1\n"
    one, two = tmp_path / "one", tmp_path / "two"
    assert one.read_bytes() == two.read_bytes() == b"knee!"
    assert one.stat().st_mode == two.stat().st_mode


def test_the_library_compiles_without_warnings(tmp_path):
    cc = next(filter(None, map(shutil.which, compiler.COMPILERS)), None)
    if cc is None:
        skipped("a library that is compiled", "there is no C compiler")
    words = [cc, "-O2", "-Wall", "-Wextra", "-Werror", "-D_FORTIFY_SOURCE=2", "-shared", "-fPIC"]
    subprocess.run([*words, "-o", tmp_path / LIBRARY, SOURCE, "-ldl"], check=True)


def test_it_tests_waits_for_a_disk_wherever_the_files_are(program, tmp_path):
    def situation(**more: object) -> object:
        return kind(
            here(
                tmp_path, waits_for_disk=True, compiled=lambda source, name: compiled(source, tmp_path / name), **more
            ),
            path=str(program),
        )

    found = situation()
    assert named(found)[NAME].change["program"]["env"] == {"LD_PRELOAD": str(tmp_path / LIBRARY)}
    chosen = for_cause("I/O", all_remedies(found))
    assert chosen is not None
    assert chosen.name == NAME
    assert "no sample saw" in str(named(kind(here(tmp_path), path=str(program)))[NAME].why_not)
    # Without a compiler the folder for temporary files is what is left to change.
    without = kind(here(tmp_path, waits_for_disk=True), path=str(program))
    assert "`knee try` does so" in str(named(without)[NAME].why_not)


def test_a_study_does_not_go_on_without_a_library_that_its_runs_load(simulated, tmp_path):
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}, blocks=2)
    library = tmp_path / LIBRARY
    last = json.loads(folder.plan.read_text().splitlines()[-1])
    asked = {
        **last,
        "id": "9999",
        "role": "intervention",
        "test": f"I/O: {NAME}",
        "program": {"command": ["p"], "env": {"LD_PRELOAD": str(library)}},
    }
    with folder.plan.open("a") as plan:
        plan.write(json.dumps(asked) + "\n")
    told = CliRunner().invoke(cli.verbs, ["study", "--resume", str(folder.path), "--trust"])
    assert isinstance(told.exception, StudyError)
    assert f"{library} is gone" in str(told.exception)
