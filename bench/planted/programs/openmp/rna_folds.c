/* Imbalance: finds the most base pairs that each of many short RNA strands can form (Nussinov's recursion).
 *
 * The strands come in a few batches, and each batch is one loop with schedule(static). Folding takes the cube of a
 * strand's length. At dial 0 long and short strands are well mixed in a batch. The dial is the share of the strands that
 * are filed by length instead, so that the last thread is given most of the long ones. */
#include "../c/work.h"
#include <omp.h>

enum { BATCHES = 6, SHORTEST = 30, LONGEST = 130, HAIRPIN = 3 };

struct Filed {
    double place;
    long strand;
};

static int by_place(const void *a, const void *b) {
    const struct Filed *one = a, *other = b;
    if (one->place != other->place) return one->place < other->place ? -1 : 1;
    return (one->strand > other->strand) - (one->strand < other->strand);
}

/* Bases are 0 to 3 for A, C, G, U. A pairs with U, C with G, and G with U. */
static const uint8_t pairs[4][4] = {{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 1}, {1, 0, 1, 0}};

static void transcribe(uint64_t seed, int length, uint8_t *bases) {
    uint64_t x = (seed + 1) * 0x9E3779B97F4A7C15u;
    for (int i = 0; i < length; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        bases[i] = x >> 61 & 3;
    }
}

static unsigned fold(const uint8_t *bases, int length) {
    /* best[i][j] counts the pairs within bases i to j; mirrored holds the same by column, to walk along rows only. */
    static _Thread_local uint16_t best[LONGEST + 1][LONGEST + 1], mirrored[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i < length; i++)
        for (int j = i; j < length && j <= i + HAIRPIN; j++) best[i][j] = mirrored[j][i] = 0;
    for (int i = length - 1; i >= 0; i--) {
        for (int j = i + HAIRPIN + 1; j < length; j++) {
            unsigned most = best[i + 1][j];
            if (pairs[bases[i]][bases[j]]) {
                unsigned closed = best[i + 1][j - 1] + 1u;
                if (closed > most) most = closed;
            }
            for (int k = i; k < j; k++) {
                unsigned split = (unsigned)best[i][k] + mirrored[j][k + 1];
                if (split > most) most = split;
            }
            best[i][j] = mirrored[j][i] = (uint16_t)most;
        }
    }
    return best[0][length - 1];
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    omp_set_num_threads(threads);
    uint64_t answer = 0;
    struct Filed *files = malloc((size_t)(work / BATCHES + 1) * sizeof *files);
    if (!files) return 1;
    for (long batch = 0; batch < BATCHES; batch++) {
        long begin = work * batch / BATCHES, count = work * (batch + 1) / BATCHES - begin;
        for (long s = 0; s < count; s++) {
            double mixed = (double)s * 0.6180339887498949;
            files[s].strand = s;
            files[s].place = picked((uint64_t)(begin + s)) ? (double)s / (double)count : mixed - (double)(long)mixed;
        }
        qsort(files, (size_t)count, sizeof *files, by_place);
#pragma omp parallel for schedule(static) reduction(+ : answer)
        for (long row = 0; row < count; row++) {
            long strand = files[row].strand;
            int length = SHORTEST + (int)((LONGEST - SHORTEST) * strand / count);
            uint8_t bases[LONGEST];
            transcribe((uint64_t)(begin + strand), length, bases);
            answer += (uint64_t)fold(bases, length) * (uint64_t)(2 * strand + 1);
        }
    }
    free(files);
    print_answer(answer);
}
