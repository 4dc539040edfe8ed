/* Shades relief maps: for every tile of heights it computes light and shadow, and counts the contour lines in it. Each
 * thread keeps its tiles in a file of its own (unlinked as soon as it is open), which it writes when it starts.
 *
 * The dial is the share of the tiles that are read back from the file, row by row, in many small preads; the
 * others are taken from memory. A decoy: there are as many reads as in a program that waits for its disk, but the pages
 * are in the cache and no two threads use one file, so nobody ever waits and it scales at every dial. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 64, CELLS = SIDE * SIDE, KEPT = 24, ROWS = 1, MOST_THREADS = 64 };

typedef uint16_t tile[SIDE][SIDE];

struct sheet { /* one thread's part of the map */
    pthread_t id;
    long begin, end;
    double dial;
    uint64_t light, contours;
};

static uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Slopes by midpoints, so that neighbours are alike. */
static void raise_land(tile land, uint32_t seed) {
    uint32_t corner[9][9];
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++) corner[y][x] = mixed(seed * 81 + (uint32_t)(y * 9 + x)) % 3000;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            uint32_t u = x % 8, v = y % 8;
            uint32_t *a = &corner[y / 8][x / 8], *b = &corner[y / 8 + 1][x / 8];
            land[y][x] = (uint16_t)(((a[0] * (8 - u) + a[1] * u) * (8 - v) + (b[0] * (8 - u) + b[1] * u) * v) / 64);
        }
}

static int open_store(void) {
    const char *folder = getenv("TMPDIR");
    char name[4096];
    snprintf(name, sizeof name, "%s/hill_shades.XXXXXX", folder != 0 && *folder != 0 ? folder : "/tmp");
    int file = mkstemp(name);
    if (file < 0) fail(name);
    unlink(name);
    return file;
}

static void fetch(int file, tile land, int kept) {
    for (int y = 0; y < SIDE; y += ROWS) {
        size_t bytes = ROWS * sizeof land[0];
        off_t place = (off_t)kept * (off_t)sizeof(tile) + y * (off_t)sizeof land[0];
        if (pread(file, land[y], bytes, place) != (ssize_t)bytes) fail("pread");
    }
}

static uint64_t shade(const tile land, int sun) {
    uint64_t light = 0;
    for (int y = 1; y < SIDE - 1; y++) {
        int shadow = 0;
        for (int x = 1; x < SIDE - 1; x++) {
            int east = land[y][x + 1] - land[y][x - 1], south = land[y + 1][x] - land[y - 1][x];
            int steep = (east * (8 - sun) + south * sun) / 4 + 256;
            shadow = land[y][x] > shadow ? land[y][x] : shadow - 9 - sun;
            int lit = shadow > land[y][x] + 40 ? steep / 3 : steep;
            light += (uint64_t)(lit < 0 ? 0 : lit > 511 ? 511 : lit);
        }
    }
    return light;
}

static uint64_t count_contours(const tile land, int step) {
    uint64_t lines = 0;
    for (int y = 0; y < SIDE - 1; y++)
        for (int x = 0; x < SIDE - 1; x++) {
            int here = land[y][x] / step;
            lines += here != land[y][x + 1] / step;
            lines += here != land[y + 1][x] / step;
        }
    return lines;
}

static void *draw(void *given) {
    struct sheet *sheet = given;
    struct sheet mine = *sheet;
    tile *kept = malloc(KEPT * sizeof(tile));
    tile *table = malloc(sizeof(tile));
    if (kept == 0 || table == 0) fail("malloc");
    for (int k = 0; k < KEPT; k++) raise_land(kept[k], (uint32_t)k);
    int file = open_store();
    for (int k = 0; k < KEPT; k++)
        if (write(file, kept[k], sizeof(tile)) != (ssize_t)sizeof(tile)) fail("write");
    for (long number = mine.begin; number < mine.end; number++) {
        int k = (int)(mixed((uint32_t)number) % KEPT);
        if (mixed((uint32_t)number + 0x51ed27u) < mine.dial * 4294967295.0)
            fetch(file, *table, k);
        else
            memcpy(*table, kept[k], sizeof(tile));
        int sun = (int)(number % 7);
        mine.light += shade(*table, sun);
        mine.contours += count_contours(*table, 25 + sun);
    }
    close(file);
    free(kept);
    free(table);
    sheet->light = mine.light;
    sheet->contours = mine.contours;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long tiles = atol(argv[3]);
    if (threads < 1 || threads > MOST_THREADS) return 2;
    struct sheet sheets[MOST_THREADS];
    for (int t = 0; t < threads; t++) {
        sheets[t] = (struct sheet){.begin = tiles * t / threads, .end = tiles * (t + 1) / threads, .dial = dial};
        if (pthread_create(&sheets[t].id, 0, draw, &sheets[t]) != 0) return 1;
    }
    uint64_t light = 0, contours = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(sheets[t].id, 0);
        light += sheets[t].light;
        contours += sheets[t].contours;
    }
    printf("light %llu, %llu contours\n", (unsigned long long)light, (unsigned long long)contours);
    return 0;
}
