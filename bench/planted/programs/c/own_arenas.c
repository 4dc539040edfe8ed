/* Decoy for the allocator: allocates and frees 32 blocks in each unit, with malloc's usual arenas.
 *
 * There is no dial. Each thread allocates from an arena of its own and frees there, so no thread waits: the program is
 * clean. */
#include "work.h"

enum { STEPS = 4000, BLOCKS = 32, SMALLEST = 1100 };

static uint64_t body(int thread) {
    uint64_t sum = 0;
    volatile uint64_t *blocks[BLOCKS];
    for (long i = first(thread); i < first(thread + 1); i++) {
        for (int b = 0; b < BLOCKS; b++) {
            blocks[b] = malloc(SMALLEST + (size_t)(i * 37 + b * 101) % 3000);
            *blocks[b] = (uint64_t)(i + b);
        }
        for (int b = 0; b < BLOCKS; b++) {
            sum += *blocks[b];
            free((void *)blocks[b]);
        }
        sum += unit(i, STEPS);
    }
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
