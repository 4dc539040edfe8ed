/* Hail swaths: follows hail cells over the map of a storm, one storm after the other, in threads of one process.
 *
 * Each storm needs a map to draw on. The dial is the share of the storms whose map is fresh from the kernel (mmap, and
 * munmap at its end), so that every page of it is made when it is drawn on; the other storms use the map that the thread
 * has anyway, and wipe it. Page faults take the same address space's lock and cost system time in both threads, and
 * unmapping interrupts the other cpu. */
#define _GNU_SOURCE
#include <err.h>
#include <string.h>
#include <sys/mman.h>

#include "work.h"

#define WIDE 512
#define HIGH 128
#define CELLS 40
#define HOURS 26

typedef uint32_t Map[HIGH][WIDE];

static Map *map_from_kernel(void) {
    void *made = mmap(NULL, sizeof(Map), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) err(1, "mmap");
    return made;
}

/* Draw the swaths on a map that is empty, and return what fell in all. */
static uint64_t follow(Map *map, uint64_t storm) {
    uint64_t fallen = 0, x = unit(storm, 6);
    for (int cell = 0; cell < CELLS; cell++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint32_t column = x >> 55, row = x >> 40 & (HIGH - 1), size = x >> 30 & 31;
        for (int hour = 0; hour < HOURS; hour++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            column = (column + 1 + (x >> 62)) % WIDE;
            row = (row + (x >> 60 & 3) + HIGH - 1) % HIGH;
            for (uint32_t k = 0; k < 8; k++) {
                uint32_t *at = &(*map)[(row + k) % HIGH][column];
                *at += size + k * (*at & 3);
                fallen = (fallen << 5 | fallen >> 59) ^ *at;
            }
        }
    }
    return fallen;
}

static uint64_t season(int thread) {
    Map *own = map_from_kernel();
    memset(own, 0, sizeof *own);
    uint64_t fallen = 0;
    for (long storm = first(thread), end = first(thread + 1); storm < end; storm++) {
        if (picked((uint64_t)storm)) {
            Map *fresh = map_from_kernel();
            fallen += follow(fresh, (uint64_t)storm);
            munmap(fresh, sizeof *fresh);
        } else {
            memset(own, 0, sizeof *own);
            fallen += follow(own, (uint64_t)storm);
        }
    }
    munmap(own, sizeof *own);
    return fallen;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, season); }
