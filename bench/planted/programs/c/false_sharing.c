/* False sharing: counts odd results of short units, each thread in words of its own.
 *
 * The dial is the share of the blocks of 500 counts that go to a word beside the words of other threads; all others go
 * to a word that has its line to itself. No word is ever used by two threads, and there is no atomic operation. */
#include <stdalign.h>

#include "work.h"

enum { STEPS = 12, BLOCK = 500 };

struct Alone {
    alignas(LINE) volatile uint64_t count;
};

static struct Alone apart[MOST_THREADS];
static alignas(LINE) volatile uint64_t together[MOST_THREADS];

static uint64_t body(int thread) {
    for (long block = first(thread); block < first(thread + 1); block++) {
        volatile uint64_t *word = picked(block) ? &together[thread] : &apart[thread].count;
        for (long i = block * BLOCK; i < (block + 1) * BLOCK; i++) *word += unit(i, STEPS) >> 40 & 1;
    }
    return apart[thread].count + together[thread];
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
