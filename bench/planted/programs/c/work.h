/* What the C programs have in common: arguments, work that no compiler removes, and threads.
 *
 * Work comes in units. The result of a unit depends on its number alone, and the answer is the sum of all results:
 * the same for every number of threads and every dial. */
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 128, MOST_THREADS = 64 };

static int threads;
static double dial;
static long work;

static inline void arguments(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        exit(2);
    }
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    work = atol(argv[3]);
}

static inline void print_answer(uint64_t sum) { printf("%016llx\n", (unsigned long long)sum); }

/* A chain of dependent arithmetic, about 1.3 ns a step. */
static inline uint64_t unit(uint64_t number, int steps) {
    uint64_t x = number * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < steps; i++) x = x * 6364136223846793005u + (x >> 33 | 1);
    return x;
}

/* Whether the dial applies to this unit: a fixed random choice of the share `dial` of all units. */
static inline int picked(uint64_t number) {
    uint64_t x = (number + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return (double)(x >> 11) * 0x1p-53 < dial;
}

/* The first unit of a thread, with equal parts for all. */
static inline long first(int thread) { return work * thread / threads; }

struct Part {
    pthread_t id;
    int thread;
    uint64_t (*body)(int thread);
    uint64_t sum;
};

static inline void *run_part(void *given) {
    struct Part *part = given;
    part->sum = part->body(part->thread);
    return 0;
}

/* Run `body` in every thread; return the sum of what they return. One thread is a thread beside main, too. */
static inline uint64_t in_threads(uint64_t (*body)(int thread)) {
    struct Part parts[MOST_THREADS];
    uint64_t sum = 0;
    for (int t = 0; t < threads; t++) {
        parts[t] = (struct Part){.thread = t, .body = body};
        if (pthread_create(&parts[t].id, 0, run_part, &parts[t]) != 0) exit(1);
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(parts[t].id, 0);
        sum += parts[t].sum;
    }
    return sum;
}

/* The whole program, where every thread runs `body` and nothing comes before or after. */
static inline int in_threads_only(int argc, char **argv, uint64_t (*body)(int thread)) {
    arguments(argc, argv);
    print_answer(in_threads(body));
    return 0;
}
