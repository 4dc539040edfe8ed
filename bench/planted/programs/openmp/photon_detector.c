/* Follows photons through a scintillator until they leave or are absorbed, and counts what the detector's thread sees.
 * Every thread has a counter of its own, but the counters lie side by side in one array, in the same cache line; the
 * dial is the share of the scatterings, in runs of four, that are counted there at once (atomically, as a display may
 * read them), while the others are counted in a register until the photon ends. No counter is shared, but the line is:
 * false sharing. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, LAYERS = 48 };

static _Alignas(128) uint64_t seen[MOST];
static _Alignas(128) int opacity[LAYERS];

static inline uint64_t draw(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t follow(long number, uint32_t threshold, uint64_t *mine) {
    uint64_t state = ((uint64_t)number + 1) * 0x9E3779B97F4A7C15u, later = 0, sum = 0;
    int depth = 4 << 16, cosine = 1 << 15, energy = 1 << 20, at_once = 0;
    for (int k = 0; k < 400 && energy > 1000; k++) {
        uint64_t r = draw(&state);
        int free_path = (int)(r & 0xffff) * 3;
        depth += (int)((int64_t)free_path * cosine >> 15);
        if (depth < 0 || depth >= LAYERS << 16) break;
        int layer = depth >> 16;
        energy -= (int)((int64_t)energy * opacity[layer] >> 12);
        int turn = (int)(r >> 16 & 0xffff) - 32768;
        cosine = (int)((int64_t)cosine * (32768 - abs(turn)) >> 15) + turn / 2;
        if (cosine > 32767) cosine = 32767;
        if (cosine < -32768) cosine = -32768;
        uint64_t light = (uint64_t)(energy >> 4) + (uint64_t)(layer & 3);
        sum += light * (uint64_t)(layer + 1);
        if (k % 4 == 0) at_once = (uint32_t)(r >> 32) < threshold;
        if (at_once) {
#pragma omp atomic
            *mine += light;
        } else {
            later += light;
        }
    }
#pragma omp atomic
    *mine += later;
    return sum;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long photons = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    uint32_t threshold = dial >= 1 ? UINT32_MAX : (uint32_t)(dial * 0x1p32);
    for (int layer = 0; layer < LAYERS; layer++) opacity[layer] = 60 + layer * 37 % 90;
    uint64_t deposit = 0;
#pragma omp parallel num_threads(threads) reduction(+ : deposit)
    {
        uint64_t *mine = &seen[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 512)
        for (long p = 0; p < photons; p++) deposit += follow(p, threshold, mine);
    }
    uint64_t total = 0;
    for (int t = 0; t < MOST; t++) total += seen[t];
    printf("light %llu, deposit %llu\n", (unsigned long long)total, (unsigned long long)deposit);
    return 0;
}
