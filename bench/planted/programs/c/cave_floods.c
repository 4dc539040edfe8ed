/* Cave floods: how far water gets from a spring in many small random caves, by breadth-first search.
 *
 * A search notes the distance of every cell it has reached in a table of the whole cave, most of which it never sees. A
 * thread has one table that it cleans up after a search. The dial is the share of the searches for which a fresh table
 * of zeros is allocated and then freed: such a big block comes from the system and goes back to it, so that every page
 * that the water reaches has to be put in its place by the kernel again. */
#include "work.h"

#include <malloc.h>

enum { SIDE = 416, REACHED = 560 };

static int rock(uint32_t cave, uint32_t cell) {
    uint32_t x = (cell ^ cave) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return (x ^ x >> 16) % 100 < 30;
}

static uint32_t *dry_cave(void) {
    uint32_t *table = calloc(SIDE * SIDE, sizeof *table);
    if (!table) exit(1);
    return table;
}

/* Cells are reached in order; `wet` lists them, `table` has their distances plus one. Returns how many there are. */
static int flood(uint32_t *table, uint32_t *wet, uint32_t cave) {
    static const int step[4] = {1, -1, SIDE, -SIDE};
    uint32_t spring = SIDE / 2 * SIDE + SIDE / 2;
    int reached = 1;
    wet[0] = spring;
    table[spring] = 1;
    for (int next = 0; next < reached; next++) {
        uint32_t here = wet[next];
        for (int k = 0; k < 4 && reached < REACHED; k++) {
            uint32_t there = here + step[k];
            if (table[there] || rock(cave, there)) continue;
            table[there] = table[here] + 1;
            wet[reached++] = there;
        }
    }
    return reached;
}

static uint64_t surveyed(uint32_t *table, const uint32_t *wet, int reached) {
    uint64_t far = 0;
    for (int i = 0; i < reached; i++) far = far * 5 + table[wet[i]];
    return far >> 8;
}

static uint64_t survey(int thread) {
    uint32_t *kept = dry_cave(), wet[REACHED];
    uint64_t sum = 0;
    for (long cave = first(thread); cave < first(thread + 1); cave++) {
        uint32_t seed = (uint32_t)unit(cave, 2);
        if (picked(cave)) {
            uint32_t *fresh = dry_cave();
            int reached = flood(fresh, wet, seed);
            sum += surveyed(fresh, wet, reached);
            free(fresh);
        } else {
            int reached = flood(kept, wet, seed);
            sum += surveyed(kept, wet, reached);
            for (int i = 0; i < reached; i++) kept[wet[i]] = 0;
        }
    }
    free(kept);
    return sum;
}

int main(int argc, char **argv) {
    /* The usual limit, but fixed: big blocks are returned at once however many of them there have been. */
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    return in_threads_only(argc, argv, survey);
}
