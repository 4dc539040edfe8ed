/* Measures the brightness of stars in the fields of a sky survey.
 *
 * usage: starfield THREADS DIAL FIELDS
 *
 * What a star looks like on the plate, its profile, is the same within a field, and takes long to fit. The profiles of
 * the fields that were announced are fitted first. Those of all others are fitted when the first star of the field is
 * measured, and kept for the rest of its stars. DIAL is the share of the fields that were not announced. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 15, STARS = 8, FITS = 100, READINGS = 24 };

struct Field {
    _Atomic int fitted;
    float profile[SIDE * SIDE];
};

static double dial;

static uint32_t mixed(uint64_t x) {
    x = (x + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(x >> 32);
}

static int announced(int field) { return mixed(field) * 0x1p-32 >= dial; }

/* Fit the profile: widen and narrow two axes until the light within the middle circle is the half of it all. */
static void fit(struct Field *of, int field) {
    float wide = 2.0f + mixed(field + 7000000) * 0x1p-32f, high = 2.0f + mixed(field + 9000000) * 0x1p-32f;
    float profile[SIDE * SIDE];
    for (int round = 0; round < FITS; round++) {
        float all = 0, inner = 0;
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                float dx = x - SIDE / 2, dy = y - SIDE / 2;
                float light = 1 / (1 + dx * dx / wide + dy * dy / high);
                profile[y * SIDE + x] = light;
                all += light;
                if (dx * dx + dy * dy < 16) inner += light;
            }
        }
        float off = inner / all - 0.5f;
        wide *= 1 + 0.3f * off;
        high *= 1 + 0.2f * off;
    }
    /* Two that fit the same field write the same numbers. */
    for (int i = 0; i < SIDE * SIDE; i++) of->profile[i] = profile[i];
    __atomic_store_n(&of->fitted, 1, __ATOMIC_RELEASE);
}

/* Weigh the pixels around a star by the profile, in several exposures. */
static uint64_t measure(const struct Field *in, int star) {
    uint64_t total = 0;
    for (int reading = 0; reading < READINGS; reading++) {
        uint32_t noise = mixed((uint64_t)star * READINGS + reading);
        float flux = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            noise = noise * 1664525u + 1013904223u;
            flux += in->profile[i] * (float)(noise >> 16);
        }
        total += (uint64_t)flux;
    }
    return total;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL FIELDS\n", argv[0]), 2;
    int threads = atoi(argv[1]), fields = atoi(argv[3]);
    dial = atof(argv[2]);
    struct Field *field = calloc(fields, sizeof *field);
    if (field == NULL) return 1;
    omp_set_num_threads(threads);

    #pragma omp parallel for schedule(dynamic, 4)
    for (int f = 0; f < fields; f++) {
        if (announced(f)) fit(&field[f], f);
    }

    uint64_t sum = 0;
    #pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (int star = 0; star < fields * STARS; star++) {
        struct Field *in = &field[star / STARS];
        if (!__atomic_load_n(&in->fitted, __ATOMIC_ACQUIRE)) fit(in, star / STARS);
        sum += measure(in, star);
    }
    printf("%d stars, brightness %llu\n", fields * STARS, (unsigned long long)sum);
    free(field);
}
