/* A game server that runs the scripts of its inhabitants, tick by tick, each on a small stack of its own; workers wait
 * on semaphores for a tick and fetch inhabitants in bundles. The dial is the share of script calls whose stack is
 * mapped for that one call, with a guard page, and unmapped after it; the others use a stack that the worker keeps. So
 * the dial is page faults and the lock of the address space: two threads of one process map, fault and unmap at once. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, STACK = 12 * PAGE, TICKS = 10, BUNDLE = 4, DEPTH = 9, STEPS = 330, MOST = 64 };

struct frame { /* one call of a script's procedure: its locals fill most of a page */
    uint32_t local[PAGE / 4 - 4];
    uint32_t entry;
    uint32_t keep[3];
};

static struct {
    sem_t go;
    pthread_t id;
    uint8_t *stack;
    uint64_t checksum;
    char apart[192];
} worker[MOST] __attribute__((aligned(256)));

static sem_t tick_done;
static atomic_long next_inhabitant __attribute__((aligned(256)));
static long inhabitants __attribute__((aligned(256)));
static int tick;
static uint64_t mapped_below; /* of 2^32 */

static inline uint64_t scramble(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static uint8_t *map_stack(void) {
    uint8_t *low = mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (low == MAP_FAILED || mprotect(low, PAGE, PROT_NONE)) exit(1);
    return low;
}

/* Runs a script: procedures call each other down to DEPTH; each writes some locals before it reads them. */
static uint32_t procedure(uint8_t *top, int depth, uint32_t seed) {
    struct frame *frame = (struct frame *)(top - PAGE);
    frame->entry = seed;
    uint32_t x = seed | 1;
    for (int i = 0; i < 16; i++) frame->local[i * 61] = seed * (i + 3);
    for (int i = 0; i < STEPS; i++) {
        uint32_t *slot = &frame->local[(x >> 28) * 61];
        switch (x >> 9 & 3) {
        case 0: x = x * 1664525u + *slot; break;
        case 1: *slot += x >> 3; x = x * 22695477u + 1; break;
        case 2: x = (x ^ *slot) * 69069u + 5; break;
        default: *slot ^= x << 5; x = x * 1103515245u + 12345u;
        }
    }
    if (depth > 1) x += procedure(top - PAGE, depth - 1, x ^ depth);
    return x ^ frame->entry ^ frame->local[61 * (seed & 15)];
}

static uint32_t run_script(uint8_t *kept, long inhabitant) {
    uint64_t seed = scramble((uint64_t)tick << 40 | (inhabitant + 1));
    if ((seed >> 32) >= mapped_below) return procedure(kept + STACK, DEPTH, seed);
    uint8_t *fresh = map_stack();
    uint32_t result = procedure(fresh + STACK, DEPTH, seed);
    munmap(fresh, STACK);
    return result;
}

static void *worker_main(void *given) {
    int me = (int)(intptr_t)given;
    for (;;) {
        while (sem_wait(&worker[me].go)) {}
        if (tick == TICKS) return 0;
        uint64_t checksum = 0;
        for (long from; (from = atomic_fetch_add(&next_inhabitant, BUNDLE)) < inhabitants;)
            for (long i = from; i < from + BUNDLE && i < inhabitants; i++)
                checksum += scramble(run_script(worker[me].stack, i) + (uint64_t)i * TICKS + tick);
        worker[me].checksum += checksum;
        sem_post(&tick_done);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    int threads = atoi(argv[1]);
    mapped_below = (uint64_t)(atof(argv[2]) * 4294967296.0);
    inhabitants = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    sem_init(&tick_done, 0, 0);
    for (int t = 0; t < threads; t++) {
        worker[t].stack = map_stack();
        sem_init(&worker[t].go, 0, 0);
        if (pthread_create(&worker[t].id, 0, worker_main, (void *)(intptr_t)t)) return 1;
    }
    for (tick = 0; tick <= TICKS; tick++) {
        atomic_store(&next_inhabitant, 0);
        for (int t = 0; t < threads; t++) sem_post(&worker[t].go);
        if (tick == TICKS) break;
        for (int t = 0; t < threads; t++)
            while (sem_wait(&tick_done)) {}
    }
    uint64_t checksum = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(worker[t].id, 0);
        checksum += worker[t].checksum;
    }
    printf("%016llx\n", (unsigned long long)checksum);
    return 0;
}
