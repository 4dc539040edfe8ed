/* True sharing: parses short messages in buffers that come from a pool without locks, and go back to it.
 *
 * A pool is a stack of free buffers (Treiber's, with a tag against ABA). The dial is the share of the blocks of 200
 * messages whose buffers come from the pool of all threads; the others come from a pool of the thread's own, with the
 * same code. The shared head and the buffers below it are written by all threads on purpose, and each has its lines to
 * itself. Nobody waits; an exchange that fails is tried again. */
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

#include "work.h"

enum { BLOCK = 200, BUFFERS = 16, BYTES = 40 };

struct Buffer {
    alignas(LINE) _Atomic uint32_t next;
    unsigned char bytes[BYTES];
};

/* The head holds a tag in its upper half; below, the number of the first free buffer plus 1. */
struct Pool {
    alignas(LINE) _Atomic uint64_t head;
    struct Buffer buffers[BUFFERS];
};

static struct Pool all, own[MOST_THREADS];

static uint64_t tagged(uint64_t head, uint32_t number) { return ((head >> 32) + 1) << 32 | number; }

static uint32_t take(struct Pool *pool) {
    uint64_t head = atomic_load(&pool->head);
    for (;;) {
        uint32_t number = (uint32_t)head, next = atomic_load(&pool->buffers[number - 1].next);
        if (atomic_compare_exchange_weak(&pool->head, &head, tagged(head, next))) return number;
    }
}

static void give(struct Pool *pool, uint32_t number) {
    uint64_t head = atomic_load(&pool->head);
    do {
        atomic_store_explicit(&pool->buffers[number - 1].next, (uint32_t)head, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak(&pool->head, &head, tagged(head, number)));
}

/* Receive a message: fields as decimal numbers, with commas between. */
static void receive(uint64_t number, unsigned char *bytes) {
    uint64_t digits = unit(number, 4);
    for (int i = 0; i < BYTES; i++) bytes[i] = i % 8 == 7 ? ',' : '0' + (digits >> i & 7);
}

static uint64_t parse(const unsigned char *bytes) {
    uint64_t sum = 0, field = 0;
    for (int i = 0; i < BYTES; i++) {
        if (bytes[i] == ',') {
            sum = sum * 31 + field;
            field = 0;
        } else {
            field = field * 10 + bytes[i] - '0';
        }
    }
    return sum;
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long block = first(thread); block < first(thread + 1); block++) {
        struct Pool *pool = picked(block) ? &all : &own[thread];
        for (long i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
            uint32_t number = take(pool);
            receive((uint64_t)i, pool->buffers[number - 1].bytes);
            sum += parse(pool->buffers[number - 1].bytes);
            give(pool, number);
        }
    }
    return sum;
}

/* Every buffer is free. No thread holds more than one, so a pool never runs out with up to 16 threads. */
static void fill(struct Pool *pool) {
    for (uint32_t number = 1; number <= BUFFERS; number++) give(pool, number);
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    if (threads > BUFFERS) return 2;
    fill(&all);
    for (int t = 0; t < threads; t++) fill(&own[t]);
    print_answer(in_threads(body));
    return 0;
}
