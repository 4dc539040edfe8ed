/* Radiation shielding: follows neutrons through a wall of six layers, from collision to collision, and scores the
 * energy that each collision leaves in its layer. OpenMP divides the neutrons; scores are atomic additions.
 *
 * The dial is the share of the collisions that are scored in the wall's common tally, which all threads add to; all
 * others go to the thread's own tally, by the same atomic addition, and are summed at the end. The common tally is six
 * numbers on one cache line that then moves between the cpus at nearly every score: true sharing. One thread keeps the
 * line and pays the same for both tallies. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 6, NUCLIDES = 6, GROUPS = 64, THICK = 1 << 14 };

struct Tally {
    _Alignas(256) uint64_t left[LAYERS];
};

/* How likely a neutron of each energy meets each nuclide, and how much of its energy it then keeps. */
struct Matter {
    uint16_t section[GROUPS + 1][NUCLIDES];
    uint16_t keeps[NUCLIDES];
};

static struct Matter wall[LAYERS];
static struct Tally common;

static inline uint64_t draw(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1Du;
}

static void build_wall(void) {
    uint64_t state = 88172645463325252u;
    for (int l = 0; l < LAYERS; l++)
        for (int n = 0; n < NUCLIDES; n++) {
            wall[l].keeps[n] = (uint16_t)(52000 + draw(&state) % 10000);
            for (int g = 0; g <= GROUPS; g++) wall[l].section[g][n] = (uint16_t)(200 + draw(&state) % 3000 / (uint64_t)(1 + g / 8));
        }
}

/* The sections of all nuclides at one energy, interpolated, as running sums. */
static inline uint32_t sections(const struct Matter *matter, uint32_t energy, uint32_t sums[NUCLIDES]) {
    uint32_t group = energy >> 14;
    uint32_t within = energy >> 4 & 1023;
    if (group >= GROUPS) group = GROUPS - 1;
    const uint16_t *low = matter->section[group];
    const uint16_t *high = matter->section[group + 1];
    uint32_t sum = 0;
    for (int n = 0; n < NUCLIDES; n++) {
        sum += (low[n] * (1024 - within) + high[n] * within) >> 10;
        sums[n] = sum;
    }
    return sum;
}

/* One neutron, until it leaves the wall or has no energy left. */
static void follow(uint64_t number, uint64_t share, struct Tally *const tallies[2]) {
    uint64_t state = (number + 1) * 0x9E3779B97F4A7C15u | 1;
    uint32_t energy = 1u << 20;
    int32_t place = 0;
    int32_t direction = 256;
    while (energy > 4000) {
        uint64_t chance = draw(&state);
        int layer = place / THICK;
        uint32_t sums[NUCLIDES];
        uint32_t all = sections(&wall[layer], energy, sums);
        /* The way to the next collision: a sum of four draws stands for the logarithm. */
        uint32_t way = 0;
        for (int i = 0; i < 4; i++) way += (uint32_t)(chance >> (16 * i) & 0xFFFF);
        place += (int32_t)((int64_t)way * 48000 / all / 256 * direction / 256);
        if (place < 0 || place >= LAYERS * THICK) return;
        uint64_t turn = draw(&state);
        direction = (int32_t)(turn & 511) - 230;
        uint32_t mark = (uint32_t)((turn >> 9 & 0xFFFF) * all >> 16);
        int met = 0;
        for (int n = 0; n < NUCLIDES - 1; n++) met += sums[n] <= mark;
        uint16_t keeps = wall[layer].keeps[met];
        layer = place / THICK;
        uint32_t left = energy - (uint32_t)((uint64_t)energy * keeps >> 16);
        energy -= left;
        struct Tally *tally = tallies[(turn >> 32) < share];
#pragma omp atomic
        tally->left[layer] += left;
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);
    uint64_t share = (uint64_t)(atof(argv[2]) * 4294967296.0);
    long neutrons = atol(argv[3]);
    build_wall();
    uint64_t total[LAYERS] = {0};
#pragma omp parallel num_threads(threads)
    {
        struct Tally own = {{0}};
        struct Tally *const tallies[2] = {&own, &common};
#pragma omp for schedule(static)
        for (long i = 0; i < neutrons; i++) follow((uint64_t)i, share, tallies);
#pragma omp critical
        for (int l = 0; l < LAYERS; l++) total[l] += own.left[l];
    }
    uint64_t answer = 0;
    for (int l = 0; l < LAYERS; l++) answer = answer * 1000003 + total[l] + common.left[l];
    printf("%016llx\n", (unsigned long long)answer);
    return 0;
}
