"""The spinning lock that `knee try` loads into a program: what it changes, and what it leaves as it is."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import skipped
from test_remedies import here, kind, named, spec

from knee.study.remedies.executable import executable
from knee.study.remedies.remedy import Remedy
from knee.study.remedies.situation import Situation
from knee.study.remedies.spinning_lock import LIBRARY, SOURCE
from knee.study.run import compiler, trials
from knee.study.run.compiler import compiled

PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>

enum { ROUNDS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held, asked, done;
static volatile long counted;

static void run_on(int wanted) {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && wanted-- == 0) CPU_SET(cpu, &one);
    }
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

/* Keeps the cpu: after a yield to another program the lock would be held for milliseconds. */
static void wait_for(atomic_int *what, int round) {
    while (*what < round) continue;
}

static void *ask(void *unused) {
    run_on(1);
    for (int round = 1; round <= ROUNDS; round++) {
        wait_for(&held, round);
        asked = round;
        pthread_mutex_lock(&lock);
        counted++;
        pthread_mutex_unlock(&lock);
        done = round;
    }
    return unused;
}

/* In each round one thread asks for the lock some 50 us before the other lets it go. */
static void *hold(void *unused) {
    run_on(0);
    for (int round = 1; round <= ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        held = round;
        wait_for(&asked, round);
        for (int more = 0; more < 20000; more++) counted++;
        pthread_mutex_unlock(&lock);
        wait_for(&done, round);
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
    pthread_create(&threads[0], NULL, hold, NULL);
    pthread_create(&threads[1], NULL, ask, NULL);
    for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
    getrusage(RUSAGE_SELF, &used);
    printf("%ld %d %d %ld\n", counted, twice(PTHREAD_MUTEX_RECURSIVE), twice(PTHREAD_MUTEX_ERRORCHECK) == EDEADLK,
           used.ru_nvcsw);
    return 0;
}
"""


@pytest.fixture
def program(tmp_path):
    """A program in which one of two threads waits for the other one's mutex, again and again."""
    cc = next(filter(None, map(shutil.which, compiler.COMPILERS)), None)
    if cc is None:
        skipped("a program that takes a mutex", "there is no C compiler")
    source, made = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    subprocess.run([cc, "-O2", "-pthread", source, "-o", made], check=True)
    return made


def said(program: Path, **env: str) -> list[int]:
    done = subprocess.run([program], env=os.environ | env, check=True, capture_output=True, text=True)
    assert not done.stderr
    return list(map(int, done.stdout.split()))


def test_threads_hardly_sleep_for_a_mutex_and_the_answer_is_the_same(program, tmp_path):
    if len(os.sched_getaffinity(0)) < 2:
        skipped("a lock that another thread holds", "no two cpus")
    library, why = compiled(SOURCE, tmp_path / LIBRARY)
    assert library is not None, why
    *answer, sleeps = said(program)
    *same, fewer = said(program, LD_PRELOAD=str(library))
    assert answer == same == [1000 * 20001, 0, 1]
    assert fewer < 0.5 * sleeps


def test_it_is_tried_on_programs_that_take_mutexes_where_each_thread_has_a_cpu(program, tmp_path):
    def made(**more: object) -> Situation:
        return here(tmp_path, compiled=lambda source, name: compiled(source, tmp_path / name), **more)

    def remedy(one: Situation) -> Remedy:
        return named(one)["spinning lock"]

    found = executable(str(program))
    assert found is not None
    assert found.takes_locks
    locks = remedy(kind(made(), path=str(program), takes_locks=True))
    assert locks.applies, locks.why_not
    assert locks.change["program"]["env"] == {"LD_PRELOAD": str(tmp_path / LIBRARY)}
    theirs = remedy(kind(made(environ={"LD_PRELOAD": "/lib/theirs.so"}), takes_locks=True))
    assert theirs.change["program"]["env"] == {"LD_PRELOAD": f"{tmp_path / LIBRARY}:/lib/theirs.so"}
    assert "takes no mutex" in str(remedy(made()).why_not)
    assert "more threads than cpus" in str(remedy(kind(made(as_is=spec(4, cpus=[0])), takes_locks=True)).why_not)
    assert "another kind of processor" in str(remedy(kind(made(), takes_locks=True, arch=1)).why_not)
    assert "`knee try` does so" in str(remedy(kind(here(tmp_path), takes_locks=True)).why_not)


def test_a_library_is_compiled_whole_and_follows_no_link(program, tmp_path, monkeypatch):
    target, library = tmp_path / "target", tmp_path / LIBRARY
    target.write_text("kept")
    library.symlink_to(target)
    assert compiled(SOURCE, library) == (library, None)
    assert not library.is_symlink()
    assert target.read_text() == "kept"
    assert not list(tmp_path.glob("compiled-*"))
    wrong = tmp_path / "cc"
    wrong.write_text("#!/bin/sh\necho 'no room left' >&2\nexit 1\n")
    wrong.chmod(0o755)
    with monkeypatch.context() as changed:
        changed.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        assert compiled(SOURCE, library) == (None, f"{wrong} cannot compile it: no room left")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert compiled(SOURCE, library) == (None, "it takes a C compiler: install gcc")


def test_trials_do_not_go_on_without_the_library_that_they_load(simulated, tmp_path):
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}, blocks=2)
    library = tmp_path / LIBRARY
    library.touch()
    last = json.loads(folder.plan.read_text().splitlines()[-1])
    trial = {
        **last,
        "id": "9999",
        "role": "remedy",
        "program": {"command": ["p"], "env": {"LD_PRELOAD": f"{library}:x"}},
    }
    with folder.plan.open("a") as plan:
        plan.write(json.dumps(trial) + "\n")
    assert trials.lost_library(folder) is None
    library.unlink()
    assert trials.lost_library(folder) == str(library)
