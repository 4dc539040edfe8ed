/* Spinning: follows random paths of a price, with draws from one generator behind a ticket lock.
 *
 * A thread takes the draws of a path under the lock, and then follows the path. The dial is the share of the paths
 * whose draws are made while the lock is held; for all others the generator only jumps ahead by as many, and the thread
 * makes them after it has let go. A thread that waits for its ticket spins and never sleeps. The lock and the one word
 * of the generator are the only shared lines. Which thread gets which path does not matter for the sum. */
#include <stdalign.h>
#include <stdatomic.h>

#include "work.h"

enum { DRAWS = 500, UNIFORM = 4 };

static const uint64_t FACTOR = 6364136223846793005u, STEP = 1442695040888963407u;

static struct {
    alignas(LINE) atomic_uint next;
    alignas(LINE) atomic_uint serving;
    alignas(LINE) uint64_t state;
    long left;
} shared;

static uint64_t jump_factor = 1, jump_step;

static unsigned lock(void) {
    unsigned ticket = atomic_fetch_add(&shared.next, 1);
    while (atomic_load_explicit(&shared.serving, memory_order_acquire) != ticket) __builtin_ia32_pause();
    return ticket;
}

static void unlock(unsigned ticket) { atomic_store_explicit(&shared.serving, ticket + 1, memory_order_release); }

static int32_t permuted(uint64_t state) { return (int32_t)((state ^ state >> 22) >> (22 + (state >> 61))); }

/* Make the draws of a path, each a sum of uniform ones that is nearly normal; return the generator's state after them. */
static uint64_t draw(uint64_t state, int32_t *draws) {
    for (int i = 0; i < DRAWS; i++) {
        int32_t sum = 0;
        for (int u = 0; u < UNIFORM; u++) {
            sum += permuted(state) >> 3;
            state = state * FACTOR + STEP;
        }
        draws[i] = sum;
    }
    return state;
}

/* The price at the end of a path that stops at a barrier below. */
static uint64_t follow(const int32_t *draws) {
    int64_t price = 1ll << 40, lowest = price;
    for (int i = 0; i < DRAWS; i++) {
        price += ((int64_t)draws[i] << 4) + (price >> 20);
        if (price < lowest) lowest = price;
    }
    return (uint64_t)(lowest < 1ll << 39 ? lowest : price);
}

static uint64_t body(int thread) {
    (void)thread;
    int32_t draws[DRAWS];
    uint64_t sum = 0;
    for (;;) {
        unsigned ticket = lock();
        long path = shared.left--;
        uint64_t state = shared.state;
        int within = picked(path);
        shared.state = within && path > 0 ? draw(state, draws) : state * jump_factor + jump_step;
        unlock(ticket);
        if (path <= 0) return sum;
        if (!within) draw(state, draws);
        sum += follow(draws);
    }
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (int i = 0; i < DRAWS * UNIFORM; i++) {
        jump_factor *= FACTOR;
        jump_step = jump_step * FACTOR + STEP;
    }
    shared.state = 42;
    shared.left = work;
    print_answer(in_threads(body));
    return 0;
}
