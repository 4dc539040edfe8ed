/* RNA folding: the most base pairs that each of many short strands can form without crossing (Nussinov's table).
 *
 * Strands have 30 to 120 bases, and time grows with the cube of that. Every thread folds one contiguous range of the
 * catalogue, with as many strands as the others. The dial is the share of the catalogue that is sorted by length, the
 * longest first; at 0 lengths are mixed, and the ranges cost the same. */
#include "work.h"
#include <string.h>

enum { SHORTEST = 30, LONGEST = 120 };

struct strand {
    int number, length;
};

static struct strand *catalogue;

static uint32_t next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static int longer_first(const void *left, const void *right) {
    const struct strand *a = left, *b = right;
    if (a->length != b->length) return b->length - a->length;
    return a->number - b->number;
}

static void make_catalogue(void) {
    uint32_t state = 77031;
    catalogue = malloc(work * sizeof *catalogue);
    struct strand *sorted = malloc(work * sizeof *sorted);
    long count = 0;
    /* Lengths follow in a fixed stride, so that any stretch of the catalogue has its share of every length. */
    for (long i = 0; i < work; i++)
        catalogue[i] = (struct strand){(int)i, SHORTEST + (int)((i * 37 + next(&state) % 5) % (LONGEST - SHORTEST + 1))};
    for (long i = 0; i < work; i++)
        if (picked(i)) sorted[count++] = catalogue[i];
    qsort(sorted, count, sizeof *sorted, longer_first);
    count = 0;
    for (long i = 0; i < work; i++)
        if (picked(i)) catalogue[i] = sorted[count++];
    free(sorted);
}

static int pairs(int a, int b) { return a + b == 3 || (a + b == 5 && a * b == 6); }

/* Most pairs within bases i..j, for all i and j. The lower half of the table mirrors the upper half, so that the inner
 * loop runs along two rows. */
static int fold(struct strand strand, uint8_t (*most)[LONGEST + 1]) {
    int base[LONGEST];
    uint32_t state = 2463534242u + 7919u * (uint32_t)strand.number;
    int n = strand.length;
    for (int i = 0; i < n; i++) base[i] = next(&state) >> 7 & 3;
    for (int i = 0; i < n; i++) memset(most[i], 0, n + 1);
    for (int span = 4; span < n; span++) {
        for (int i = 0; i + span < n; i++) {
            int j = i + span;
            int best = most[i + 1][j];
            if (most[i][j - 1] > best) best = most[i][j - 1];
            int closed = most[i + 1][j - 1] + pairs(base[i], base[j]);
            if (closed > best) best = closed;
            for (int k = i + 4; k < j - 4; k++) {
                int parts = most[i][k] + most[j][k + 1];
                if (parts > best) best = parts;
            }
            most[i][j] = most[j][i] = (uint8_t)best;
        }
    }
    return most[0][n - 1];
}

static uint64_t fold_range(int thread) {
    uint8_t most[LONGEST][LONGEST + 1];
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++)
        sum += (uint64_t)fold(catalogue[i], most) * (0x9E3779B97F4A7C15u + (uint64_t)catalogue[i].number);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    make_catalogue();
    print_answer(in_threads(fold_range));
    free(catalogue);
    return 0;
}
