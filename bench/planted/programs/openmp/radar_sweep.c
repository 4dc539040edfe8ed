/* Weather radar: for each sweep makes the table of how a beam is bent and weakened up to each gate, then turns the
 * echoes of all bearings into rain.
 *
 * With dial d every thread makes the first d parts of the table in a table of its own, although one could make them for
 * all; the rest of the table is made once, divided among the threads. The entries are equal wherever they are made. One
 * thread makes each entry once at every dial. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { GATES = 400, BEARINGS = 360, LAYERS = 190, ECHOES = 100, MOST = 64 };

typedef struct {
    uint32_t height, loss;
} Path;

typedef struct {
    Path path[GATES];
    char gap[128];
} Table;

static Table common, private_tables[MOST];

/* Follows the beam layer by layer through air that differs from sweep to sweep. */
static Path follow(uint32_t sweep, uint32_t gate) {
    uint32_t angle = gate * 77 + 1000, height = 0, loss = 0;
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        uint32_t density = 60000 - height / 997 + (sweep * 31 + layer * 17) % 61;
        angle += (angle >> 5) - (uint32_t)((uint64_t)angle * density >> 21);
        height += angle >> 7;
        loss += density * (angle & 31) >> 9;
    }
    return (Path){height, loss};
}

static uint64_t rain(uint32_t sweep, uint32_t bearing, const Table *mine, int known) {
    uint32_t echo = sweep * 2654435761u + bearing * 40503u + 1;
    uint64_t fallen = 0;
    for (int e = 0; e < ECHOES; e++) {
        echo = echo * 1664525u + 1013904223u;
        int gate = (int)((uint64_t)echo * GATES >> 32);
        const Path *path = gate < known ? &mine->path[gate] : &common.path[gate];
        uint32_t power = (echo >> 8 & 0xFFFF) + path->loss;
        fallen += (uint64_t)power * (power >> 3) / (path->height | 1) & 0xFFFFF;
    }
    return fallen;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]), known = (int)(atof(argv[2]) * GATES + 0.5);
    uint32_t sweeps = (uint32_t)atol(argv[3]);
    uint64_t fallen = 0;
    if (threads < 1 || threads > MOST) return 2;
#pragma omp parallel num_threads(threads) reduction(+ : fallen)
    {
        Table *mine = &private_tables[omp_get_thread_num()];
        for (uint32_t sweep = 0; sweep < sweeps; sweep++) {
            for (int gate = 0; gate < known; gate++) mine->path[gate] = follow(sweep, (uint32_t)gate);
#pragma omp for schedule(static)
            for (int gate = known; gate < GATES; gate++) common.path[gate] = follow(sweep, (uint32_t)gate);
#pragma omp for schedule(static)
            for (int bearing = 0; bearing < BEARINGS; bearing++) fallen += rain(sweep, (uint32_t)bearing, mine, known);
        }
    }
    printf("rain %llu\n", (unsigned long long)fallen);
    return 0;
}
