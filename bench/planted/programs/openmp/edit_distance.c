/* Imbalance: computes the edit distances of pairs of words, in one OpenMP loop with a static schedule.
 *
 * A distance takes time as the square of the length. The dial is the share of the pairs that stand in the order of their
 * lengths, longest first, as in a dictionary that somebody has sorted; all others stand in random order. The pairs are
 * the same at every dial. No pair is shared and no lock taken; threads that got the short words wait at the end. */
#include <omp.h>

#include "../c/work.h"

enum { SHORTEST = 40, LONGEST = 200 };

static int length_of(long pair) { return SHORTEST + (int)(unit((uint64_t)pair, 4) >> 33) % (LONGEST - SHORTEST); }

static int longer_first(const void *left, const void *right) {
    long a = *(const long *)left, b = *(const long *)right;
    int difference = length_of(b) - length_of(a);
    return difference != 0 ? difference : (a > b) - (a < b);
}

/* Sort the picked pairs among the places that they have. */
static void sort_picked(long *pairs) {
    long count = 0, *sorted = malloc((size_t)work * sizeof *sorted);
    for (long i = 0; i < work; i++) {
        if (picked(i)) sorted[count++] = i;
    }
    qsort(sorted, (size_t)count, sizeof *sorted, longer_first);
    count = 0;
    for (long i = 0; i < work; i++) pairs[i] = picked(i) ? sorted[count++] : i;
    free(sorted);
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Levenshtein's distance of the two words of a pair, with one row of the table. */
static uint64_t distance(long pair) {
    unsigned char from[LONGEST], to[LONGEST];
    int row[LONGEST + 1], length = length_of(pair);
    for (int i = 0; i < length; i++) {
        from[i] = "etaoinsh"[unit((uint64_t)(pair * LONGEST + i), 1) >> 61];
        to[i] = i % 5 == 0 ? 'x' : from[i];
    }
    for (int j = 0; j <= length; j++) row[j] = j;
    for (int i = 0; i < length; i++) {
        int diagonal = row[0], left = row[0] = i + 1;
        for (int j = 0; j < length; j++) {
            int changed = diagonal + (from[i] != to[j]);
            diagonal = row[j + 1];
            left = row[j + 1] = smaller(changed, smaller(diagonal, left) + 1);
        }
    }
    return (uint64_t)row[length];
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    long *pairs = malloc((size_t)work * sizeof *pairs);
    sort_picked(pairs);
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(threads)
    for (long i = 0; i < work; i++) sum += distance(pairs[i]) * (uint64_t)(pairs[i] % 97 + 1);
    print_answer(sum);
    return 0;
}
