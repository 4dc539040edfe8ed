/* Allocator: computes units of arithmetic, each with 32 blocks of 1 to 4 KiB, where malloc has a single arena.
 *
 * The dial is the share of the units that get their blocks from malloc; all others use blocks that the thread keeps.
 * The blocks are too large for malloc's caches of threads, so each call takes the lock of the arena. It is the only
 * lock. */
#include <malloc.h>

#include "work.h"

enum { STEPS = 4000, BLOCKS = 32, SMALLEST = 1100 };

static uint64_t body(int thread) {
    uint64_t sum = 0;
    volatile uint64_t *kept[BLOCKS], *blocks[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) kept[b] = malloc(4096);
    for (long i = first(thread); i < first(thread + 1); i++) {
        int fresh = picked(i);
        for (int b = 0; b < BLOCKS; b++) {
            blocks[b] = fresh ? malloc(SMALLEST + (size_t)(i * 37 + b * 101) % 3000) : kept[b];
            *blocks[b] = (uint64_t)(i + b);
        }
        for (int b = 0; b < BLOCKS; b++) {
            sum += *blocks[b];
            if (fresh) free((void *)blocks[b]);
        }
        sum += unit(i, STEPS);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    mallopt(M_ARENA_MAX, 1);
    print_answer(in_threads(body));
    return 0;
}
