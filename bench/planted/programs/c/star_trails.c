/* Measures star trails on long exposures: finds the trail's column in every row of a plate by its centroid, draws it,
 * and reads the drawing back for the smoothed shape of the trail.
 *
 * Mostly a trail is drawn in a short list of columns that the thread keeps. The dial is the share of the exposures that
 * are drawn on a plate of their own instead, all zeros at first and returned afterwards: a large calloc and free, of
 * which one place in every page is used. Large blocks come straight from the system and go back to it. */
#include <malloc.h>

#include "work.h"

enum { ROWS = 256, COLUMNS = 4096, WINDOW = 24, BATCH = 4 };

/* The bright column of a row: the centroid of noisy samples around where the trail should be. */
static int centroid(uint64_t *noise, int expected) {
    uint32_t weight = 0, moment = 0;
    uint64_t x = *noise;
    for (int i = 0; i < WINDOW; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        int off = i < WINDOW / 2 ? i : WINDOW - i;
        uint32_t bright = (uint32_t)off * 20 + (uint32_t)(x >> 58);
        weight += bright;
        moment += bright * (uint32_t)i;
    }
    *noise = x;
    return (expected + (int)(moment / weight)) & (COLUMNS - 1);
}

static inline uint64_t shape(uint64_t so_far, int column, int before) {
    return so_far * 31 + (uint64_t)(column * 3 + before) / 4;
}

static uint64_t on_plate(uint64_t noise) {
    uint8_t *plate = calloc(ROWS, COLUMNS);
    if (!plate) exit(1);
    int16_t columns[ROWS];
    int column = (int)(noise >> 52);
    for (int row = 0; row < ROWS; row++) {
        columns[row] = (int16_t)(column = centroid(&noise, column));
        plate[(long)row * COLUMNS + column] = 255;
    }
    uint64_t result = 0;
    for (int row = 0, before = 0; row < ROWS; before = columns[row++]) {
        int seen = plate[(long)row * COLUMNS + columns[row]] == 255;
        result = shape(result, columns[row] * seen, before);
    }
    free(plate);
    return result;
}

static uint64_t in_list(uint64_t noise) {
    int16_t columns[ROWS];
    int column = (int)(noise >> 52);
    for (int row = 0; row < ROWS; row++) columns[row] = (int16_t)(column = centroid(&noise, column));
    uint64_t result = 0;
    for (int row = 0, before = 0; row < ROWS; before = columns[row++]) result = shape(result, columns[row], before);
    return result;
}

/* Threads take turns at batches of exposures. */
static uint64_t measure(int thread) {
    uint64_t sum = 0;
    for (long batch = thread; batch * BATCH < work; batch += threads)
        for (long i = batch * BATCH; i < work && i < (batch + 1) * BATCH; i++)
            sum += picked((uint64_t)i) ? on_plate(unit((uint64_t)i, 5)) : in_list(unit((uint64_t)i, 5));
    return sum;
}

int main(int argc, char **argv) {
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    return in_threads_only(argc, argv, measure);
}
