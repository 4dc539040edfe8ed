// Marks regions in every way in which a program can, right or wrong. Usage: regions MODE
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "knee_region.h"

static knee_region_t work;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Uses so much CPU time.
static void burn(int milliseconds) {
    double end = cpu_seconds() + 1e-3 * milliseconds;
    while (cpu_seconds() < end) {
    }
}

// Three calls of "work", with two calls of "inner" in each.
static void *worker(void *unused) {
    for (int call = 0; call < 3; call++) {
        knee_region_enter(work);
        for (int part = 0; part < 2; part++) {
            knee_region_begin("inner");
            burn(5);
            knee_region_end("inner");
        }
        knee_region_leave(work);
    }
    return unused;
}

static void threads(void) {
    pthread_t team[3];
    work = knee_region("work");
    knee_region_begin("load");
    usleep(20000);
    knee_region_end("load");
    knee_region_begin("all");
    for (int i = 0; i < 3; i++)
        pthread_create(&team[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(team[i], NULL);
    knee_region_end("all");
}

// Two calls of "touch", each of which touches a hundred pages for the first time, and one of "rest", which touches none.
static void *toucher(void *unused) {
    enum { PAGES = 100, PAGE = 4096 };
    for (int call = 0; call < 2; call++) {
        char *fresh = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        knee_region_begin("touch");
        for (int page = 0; page < PAGES; page++)
            ((volatile char *)fresh)[page * PAGE] = 1;
        knee_region_end("touch");
        knee_region_begin("rest");
        burn(2);
        knee_region_end("rest");
        munmap(fresh, PAGES * PAGE);
    }
    return unused;
}

// Three threads, and the child of a fork.
static void touch(void) {
    pthread_t team[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&team[i], NULL, toucher, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(team[i], NULL);
    toucher(NULL);
    if (fork() == 0) {
        toucher(NULL);
        _exit(0);
    }
    wait(NULL);
}

static pthread_barrier_t together;

static void *marker(void *unused) {
    pthread_barrier_wait(&together);
    knee_region_begin("step");
    knee_region_end("step");
    return unused;
}

// Eight threads whose first marks are made at once.
static void crowd(void) {
    enum { CROWD = 8 };
    pthread_t team[CROWD];
    pthread_barrier_init(&together, NULL, CROWD);
    for (int i = 0; i < CROWD; i++)
        pthread_create(&team[i], NULL, marker, NULL);
    for (int i = 0; i < CROWD; i++)
        pthread_join(team[i], NULL);
}

static long recurse(int depth) {
    knee_region_begin("recurse");
    burn(1);
    long sum = depth == 0 ? 0 : 1 + recurse(depth - 1);
    knee_region_end("recurse");
    return sum;
}

// The child ends what was open when it was forked, and marks a region of its own.
static void forks(void) {
    knee_region_begin("outer");
    pid_t child = fork();
    if (child == 0) {
        knee_region_begin("child");
        burn(5);
        knee_region_end("child");
        knee_region_end("outer");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    knee_region_end("outer");
}

static void killed(void) {
    for (int call = 0; call < 1000; call++) {
        knee_region_begin("step");
        knee_region_end("step");
    }
    knee_region_begin("step");
    knee_region_begin("last");
    raise(SIGKILL);
}

static int begun;

// Some time after the first call; how long differs from process to process.
static void *kill_us(void *unused) {
    while (!__atomic_load_n(&begun, __ATOMIC_RELAXED))
        usleep(100);
    usleep(1000 + (unsigned)getpid() % 97 * 111);
    raise(SIGKILL);
    return unused;
}

// Killed at any moment: between two stores of a mark, most likely.
static void killed_anywhere(void) {
    pthread_t killer;
    pthread_create(&killer, NULL, kill_us, NULL);
    for (;;) {
        knee_region_begin("step");
        knee_region_end("step");
        __atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
    }
}

static void wrong(void) {
    knee_region_end("never begun");
    knee_region_end("never begun");
    knee_region_begin("first");
    knee_region_begin("second");
    knee_region_end("first");
    knee_region_end("second");
    knee_region_begin("one");
    knee_region_begin("two");
    knee_region_end("one");
    knee_region_begin("three");
    knee_region_end("two");
    knee_region_end("three");
    knee_region_begin("left open");
    knee_region_begin(NULL);
    knee_region_end(NULL);
}

// Closes unknown descriptors, and reuses their numbers for a pipe, which marks must neither read nor close.
static int closes(void) {
    int ends[2], bytes = 0;
    char text[64];
    knee_region_begin("step");
    knee_region_end("step");
    int child = fork();
    for (int file = 3; file < 64; file++)
        close(file);
    if (pipe(ends) != 0 || write(ends[1], "all of this is the program's own", 32) != 32)
        return 1;
    for (int call = 0; call < 3; call++) {
        knee_region_begin("step");
        knee_region_end("step");
    }
    close(ends[1]);
    for (int got; (got = (int)read(ends[0], text, sizeof text)) > 0;)
        bytes += got;
    if (child == 0)
        _exit(bytes != 32);
    int status = 1;
    waitpid(child, &status, 0);
    return bytes != 32 || status != 0;
}

static void *waits(void *unused) {
    knee_region_begin("step");
    knee_region_end("step");
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    return unused;
}

// A hundred threads that have marked are there when the program opens a file.
static int opens(void) {
    enum { TEAM = 100 };
    pthread_t team[TEAM];
    pthread_barrier_init(&together, NULL, TEAM + 1);
    for (int i = 0; i < TEAM; i++)
        pthread_create(&team[i], NULL, waits, NULL);
    pthread_barrier_wait(&together);
    FILE *file = fopen("/dev/null", "r");
    pthread_barrier_wait(&together);
    for (int i = 0; i < TEAM; i++)
        pthread_join(team[i], NULL);
    return file == NULL;
}

static void *name_all(void *unused) {
    char name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "region %d", i);
        knee_region_begin(name);
        knee_region_end(name);
    }
    return unused;
}

// More regions × threads than there are slots, and more names than a process may have.
static void flood(void) {
    char name[32];
    for (int i = 0; i < 70; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, name_all, NULL);
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "one more %d", i);
        knee_region_begin(name);
        knee_region_end(name);
    }
}

// A thousand additions, by name and by handle, and one to a counter of its own.
static void *counter(void *unused) {
    knee_counter_t matches = knee_counter("matches");
    for (int i = 0; i < 500; i++) {
        knee_count("matches", 2);
        knee_counter_add(matches, 1);
    }
    knee_count("lists", 1);
    return unused;
}

// Four threads that count, then a child that does; the program lives on for some samples.
static void counts(void) {
    pthread_t team[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&team[i], NULL, counter, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(team[i], NULL);
    usleep(1500000);
    pid_t child = fork();
    if (child == 0) {
        counter(NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

// Counts without end until it is killed, by itself at some moment.
static void counts_killed(void) {
    knee_count("steps", 1000000007);
    if (fork() == 0) {
        usleep(20000 + getpid() % 16 * 500);
        kill(getppid(), SIGKILL);
        _exit(0);
    }
    for (;;)
        knee_count("steps", 1000000007);
}

// Counters of more threads than there are slots.
static void counts_flood(void) {
    pthread_t thread;
    for (int i = 0; i < (1 << 14) + 10; i++) {
        pthread_create(&thread, NULL, counter, NULL);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv) {
    const char *mode = argc == 2 ? argv[1] : "";
    if (strcmp(mode, "threads") == 0)
        threads();
    else if (strcmp(mode, "recurse") == 0)
        recurse(9);
    else if (strcmp(mode, "touch") == 0)
        touch();
    else if (strcmp(mode, "crowd") == 0)
        crowd();
    else if (strcmp(mode, "fork") == 0)
        forks();
    else if (strcmp(mode, "killed") == 0)
        killed();
    else if (strcmp(mode, "killed-anywhere") == 0)
        killed_anywhere();
    else if (strcmp(mode, "wrong") == 0)
        wrong();
    else if (strcmp(mode, "counts") == 0)
        counts();
    else if (strcmp(mode, "counts-killed") == 0)
        counts_killed();
    else if (strcmp(mode, "counts-flood") == 0)
        counts_flood();
    else if (strcmp(mode, "flood") == 0)
        flood();
    else if (strcmp(mode, "closes") == 0)
        return closes();
    else if (strcmp(mode, "opens") == 0)
        return opens();
    else if (strcmp(mode, "exec") == 0) {
        knee_region_begin("before");
        knee_region_end("before");
        execl(argv[0], argv[0], "recurse", (char *)NULL);
    } else
        return 2;
    puts(knee_region_state() == KNEE_REGION_LISTENING ? "listening" : "silent");
    return 0;
}
