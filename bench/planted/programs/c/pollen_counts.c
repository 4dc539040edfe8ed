/* False sharing: counts pollen under a microscope. Every field of view is a small picture; its grains are measured and
 * sorted into eight species by size and tint. How often its species came before in the field says where a grain is kept.
 *
 * A thread has its own tally of the species, which it clears for every field. The dial is the share of the fields that
 * are counted in a tally that lies beside that of the other thread, in the same cache line. The others are counted in
 * one that has its lines alone. */
#include "work.h"

enum { GRAINS = 96, SPECIES = 8 };

typedef uint32_t Tally[SPECIES];

struct Apart {
    Tally tally;
    char rest[2 * LINE - sizeof(Tally)];
};

static _Alignas(2 * LINE) Tally beside[MOST_THREADS];
static _Alignas(2 * LINE) struct Apart apart[MOST_THREADS];

static uint64_t count_field(long field, uint32_t *tally) {
    uint32_t state = (uint32_t)field * 2654435761u + 12345;
    uint64_t area = 0;
    for (int s = 0; s < SPECIES; s++) tally[s] = 0;
    for (int grain = 0; grain < GRAINS; grain++) {
        state = state * 1664525u + 1013904223u;
        uint32_t wide = 3 + (state >> 30), tint = state >> 20 & 255, rough = 0;
        for (uint32_t around = 0; around < wide; around++) {
            tint = tint * 29 + around;
            rough += tint & 7;
        }
        area += rough;
        state += ++tally[(rough + wide) & (SPECIES - 1)] * 2246822519u;
    }
    for (int s = 0; s < SPECIES; s++) area += (uint64_t)tally[s] << (4 * s);
    return area * (uint64_t)(field + 1);
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++)
        sum += count_field(i, picked((uint64_t)i) ? beside[thread] : apart[thread].tally);
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
