/* Climate statistics: for every cell of a grid it folds one time step after the other into four running fields (mean,
 * spread, heat sum, drought index), each a plane of floats that is updated in place.
 *
 * The dial is the share of the time steps that are folded step by step, each over the whole grid; the other steps are
 * folded tile by tile, all of them while the tile's fields are in a core's own cache. The arithmetic is the same, but a
 * sweep over the grid moves 96 MB from memory and back: one thread nearly hides that behind its arithmetic, while two
 * threads together ask for more than the memory gives, so this is memory bandwidth. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { TILE = 8192, TILES = 768, FIELDS = 4, RELIEF = 2048 };

/* Planes are not a power of two apart, so that their lines do not meet in the same cache sets. */
static const size_t plane_bytes = (size_t)TILES * TILE * sizeof(float) + 9 * 4096 + 320;

static struct Grid {
    float *mean, *spread, *heat, *drought;
} grid;

static float relief[RELIEF] __attribute__((aligned(64)));

static float *new_planes(size_t bytes) {
    const size_t huge = 2u << 20;
    bytes = (bytes + huge - 1) / huge * huge;
    float *planes = aligned_alloc(huge, bytes);
    if (planes == 0) exit(1);
    madvise(planes, bytes, MADV_HUGEPAGE);
    return planes;
}

static void raise_relief(void) {
    uint32_t x = 2463534242u;
    for (int i = 0; i < RELIEF; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        relief[i] = (float)(x >> 8) * 0x1p-24f * 12 - 6;
    }
}

static void clear_tile(long tile) {
    size_t at = (size_t)tile * TILE;
    memset(grid.mean + at, 0, TILE * sizeof(float));
    memset(grid.spread + at, 0, TILE * sizeof(float));
    memset(grid.heat + at, 0, TILE * sizeof(float));
    memset(grid.drought + at, 0, TILE * sizeof(float));
}

typedef float Lanes __attribute__((vector_size(16)));
typedef int32_t Bits __attribute__((vector_size(16)));

static Lanes above_zero(Lanes x) { return (Lanes)((Bits)x & (x > (Lanes){0})); }

/* Folds the weather of one time step into a run of cells. */
static void fold_cells(Lanes *restrict mean, Lanes *restrict spread, Lanes *restrict heat, Lanes *restrict drought,
                       const Lanes *restrict height, float season, float gain) {
    for (int i = 0; i < RELIEF / 4; i++) {
        Lanes warm = season + height[i];
        Lanes off = warm - mean[i];
        Lanes next = mean[i] + off * gain;
        Lanes over = above_zero(warm - 18);
        spread[i] += off * (warm - next);
        heat[i] = heat[i] * 0.995f + over;
        drought[i] = above_zero(drought[i] * 0.97f + over * 0.2f - 0.4f);
        mean[i] = next;
    }
}

static void fold_tile(long tile, long step) {
    float season = 14 + (float)((step * 37 + tile) % 41) * 0.45f;
    float gain = 1 / (float)(step + 1);
    for (int part = 0; part < TILE; part += RELIEF) {
        size_t at = (size_t)tile * TILE + (size_t)part;
        fold_cells((Lanes *)(grid.mean + at), (Lanes *)(grid.spread + at), (Lanes *)(grid.heat + at),
                   (Lanes *)(grid.drought + at), (const Lanes *)relief, season, gain);
    }
}

static uint64_t tile_digest(long tile) {
    uint64_t sum = 0;
    for (int i = 0; i < TILE; i += 8) {
        size_t at = (size_t)tile * TILE + (size_t)i;
        uint32_t bits[FIELDS];
        memcpy(bits, grid.mean + at, 4);
        memcpy(bits + 1, grid.spread + at, 4);
        memcpy(bits + 2, grid.heat + at, 4);
        memcpy(bits + 3, grid.drought + at, 4);
        for (int f = 0; f < FIELDS; f++) sum = sum * 31 + bits[f];
    }
    return sum * (2 * (uint64_t)tile + 1);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long steps = atol(argv[3]);
    long swept = (long)(dial * (double)steps + 0.5);

    raise_relief();
    char *planes = (char *)new_planes(FIELDS * plane_bytes);
    grid = (struct Grid){(float *)planes, (float *)(planes + plane_bytes), (float *)(planes + 2 * plane_bytes),
                         (float *)(planes + 3 * plane_bytes)};

    uint64_t answer = 0;
    /* Every loop gives a thread the same tiles, so none has to wait for another one before the end. */
#pragma omp parallel num_threads(threads) reduction(+ : answer)
    {
#pragma omp for schedule(static) nowait
        for (long tile = 0; tile < TILES; tile++) clear_tile(tile);

        for (long step = 0; step < swept; step++) {
#pragma omp for schedule(static) nowait
            for (long tile = 0; tile < TILES; tile++) fold_tile(tile, step);
        }

#pragma omp for schedule(static) nowait
        for (long tile = 0; tile < TILES; tile++) {
            for (long step = swept; step < steps; step++) fold_tile(tile, step);
            answer += tile_digest(tile);
        }
    }
    free(planes);
    printf("%016llx\n", (unsigned long long)answer);
    return 0;
}
