/* What every C and C++ side of the comparison shares. src/call.rs and src/data.rs say the same in Rust, and why. */
#ifndef SIDE_H
#define SIDE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_CPUS = 1024, MOST_SAMPLES = 1000, LANES = 16, NUMBERS = 100000000 };
static const uint64_t BUDGET_NS = 500000000, PATIENCE_NS = 100000000;

struct call {
    const char *side, *test;
    int threads, repeats, cpu_count, cpus[MOST_CPUS];
};

static inline uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static inline int asks_for(const struct call *call, const char *test) { return strcmp(call->test, test) == 0; }

/* Reads `SIDE TEST THREADS REPEATS CPUS`, and answers `list` itself; `tests` ends with a null. */
static inline struct call read_call(const char *side, const char *const *tests, int count, char **words) {
    struct call call = {side, count > 1 ? words[1] : "", 0, 0, 0, {0}};
    if (count == 2 && asks_for(&call, "list")) {
        for (; *tests; tests++) puts(*tests);
        exit(0);
    }
    while (*tests && !asks_for(&call, *tests)) tests++;
    if (count == 5 && *tests) {
        call.threads = atoi(words[2]);
        call.repeats = atoi(words[3]);
        for (char *word = strtok(words[4], ","); word && *word != '-'; word = strtok(NULL, ","))
            if (call.cpu_count < MOST_CPUS) call.cpus[call.cpu_count++] = atoi(word);
    }
    if (call.threads < 1 || call.repeats < 1 || call.repeats >= MOST_SAMPLES) {
        fputs("usage: SIDE list | SIDE TEST THREADS REPEATS CPUS, where CPUS is like 0,1 or - for no pinning\n", stderr);
        exit(2);
    }
    return call;
}

static inline void pin_self(const struct call *call, int worker) {
    if (call->cpu_count == 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(call->cpus[worker % call->cpu_count], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("pinning a worker");
        exit(2);
    }
}

static inline int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void print_samples(const struct call *call, const char *unit, const double *samples, int count,
                                 const char *more) {
    double sorted[MOST_SAMPLES];
    memcpy(sorted, samples, (size_t)count * sizeof *samples);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    printf("{\"side\":\"%s\",\"test\":\"%s\",\"threads\":%d,\"pinned\":%s,\"unit\":\"%s\",\"value\":%.17g,\"samples\":[",
           call->side, call->test, call->threads, call->cpu_count ? "true" : "false", unit,
           (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
    for (int i = 0; i < count; i++) printf("%s%.17g", i ? "," : "", samples[i]);
    printf("]%s}\n", more);
}

/* for (struct timing t = start_timing(&call, per, again); next_sample(&t);) work, `again` times; then print_timing. */
struct timing {
    const struct call *call;
    double per;
    uint64_t begin, start;
    int sample;
    double samples[MOST_SAMPLES];
};

static inline struct timing start_timing(const struct call *call, double per, double again) {
    struct timing timing;
    timing.call = call;
    timing.per = per * again;
    timing.begin = now_ns();
    timing.start = 0;
    timing.sample = -2;
    return timing;
}

/* Ends the sample before, if any, and says whether there is one more. The first one warms up. */
static inline int next_sample(struct timing *timing) {
    const uint64_t now = now_ns();
    if (timing->sample >= 0) timing->samples[timing->sample] = (double)(now - timing->start) / timing->per;
    timing->sample++;
    if (timing->sample == timing->call->repeats || (timing->sample >= 3 && now - timing->begin > BUDGET_NS)) return 0;
    timing->start = now_ns();
    return 1;
}

static inline void print_timing(const struct timing *timing) {
    print_samples(timing->call, "ns", timing->samples, timing->sample, "");
}

static inline void expect(int right, const char *what) {
    if (right) return;
    fprintf(stderr, "wrong result: %s\n", what);
    exit(1);
}

/* Processor time over wall time, in the second that begins now. */
static inline void print_idle(const struct call *call) {
    const uint64_t begin = now_ns(), before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const struct timespec second = {1, 0};
    nanosleep(&second, NULL);
    const double used = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before);
    const double share = used / (double)(now_ns() - begin);
    print_samples(call, "share", &share, 1, "");
}

/* Sees when what was forked starts on another thread. */
struct probe {
    pthread_t home;
    uint64_t start, seen, here;
};

static inline void mark(struct probe *probe) {
    const uint64_t now = now_ns();
    probe->here = (uint64_t)pthread_equal(probe->home, pthread_self());
    /* Release: pairs with the acquiring loads of await_mark, which then sees `here` too. */
    __atomic_store_n(&probe->seen, now, __ATOMIC_RELEASE);
}

static inline void await_mark(struct probe *probe) {
    while (!__atomic_load_n(&probe->seen, __ATOMIC_ACQUIRE) && now_ns() - probe->start < PATIENCE_NS)
        __asm__ volatile("" ::: "memory");
}

/* for (struct waking w = start_waking(&call, alone_ns); next_wake(&w);) fork with mark(&w.probe); then print_waking. */
struct waking {
    const struct call *call;
    uint64_t alone_ns, begin, others_ns;
    int sample, missed;
    struct probe probe;
    double samples[MOST_SAMPLES];
};

static inline struct waking start_waking(const struct call *call, uint64_t alone_ns) {
    struct waking waking;
    memset(&waking, 0, sizeof waking);
    waking.call = call;
    waking.alone_ns = alone_ns;
    waking.begin = now_ns();
    waking.sample = -2;
    return waking;
}

static inline int next_wake(struct waking *waking) {
    if (waking->sample >= -1) {
        const int missed = waking->probe.here || !waking->probe.seen;
        const uint64_t waited = missed ? PATIENCE_NS : waking->probe.seen - waking->probe.start;
        waking->missed += missed;
        if (waking->sample >= 0) waking->samples[waking->sample] = (double)waited;
    }
    if (++waking->sample == waking->call->repeats) return 0;
    const uint64_t used = clock_ns(CLOCK_PROCESS_CPUTIME_ID), own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (const uint64_t idle = now_ns(); now_ns() - idle < waking->alone_ns;) __asm__ volatile("" ::: "memory");
    const uint64_t all = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used, mine = clock_ns(CLOCK_THREAD_CPUTIME_ID) - own;
    waking->others_ns += all > mine ? all - mine : 0;
    const struct probe fresh = {pthread_self(), now_ns(), 0, 0};
    waking->probe = fresh;
    return 1;
}

static inline void print_waking(const struct waking *waking) {
    char more[80];
    snprintf(more, sizeof more, ",\"missed\":%d,\"idle_share\":%.4f", waking->missed,
             (double)waking->others_ns / (double)(now_ns() - waking->begin));
    print_samples(waking->call, "ns", waking->samples, waking->sample, more);
}

/* A binary tree whose nodes have two children or none; a level lies in memory as one run. */
struct node {
    uint64_t value;
    struct node *left, *right;
};

static inline struct node *new_node(struct node *left, struct node *right) {
    struct node *node = (struct node *)malloc(sizeof *node);
    if (!node) abort();
    node->value = 1;
    node->left = left;
    node->right = right;
    return node;
}

static inline struct node *balanced(int levels) {
    size_t count = (size_t)1 << (levels - 1);
    struct node **level = (struct node **)malloc(count * sizeof *level);
    if (!level) abort();
    for (size_t i = 0; i < count; i++) level[i] = new_node(NULL, NULL);
    for (; count > 1; count /= 2)
        for (size_t i = 0; i < count / 2; i++) level[i] = new_node(level[2 * i], level[2 * i + 1]);
    struct node *root = level[0];
    free(level);
    return root;
}

/* So many ones: their sum is exact in any order. */
static inline double *new_numbers(void) {
    double *numbers = (double *)malloc(sizeof *numbers * NUMBERS);
    if (!numbers) abort();
    for (size_t i = 0; i < NUMBERS; i++) numbers[i] = 1;
    return numbers;
}

/* The sum of a slice in sixteen lanes, which the order of a plain loop would forbid. */
static inline double add_up(const double *numbers, size_t count) {
    double lanes[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) lanes[lane] += numbers[i + lane];
    for (; i < count; i++) sum += numbers[i];
    for (size_t lane = 0; lane < LANES; lane++) sum += lanes[lane];
    return sum;
}

/* Looks at a value as Rust's black_box does: through memory. */
static inline void look_at(size_t value) { __asm__ volatile("" : : "r"(&value) : "memory"); }

enum { FIB_N = 27, FIB_VALUE = 196418, FIB_SPAWNS = 317810 };

#endif
