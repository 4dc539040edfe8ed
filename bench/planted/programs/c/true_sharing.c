/* True sharing: counts odd results of short units by atomic additions.
 *
 * The dial is the share of the blocks of 500 additions that go to the one counter of all threads; all others go to a
 * counter of the thread's own, on its own line. Both kinds cost the same where there is only one thread. */
#include <stdalign.h>
#include <stdatomic.h>

#include "work.h"

enum { STEPS = 12, BLOCK = 500 };

struct Alone {
    alignas(LINE) _Atomic uint64_t count;
};

static struct Alone own[MOST_THREADS];
static struct Alone all;

static uint64_t body(int thread) {
    for (long block = first(thread); block < first(thread + 1); block++) {
        _Atomic uint64_t *counter = picked(block) ? &all.count : &own[thread].count;
        for (long i = block * BLOCK; i < (block + 1) * BLOCK; i++) atomic_fetch_add(counter, unit(i, STEPS) >> 40 & 1);
    }
    return own[thread].count;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint64_t sum = in_threads(body);
    print_answer(sum + all.count);
    return 0;
}
