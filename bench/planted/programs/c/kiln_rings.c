/* Instruction growth: how heat spreads through the ceramic rings of a kiln.
 *
 * A ring is a grid of cells that closes on itself; in every sweep, a cell takes a mean of itself and its neighbours.
 * A thread computes a ring on its own, from its firing to its last sweep; or else a ring is cut into one arc a thread.
 * An arc's thread waits for nobody: it begins with a margin on both sides, which is one row narrower after each sweep.
 * So both neighbours compute the rows at a border. The dial is the share of the rings that are cut: the more threads,
 * the more borders, the more steps for the same answer. One thread has one arc, and no border. */
#include "work.h"

enum { ROWS = 72, COLUMNS = 96, SWEEPS = 18 };

typedef uint32_t Row[COLUMNS];

/* The temperature at the firing. */
static void fire(uint32_t *row, long ring, int number) {
    uint32_t x = (uint32_t)ring * 2654435761u ^ (uint32_t)number * 0x85EBCA6Bu;
    for (int c = 0; c < COLUMNS; c++) {
        uint32_t y = (x + c) * 0xC2B2AE35u;
        row[c] = (y ^ y >> 15) & 0xFFFFF;
    }
}

/* One sweep of a row. The flame goes around along the row, so a cell feels the new heat of the cell before it. */
static void mean(uint32_t *into, const uint32_t *above, const uint32_t *row, const uint32_t *below) {
    uint32_t before = row[0];
    for (int c = 0; c < COLUMNS; c++) into[c] = before = (before * 5 + row[c] + above[c] + below[c]) >> 3;
}

static uint64_t weighed(const uint32_t *row, int number) {
    uint64_t sum = 0;
    for (int c = 0; c < COLUMNS; c++) sum += (uint64_t)row[c] * (c + 1);
    return sum * (2 * number + 1);
}

/* The ring without any border: rows wrap around. */
static uint64_t whole(long ring) {
    Row grids[2][ROWS];
    for (int r = 0; r < ROWS; r++) fire(grids[0][r], ring, r);
    for (int s = 0; s < SWEEPS; s++) {
        Row *old = grids[s % 2], *new = grids[(s + 1) % 2];
        mean(new[0], old[ROWS - 1], old[0], old[1]);
        for (int r = 1; r < ROWS - 1; r++) mean(new[r], old[r - 1], old[r], old[r + 1]);
        mean(new[ROWS - 1], old[ROWS - 2], old[ROWS - 1], old[0]);
    }
    uint64_t sum = 0;
    for (int r = 0; r < ROWS; r++) sum += weighed(grids[SWEEPS % 2][r], r);
    return sum;
}

/* The rows from `from` to `to`, with margins. */
static uint64_t arc(long ring, int from, int to) {
    Row grids[2][ROWS + 2 * SWEEPS];
    int tall = to - from + 2 * SWEEPS;
    for (int r = 0; r < tall; r++) fire(grids[0][r], ring, (from - SWEEPS + r + ROWS) % ROWS);
    for (int s = 0; s < SWEEPS; s++) {
        Row *old = grids[s % 2], *new = grids[(s + 1) % 2];
        for (int r = s + 1; r < tall - s - 1; r++) mean(new[r], old[r - 1], old[r], old[r + 1]);
    }
    uint64_t sum = 0;
    for (int r = from; r < to; r++) sum += weighed(grids[SWEEPS % 2][SWEEPS + r - from], r);
    return sum;
}

static uint64_t potter(int thread) {
    uint64_t sum = 0;
    long alone = 0;
    for (long ring = 0; ring < work; ring++) {
        if (threads > 1 && picked(ring))
            sum += arc(ring, ROWS * thread / threads, ROWS * (thread + 1) / threads);
        else if (alone++ % threads == thread)
            sum += whole(ring);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint64_t heat = in_threads(potter);
    printf("heat %016lx\n", heat);
    return 0;
}
