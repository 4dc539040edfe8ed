/* Laser survey: the level of the ground in every tile of a strip that an aeroplane flew over.
 *
 *     lidar THREADS DIAL TILES
 *
 * The echoes of a tile come in one by one into a list that doubles when it is full. The ground is the mean height of
 * the lowest tenth of them. DIAL is the share of the tiles that start a list of their own and give it back when they
 * are done; all other tiles reuse the list of the thread. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "work.h"

enum { SMALLEST = 1024, FEWEST = 5000, MORE = 3000, LEVELS = 512 };

struct Echo {
    uint32_t height; /* centimetres above the datum */
    uint32_t strength;
    uint64_t time; /* nanoseconds since the start of the tile */
};

struct List {
    struct Echo *echoes;
    size_t count, room;
};

static void start(struct List *list) {
    list->count = 0;
    list->room = SMALLEST;
    size_t bytes = list->room * sizeof *list->echoes;
    list->echoes = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list->echoes == MAP_FAILED) exit(1);
}

static void append(struct List *list, struct Echo echo) {
    if (list->count == list->room) {
        size_t bytes = list->room * sizeof echo;
        list->echoes = mremap(list->echoes, bytes, 2 * bytes, MREMAP_MAYMOVE);
        if (list->echoes == MAP_FAILED) exit(1);
        list->room *= 2;
    }
    list->echoes[list->count++] = echo;
}

static void give_back(struct List *list) { munmap(list->echoes, list->room * sizeof *list->echoes); }

/* Fly over a tile: a slope with trees on it. */
static void scan(struct List *list, uint64_t tile) {
    uint64_t x = (tile + 1) * 0x9E3779B97F4A7C15u;
    uint32_t slope = x >> 60;
    size_t echoes = FEWEST + (x >> 20) % MORE;
    uint64_t time = 0;
    for (size_t e = 0; e < echoes; e++) {
        for (int mirror = 0; mirror < 4; mirror++) x = x * 6364136223846793005u + (x >> 33 | 1);
        uint32_t tree = (x >> 60) < 6 ? (x >> 20 & 2047) : 0;
        time += x >> 54;
        append(list, (struct Echo){(uint32_t)(e * slope >> 7) + (x >> 32 & 31) + tree, (x >> 40 & 255) + 1, time});
    }
}

/* The mean height of the lowest tenth, weighted by strength, in hundredths of a centimetre; plus the time it took. */
static uint64_t ground(const struct List *list) {
    uint32_t at_level[LEVELS];
    memset(at_level, 0, sizeof at_level);
    for (size_t e = 0; e < list->count; e++) {
        uint32_t level = list->echoes[e].height >> 3;
        at_level[level < LEVELS ? level : LEVELS - 1]++;
    }
    size_t below = 0, level = 0;
    while (below < list->count / 10) below += at_level[level++];
    uint64_t heights = 0, strengths = 0;
    for (size_t e = 0; e < list->count; e++) {
        struct Echo echo = list->echoes[e];
        if (echo.height >> 3 >= level) continue;
        heights += (uint64_t)echo.height * echo.strength;
        strengths += echo.strength;
    }
    return heights * 100 / strengths + list->echoes[list->count - 1].time;
}

static uint64_t fly(int thread) {
    uint64_t levels = 0;
    struct List kept;
    start(&kept);
    for (long tile = first(thread); tile < first(thread + 1); tile++) {
        struct List own, *list = &kept;
        if (picked((uint64_t)tile)) start(list = &own);
        list->count = 0;
        scan(list, (uint64_t)tile);
        levels += ground(list) * ((uint64_t)tile * 2 + 1);
        if (list == &own) give_back(list);
    }
    give_back(&kept);
    return levels;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, fly); }
