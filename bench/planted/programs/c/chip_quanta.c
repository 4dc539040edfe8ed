/* A simulator of a chip with eight cores: each has a small set-associative cache, and the host's threads simulate them
 * in quanta, with a barrier after each (as parallel simulators do). Every access counts in its set's clock, a number
 * that belongs to one simulated core. The dial is the share of sets whose clocks are laid out set by set, so that the
 * clocks of all eight cores lie on one cache line; the other sets' clocks are laid out core by core. So the dial is
 * false sharing: no two threads ever use the same clock, only the same lines. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 8, SETS = 64, WAYS = 2, QUANTA = 12, MOST = 64 };

struct core {
    uint32_t tag[SETS][WAYS];
    uint32_t used[SETS][WAYS]; /* value of the set's clock when the way was last used */
    uint32_t *clock[SETS];     /* where the clock of each set lies */
    uint64_t walk, hits, misses, stamp;
    char apart[256];
};

static int threads;
static long work;
static int by_set; /* number of sets whose clocks are laid out set by set */
static pthread_barrier_t quantum_end;
static struct core chip[CORES] __attribute__((aligned(256)));
static uint32_t set_by_set[SETS][16] __attribute__((aligned(256)));
static uint32_t core_by_core[CORES][SETS + 64] __attribute__((aligned(256)));

static void power_on(int host) {
    for (int c = host; c < CORES; c += threads) {
        struct core *core = &chip[c];
        memset(core->tag, 0xff, sizeof core->tag);
        core->walk = (c + 1) * 0x9E3779B97F4A7C15u;
        for (int s = 0; s < SETS; s++)
            /* sets are spread over the two layouts by a fixed stride, so that no program phase prefers one */
            core->clock[s] = s * 29 % SETS < by_set ? &set_by_set[s][c] : &core_by_core[c][s];
    }
}

/* One access: look the line up in its set, replace the least recently used way if it is not there. Returns for how many
 * of its set's accesses the line had lain unused (0: it was not there). */
static uint32_t access_line(struct core *core, uint32_t line) {
    uint32_t set = line % SETS, tag = line / SETS;
    uint32_t now = ++*core->clock[set];
    uint32_t *tags = core->tag[set], *used = core->used[set];
    int victim = 0;
    for (int way = 0; way < WAYS; way++) {
        if (tags[way] == tag) {
            core->hits++;
            uint32_t age = now - used[way];
            core->stamp += age;
            used[way] = now;
            return age;
        }
        if (used[way] < used[victim]) victim = way;
    }
    core->misses++;
    core->stamp += (uint64_t)now << (tag & 31);
    tags[victim] = tag;
    used[victim] = now;
    return 0;
}

static void simulate(struct core *core, long accesses) {
    uint64_t x = core->walk;
    for (long i = 0; i < accesses; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint32_t near = x >> 33 & 0xff, far = x >> 41 & 0xfff;
        x += access_line(core, (x >> 60) < 13 ? near : far); /* what a program does next depends on how long it waited */
    }
    core->walk = x;
}

static void *host_main(void *given) {
    int host = (int)(intptr_t)given;
    power_on(host);
    pthread_barrier_wait(&quantum_end);
    for (int q = 0; q < QUANTA; q++) {
        long accesses = work * (q + 1) / QUANTA - work * q / QUANTA;
        for (int c = host; c < CORES; c += threads) simulate(&chip[c], accesses);
        pthread_barrier_wait(&quantum_end);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    threads = atoi(argv[1]);
    by_set = (int)(atof(argv[2]) * SETS + 0.5);
    work = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    pthread_barrier_init(&quantum_end, 0, threads);
    pthread_t hosts[MOST];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&hosts[t], 0, host_main, (void *)(intptr_t)t)) return 1;
    for (int t = 0; t < threads; t++) pthread_join(hosts[t], 0);
    uint64_t answer = 0;
    for (int c = 0; c < CORES; c++) {
        answer = answer * 1000003 + chip[c].hits;
        answer = answer * 1000003 + chip[c].misses + chip[c].stamp;
    }
    printf("%016llx\n", (unsigned long long)answer);
    return 0;
}
