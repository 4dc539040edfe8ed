/* Page faults: blurs the tiles of an image, each by way of a table of sums in scratch memory.
 *
 * The dial is the share of the tiles whose scratch memory comes from malloc and goes back after the tile, as in a
 * filter that is called tile by tile; all others use what the thread keeps. The table is larger than malloc's limit for
 * mmap, which is set so that it stays where it is by default at first, so each free unmaps the pages and the next
 * malloc faults them in again, 33 of them. Nothing else is allocated, and threads share no data. */
#include <malloc.h>

#include "work.h"

enum { SIDE = 128, RADIUS = 3, LIMIT = 128 << 10, BYTES = 8 * (SIDE + 1) * SIDE };

/* Fill the table: how much the pixels above and to the left add up to. */
static void add_up(uint64_t (*sums)[SIDE], long tile) {
    for (int x = 0; x < SIDE; x++) sums[0][x] = 0;
    for (int y = 0; y < SIDE; y++) {
        uint64_t row = 0, pixel = (uint64_t)tile * 31 + (uint64_t)y;
        for (int x = 0; x < SIDE; x++) {
            pixel = pixel * 1103515245 + 12345;
            row += pixel >> 16 & 255;
            sums[y + 1][x] = sums[y][x] + row;
        }
    }
}

/* The mean around each pixel that is far enough from the edge, added up with weights. */
static uint64_t blur(uint64_t (*sums)[SIDE]) {
    uint64_t all = 0;
    for (int y = RADIUS; y < SIDE - RADIUS; y++) {
        for (int x = RADIUS + 1; x < SIDE - RADIUS; x++) {
            uint64_t *below = sums[y + RADIUS + 1], *above = sums[y - RADIUS];
            uint64_t mean = (below[x + RADIUS] - below[x - RADIUS - 1] - above[x + RADIUS] + above[x - RADIUS - 1]) / 49;
            all += mean * (uint64_t)(x ^ y);
        }
    }
    return all;
}

static void *scratch(void) {
    void *memory = malloc(BYTES);
    if (memory == 0) exit(1);
    return memory;
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    void *kept = scratch();
    for (long tile = first(thread); tile < first(thread + 1); tile++) {
        void *memory = picked(tile) ? scratch() : kept;
        add_up(memory, tile);
        sum += blur(memory);
        if (memory != kept) free(memory);
    }
    free(kept);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    mallopt(M_MMAP_THRESHOLD, LIMIT);
    print_answer(in_threads(body));
    return 0;
}
