/* Map making: shades a relief under sixteen suns, strip by strip; each sun is added into the picture in place, and each
 * thread keeps its counts of lit and dark points in a table that all threads share, two entries on one cache line.
 *
 * The dial is the share of the strips whose tiles are dealt to the threads in turn, so that they store into neighbouring
 * tiles all the time, instead of in one piece for each thread.
 *
 * A decoy: it looks like false sharing and scales well at every dial. Tiles are whole pairs of cache lines, so that no
 * two threads store to one line of the picture, and the table is written once a tile, which takes some 60 us. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 1024, HIGH = 64, TILE = 128, TALL = 4, SUNS = 16, REACH = 6, MOST = 64 };

struct Counts {
    uint64_t lit, dark, digest;
};

static uint8_t ground[HIGH][WIDE];
static uint8_t *picture;
static struct Counts counts[MOST];
static const int8_t suns[SUNS][2] = {{1, 0},  {2, 1},  {1, 1},  {1, 2},  {0, 1},  {-1, 2},  {-1, 1}, {-2, 1},
                                     {-1, 0}, {-2, -1}, {-1, -1}, {-1, -2}, {0, -1}, {1, -2}, {1, -1}, {2, -1}};
static int threads;
static double dial;
static long strips;

static void raise_ground(void) {
    uint32_t x = 2463534242u;
    int rest[WIDE] = {0};
    for (int i = 0; i < HIGH; i++) {
        int level = 100;
        for (int j = 0; j < WIDE; j++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            level += (int)(x >> 28) - 7 + (100 - level) / 16;
            rest[j] += (level - rest[j]) / 2;
            ground[i][j] = (uint8_t)(rest[j] < 0 ? 0 : rest[j] > 255 ? 255 : rest[j]);
        }
    }
}

static int dealt_in_turn(long strip) {
    uint64_t x = (uint64_t)(strip + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return (double)((x ^ x >> 32) >> 11) * 0x1p-53 < dial;
}

/* Add the light of one sun: a point is dark where the ground towards the sun is higher than the ray. */
static void shine(uint8_t *row, int y, int from, const int8_t sun[2], int strength) {
    for (int k = 0; k < TILE; k++) {
        int x = from + k;
        int here = ground[y][x];
        int dark = 0;
        for (int r = 1; r <= REACH; r++) {
            int other = ground[(y + r * sun[1]) & (HIGH - 1)][(x + r * sun[0]) & (WIDE - 1)];
            dark |= other > here + 3 * r;
        }
        row[x] = (uint8_t)(row[x] + (dark ? 0 : strength));
    }
}

static void draw_tile(long strip, int tile, struct Counts *mine) {
    uint64_t lit = 0, digest = 0;
    for (int i = 0; i < TALL; i++) {
        long line = strip * TALL + i;
        uint8_t *row = picture + line * WIDE;
        int y = (int)(line * 29 & (HIGH - 1));
        for (int s = 0; s < SUNS; s++) shine(row, y, tile * TILE, suns[s], 3 + (int)((strip + s) & 7));
        for (int k = 0; k < TILE; k++) {
            uint8_t light = row[tile * TILE + k];
            lit += light > 60;
            digest += (uint64_t)light * (uint64_t)(line * WIDE + tile * TILE + k + 1);
        }
    }
    mine->lit += lit;
    mine->dark += (uint64_t)TILE * TALL - lit;
    mine->digest += digest;
}

static void *engraver(void *given) {
    struct Counts *mine = given;
    int me = (int)(mine - counts);
    int tiles = WIDE / TILE;
    for (long strip = 0; strip < strips; strip++) {
        if (dealt_in_turn(strip)) {
            for (int tile = (int)((me + strip) % threads); tile < tiles; tile += threads) draw_tile(strip, tile, mine);
        } else {
            int place = (int)((me + strip) % threads);
            int end = tiles * (place + 1) / threads;
            for (int tile = tiles * place / threads; tile < end; tile++) draw_tile(strip, tile, mine);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    strips = atol(argv[3]);
    if (threads < 1 || threads > MOST || strips < 1) return 2;
    raise_ground();
    size_t size = (size_t)strips * TALL * WIDE;
    picture = aligned_alloc(4096, size);
    if (picture == 0) return 1;
    memset(picture, 0, size);
    pthread_t ids[MOST];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, engraver, &counts[t]) != 0) return 1;
    struct Counts all = {0, 0, 0};
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], 0);
        all.lit += counts[t].lit;
        all.dark += counts[t].dark;
        all.digest += counts[t].digest;
    }
    free(picture);
    printf("%llu lit, %llu dark, %016llx\n", (unsigned long long)all.lit, (unsigned long long)all.dark,
           (unsigned long long)all.digest);
    return 0;
}
