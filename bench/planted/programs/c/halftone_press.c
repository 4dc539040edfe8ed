/* Prepares a page for a printing press: turns grey rows into dots by error diffusion, where each row needs the errors of
 * the row above. Rows are dealt out in turn, and a thread follows the row above by reading, in a loop without a pause,
 * the column its neighbour has announced.
 *
 * At dial 0 a row is announced in eight short stretches, so the rows overlap well. With dial d the first stretch is
 * (1 + d) / 2 of the row: the neighbour spins until it comes, although the columns it needs were done long before. The
 * arithmetic is the same, and one thread never finds a row above that is not finished. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, SPOTS = 300, MOST_PRESSES = 64 };

typedef struct {
    _Alignas(128) atomic_long columns; /* all columns that this roller has finished, over all its rows */
} Announced;

typedef struct {
    pthread_t id;
    long which;
    uint64_t dots;
} Roller;

static Announced announced[MOST_PRESSES];
static int16_t (*errors)[WIDTH + 32];
static long rollers, rows, stretch;

/* The grey of a cell of the screen: what is left after its spots, one after the other, have taken their part of it. */
static inline int32_t grey(long row, long column) {
    uint32_t x = (uint32_t)row * 2654435761u ^ (uint32_t)column * 40503u;
    for (uint32_t spot = 0; spot < SPOTS; spot++) x = (x ^ x >> 15) * (0x2c1b3c6du + 2 * spot);
    return (int32_t)(x >> 20);
}

/* Dots of the columns [from, to) of a row; leaves what each column was printed too dark or too light. */
static uint64_t print_stretch(long row, const int16_t *above, int16_t *mine, long from, long to) {
    uint64_t dots = 0;
    int32_t carried = from ? mine[from + 1] : 0;
    for (long x = from; x < to; x++) {
        int32_t tone = grey(row, x) + (7 * carried + 5 * above[x + 2] + 3 * above[x + 1] + above[x]) / 16;
        int32_t level = tone > 2048 ? 4095 : 0;
        carried = tone - level;
        mine[x + 2] = (int16_t)carried;
        dots += (uint64_t)(level & 1) * (uint64_t)((x & 3) + 1);
    }
    return dots;
}

static void *roll(void *given) {
    Roller *me = given;
    long done = 0;
    for (long row = me->which; row < rows; row += rollers) {
        const int16_t *above = errors[row % (rollers + 2)];
        int16_t *mine = errors[(row + 1) % (rollers + 2)];
        long start = row ? (row - 1) / rollers * WIDTH : 0;
        atomic_long *leader = &announced[(row + rollers - 1) % rollers].columns;
        for (long from = 0; from < WIDTH; from += stretch) {
            long to = from + stretch < WIDTH ? from + stretch : WIDTH;
            if (row)
                while (atomic_load_explicit(leader, memory_order_acquire) < start + to) {
                }
            me->dots += print_stretch(row, above, mine, from, to);
            atomic_store_explicit(&announced[me->which].columns, done + to, memory_order_release);
        }
        done += WIDTH;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    rollers = atol(argv[1]);
    double dial = atof(argv[2]);
    rows = atol(argv[3]);
    stretch = dial > 0 ? (long)(WIDTH * (1 + dial) / 2) : WIDTH / 8;
    if (stretch > WIDTH) stretch = WIDTH;
    errors = aligned_alloc(64, ((size_t)rollers + 2) * sizeof *errors);
    Roller all[MOST_PRESSES] = {0};
    if (!errors || rollers > MOST_PRESSES) return 1;
    memset(errors, 0, ((size_t)rollers + 2) * sizeof *errors);
    for (long r = 0; r < rollers; r++) {
        all[r].which = r;
        if (pthread_create(&all[r].id, 0, roll, &all[r])) return 1;
    }
    uint64_t dots = 0;
    for (long r = 0; r < rollers; r++) {
        pthread_join(all[r].id, 0);
        dots += all[r].dots;
    }
    printf("%llu dots\n", (unsigned long long)dots);
    free(errors);
    return 0;
}
