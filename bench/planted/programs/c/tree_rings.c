/* Imbalance: dates timber. Every core of wood is a series of ring widths, and is matched against a reference by dynamic
 * time warping; an old tree has more rings, and costs the square of them.
 *
 * A thread takes one contiguous range of the shelf, with as many cores as the others. At dial 0 old and young trees
 * alternate on the shelf. The dial is the share of the cores that were shelved by age, the oldest first, in the places
 * that they have. */
#include "work.h"

enum { OLDEST = 420, YOUNGEST = 24, REFERENCE = OLDEST };

struct Core {
    int number, rings;
};

static struct Core *shelf;
static uint16_t reference[REFERENCE];

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 12;
}

/* The cost of the best warping of a core onto the reference's first rings, within a band. */
static uint32_t warp(const uint16_t *core, int rings) {
    uint32_t above[OLDEST + 1], here[OLDEST + 1];
    for (int j = 0; j <= rings; j++) above[j] = j == 0 ? 0 : 1u << 28;
    for (int i = 1; i <= rings; i++) {
        here[0] = 1u << 28;
        for (int j = 1; j <= rings; j++) {
            int apart = (int)core[i - 1] - (int)reference[j - 1];
            uint32_t best = above[j] < above[j - 1] ? above[j] : above[j - 1];
            if (here[j - 1] < best) best = here[j - 1];
            here[j] = best + (uint32_t)(apart < 0 ? -apart : apart);
        }
        for (int j = 0; j <= rings; j++) above[j] = here[j];
    }
    return above[rings];
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long place = first(thread); place < first(thread + 1); place++) {
        struct Core core = shelf[place];
        uint16_t widths[OLDEST];
        uint32_t seed = (uint32_t)core.number * 2654435761u + 17;
        for (int i = 0; i < core.rings; i++) widths[i] = (uint16_t)(reference[i] + next(&seed) % 60);
        sum += (uint64_t)warp(widths, core.rings) * (uint64_t)(core.number + 1);
    }
    return sum;
}

static int older(const void *a, const void *b) {
    const struct Core *left = a, *right = b;
    return left->rings != right->rings ? right->rings - left->rings : left->number - right->number;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint32_t seed = 7;
    for (int i = 0; i < REFERENCE; i++) reference[i] = (uint16_t)(100 + next(&seed) % 400);
    shelf = calloc((size_t)work, sizeof *shelf);
    struct Core *sorted = calloc((size_t)work, sizeof *sorted);
    if (!shelf || !sorted) return 1;
    long many = 0;
    for (long i = 0; i < work; i++) {
        double age = (double)i * 0.6180339887498949;
        age -= (double)(long)age;
        shelf[i] = (struct Core){.number = (int)i, .rings = YOUNGEST + (int)(age * (OLDEST - YOUNGEST))};
        if (picked((uint64_t)i)) sorted[many++] = shelf[i];
    }
    qsort(sorted, (size_t)many, sizeof *sorted, older);
    for (long i = 0, taken = 0; i < work; i++)
        if (picked((uint64_t)i)) shelf[i] = sorted[taken++];
    print_answer(in_threads(body));
    free(sorted);
    free(shelf);
    return 0;
}
