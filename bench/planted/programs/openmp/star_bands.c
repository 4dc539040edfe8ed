/* Star bands: measures the brightness of the stars of a catalogue on a photographic plate, band by band.
 *
 * A star's brightness is what is inside a circle less the sky in a ring around it. The bands of the catalogue are
 * divided statically among the threads. The dial tilts the catalogue: with 0 all bands have the same number of stars,
 * with 1 the first has about twice as many and the last hardly any. The stars are the same at every dial. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLATE = 192, BANDS = 128, REACH = 9 };

static uint16_t plate[PLATE][PLATE];

struct Catalogue {
    long stars;
    double tilt;
};

static void expose(void) {
    uint32_t grain = 20011;
    for (int y = 0; y < PLATE; y++)
        for (int x = 0; x < PLATE; x++) {
            grain = grain * 1664525u + 1013904223u;
            plate[y][x] = (uint16_t)(400 + (grain >> 24) + 3000 / (1 + (x * 37 + y * 91) % 211));
        }
}

/* The first star of a band. */
static long first_of(const struct Catalogue *catalogue, int band) {
    double part = (double)band / BANDS;
    return (long)((double)catalogue->stars * (part + catalogue->tilt * part * (1 - part)));
}

static int64_t brightness(long star) {
    uint64_t where = ((uint64_t)star + 17) * 0x9E3779B97F4A7C15u;
    int across = REACH + (int)((where >> 33) % (PLATE - 2 * REACH));
    int down = REACH + (int)((where >> 12 & 0xFFFFF) % (PLATE - 2 * REACH));
    int64_t light = 0, sky = 0;
    int lit = 0, dark = 0;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            int apart = dx * dx + dy * dy, value = plate[down + dy][across + dx];
            int inside = apart <= 20, ring = apart >= 49 && apart <= 81;
            light += inside ? value : 0;
            sky += ring ? value : 0;
            lit += inside;
            dark += ring;
        }
    return light * dark - sky * lit;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    omp_set_num_threads(atoi(argv[1]));
    struct Catalogue catalogue = {.stars = atol(argv[3]), .tilt = atof(argv[2])};
    expose();
    int64_t total = 0;
    uint64_t code = 0;
#pragma omp parallel for schedule(static) reduction(+ : total, code)
    for (int band = 0; band < BANDS; band++)
        for (long star = first_of(&catalogue, band); star < first_of(&catalogue, band + 1); star++) {
            int64_t measured = brightness(star);
            total += measured;
            code += (uint64_t)measured * (uint64_t)(star | 1);
        }
    printf("total light %lld, code %016llx\n", (long long)total, (unsigned long long)code);
    return 0;
}
