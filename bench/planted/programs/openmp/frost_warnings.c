/* Warns of frost: for every hour of a night, vines of a valley cool, and those that come near freezing are told.
 *
 * Cooling needs the layers of the valley's air, which are solved for from the ground up: layer by layer, each from the
 * one below. The dial is the share of an hour's layers that are solved between the loops, by the master while its team is
 * at a barrier, as later slopes need the lower air complete; the layers above are solved by slope, in the loop, as far
 * as they differ there. Layers and slopes come to the same work in either place. This is a serial part. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LAYERS 800
#define SWEEPS 320

static int32_t air[LAYERS + 1];

/* Solve for one layer, in fixed point: relax heat and moisture against each other. */
static int32_t layer(int hour, int level) {
    uint32_t heat = 40961u * (uint32_t)(hour + 3) + (uint32_t)level * 2654435761u, moisture = heat >> 7 | 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        heat += (moisture >> 3) ^ (heat << 5);
        moisture = moisture * 1664525u + (heat >> 9);
    }
    return (int32_t)(heat >> 16) - (int32_t)(moisture >> 18);
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    const int team = atoi(argv[1]), hours = atoi(argv[3]);
    const int lower = (int)(atof(argv[2]) * LAYERS + 0.5);
    uint64_t warnings = 0;

#pragma omp parallel num_threads(team) reduction(+ : warnings)
    for (int hour = 0; hour < hours; hour++) {
#pragma omp master
        for (int level = 0; level < lower; level++) air[level] = layer(hour, level);
#pragma omp barrier
#pragma omp for schedule(static) nowait
        for (int level = lower; level < LAYERS; level++) air[level] = layer(hour, level);
#pragma omp barrier
#pragma omp for schedule(static)
        for (int level = 0; level < LAYERS; level++) {
            int32_t below = air[level ? level - 1 : LAYERS - 1];
            warnings += (uint64_t)(uint32_t)(air[level] * 3 - below) * (uint64_t)(level + 1);
        }
    }
    printf("%016llx\n", (unsigned long long)warnings);
    return 0;
}
