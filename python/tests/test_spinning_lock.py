"""The spinning lock that `knee try` loads into a program: what it changes, and what it leaves as it is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import skipped
from test_remedies import here, kind, named, spec

from knee.study.remedies import spinning_lock

PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static volatile long counted;

static void *work(void *unused) {
    pthread_barrier_wait(&both);
    for (int n = 0; n < 4000; n++) {
        pthread_mutex_lock(&lock);
        for (int more = 0; more < 20000; more++) counted++;
        pthread_mutex_unlock(&lock);
        for (volatile int own = 0; own < 10000; own++) continue;
    }
    return unused;
}

static int twice(int type) {
    pthread_mutexattr_t kind;
    pthread_mutex_t own;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, type);
    pthread_mutex_init(&own, &kind);
    pthread_mutex_lock(&own);
    return pthread_mutex_lock(&own);
}

int main(void) {
    struct rusage used;
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
    getrusage(RUSAGE_SELF, &used);
    printf("%ld %d %d %ld\n", counted, twice(PTHREAD_MUTEX_RECURSIVE), twice(PTHREAD_MUTEX_ERRORCHECK) == EDEADLK,
           used.ru_nvcsw);
    return 0;
}
"""


@pytest.fixture
def program(tmp_path):
    """A program in which two threads take a mutex in turn."""
    compiler = next(filter(None, map(shutil.which, spinning_lock.COMPILERS)), None)
    if compiler is None:
        skipped("there is no C compiler")
    source, made = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    subprocess.run([compiler, "-O2", "-pthread", source, "-o", made], check=True)
    return made


def said(program: Path, **env: str) -> list[int]:
    done = subprocess.run([program], env=os.environ | env, check=True, capture_output=True, text=True)
    assert not done.stderr
    return list(map(int, done.stdout.split()))


def test_threads_hardly_sleep_for_a_mutex_and_the_answer_is_the_same(program):
    library, why = spinning_lock.compiled()
    assert library is not None, why
    *answer, sleeps = said(program)
    *same, fewer = said(program, LD_PRELOAD=str(library))
    assert answer == same == [2 * 4000 * 20000, 0, 1]
    if len(os.sched_getaffinity(0)) > 1:
        assert fewer < 0.5 * sleeps


def test_it_is_tried_on_programs_that_take_mutexes_where_each_thread_has_a_cpu(program, tmp_path):
    locks = named(kind(here(tmp_path), path=str(program), takes_locks=True))["spinning lock"]
    assert locks.applies, locks.why_not
    assert locks.change["program"]["env"]["LD_PRELOAD"].endswith("libknee_spinning_lock.so")
    theirs = kind(here(tmp_path, environ={"LD_PRELOAD": "/lib/theirs.so"}), takes_locks=True)
    assert named(theirs)["spinning lock"].change["program"]["env"]["LD_PRELOAD"].endswith(".so:/lib/theirs.so")
    assert "takes no mutex" in str(named(here(tmp_path))["spinning lock"].why_not)
    crowded = kind(here(tmp_path, as_is=spec(4, cpus=[0])), takes_locks=True)
    assert "more threads than cpus" in str(named(crowded)["spinning lock"].why_not)
    other = kind(here(tmp_path), takes_locks=True, arch=1)
    assert "another kind of processor" in str(named(other)["spinning lock"].why_not)


def compiled(**env: str) -> list[str]:
    code = "from knee.study.remedies import spinning_lock; print(*spinning_lock.compiled(), sep='|')"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | env, check=True, capture_output=True, text=True
    )
    return done.stdout.strip().split("|")


def test_the_library_is_deleted_when_knee_ends_and_without_a_compiler_there_is_none(program, tmp_path):
    library, why = compiled()
    assert why == "None"
    assert Path(library).name == "libknee_spinning_lock.so"
    assert not Path(library).parent.exists()
    assert compiled(PATH=str(tmp_path / "empty")) == ["None", "it takes a C compiler: install gcc"]
    wrong = tmp_path / "cc"
    wrong.write_text("#!/bin/sh\necho 'no room left' >&2\nexit 1\n")
    wrong.chmod(0o755)
    assert compiled(PATH=f"{tmp_path}:{os.environ['PATH']}") == ["None", f"{wrong} cannot compile it: no room left"]
