/* Packs the pictures of a film: every row of blocks is predicted from the picture before, transformed, and its numbers
 * are written by an adaptive arithmetic coder that begins anew with the row.
 *
 * Rows are divided among OpenMP's threads. The dial is the share of a picture's rows, at its bottom, whose numbers are
 * not coded in the loop: main codes them after it, one row after the other, as a format wants it that has one stream for
 * the lower part of the picture. A row costs the same in either place. Meanwhile the rest of the team has nothing to do,
 * so this is a serial part. */
#include "../c/work.h"

enum { ROWS = 96, COLUMNS = 40, SIDE = 8, AREA = SIDE * SIDE, NUMBERS = COLUMNS * AREA };

typedef int32_t Block[AREA];

static int16_t numbers[ROWS][NUMBERS];

/* Sums and differences of all pairs, in three stages, for eight values that are `stride` apart. */
static void transform(int32_t *values, int stride) {
    for (int apart = 1; apart < SIDE; apart *= 2)
        for (int i = 0; i < SIDE; i++)
            if (!(i & apart)) {
                int32_t a = values[i * stride], b = values[(i + apart) * stride];
                values[i * stride] = a + b;
                values[(i + apart) * stride] = a - b;
            }
}

/* What differs from the picture before, after the transform and rounded. */
static void predict_row(long picture, int row) {
    for (int column = 0; column < COLUMNS; column++) {
        uint64_t place = ((uint64_t)picture * ROWS + (uint64_t)row) * COLUMNS + (uint64_t)column;
        uint64_t grain = unit(place, 2);
        Block block;
        for (int i = 0; i < AREA; i++) {
            grain = grain * 6364136223846793005u + 1442695040888963407u;
            block[i] = (int32_t)(grain >> 59) + (i / SIDE) * (int32_t)(place % 5) + i % SIDE;
        }
        for (int line = 0; line < SIDE; line++) transform(&block[line * SIDE], 1);
        for (int line = 0; line < SIDE; line++) transform(&block[line], SIDE);
        for (int i = 0; i < AREA; i++) numbers[row][column * AREA + i] = (int16_t)(block[i] / (12 + i));
    }
}

/* A binary arithmetic coder as LZMA has it; of the bytes only a digest is kept. */
struct Coder {
    uint32_t low, range;
    uint64_t digest;
    uint16_t chances[4][32];
};

static void code_bit(struct Coder *coder, uint16_t *chance, int bit) {
    uint32_t bound = (coder->range >> 11) * *chance;
    if (bit) {
        coder->low += bound;
        coder->range -= bound;
        *chance -= *chance >> 5;
    } else {
        coder->range = bound;
        *chance += (2048 - *chance) >> 5;
    }
    while (coder->range < 1u << 24) {
        coder->digest = (coder->digest ^ coder->low >> 24) * 0x100000001B3u;
        coder->low <<= 8;
        coder->range <<= 8;
    }
}

/* A number is a row of ones as long as it is large, and a sign. */
static uint64_t code_row(int row) {
    struct Coder coder = {.range = UINT32_MAX, .digest = 0xCBF29CE484222325u};
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < 32; i++) coder.chances[kind][i] = 1024;
    int kind = 0;
    for (int i = 0; i < NUMBERS; i++) {
        int number = numbers[row][i], size = abs(number), ones = size < 30 ? size : 30;
        for (int one = 0; one < ones; one++) code_bit(&coder, &coder.chances[kind][one], 1);
        code_bit(&coder, &coder.chances[kind][ones], 0);
        if (size) code_bit(&coder, &coder.chances[kind][31], number < 0);
        kind = size < 3 ? size : 3;
    }
    return coder.digest ^ coder.low;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    int shared = ROWS - (int)(dial * ROWS + 0.5);
    uint64_t sum = 0;
    for (long picture = 0; picture < work; picture++) {
#pragma omp parallel for schedule(static, 1) reduction(+ : sum) num_threads(threads)
        for (int row = 0; row < ROWS; row++) {
            predict_row(picture, row);
            if (row < shared) sum += code_row(row) * (uint64_t)(row + 1);
        }
        for (int row = shared; row < ROWS; row++) sum += code_row(row) * (uint64_t)(row + 1);
    }
    print_answer(sum);
    return 0;
}
