/* Page faults: X-ray slides are smoothed and measured, each in four planes of 256 KiB.
 *
 * Most slides are developed in a corner of planes that the worker keeps. The others get fresh planes: calloc() for
 * each, used once, and free() when the slide is done, which gives the memory back to the system; so the next fresh plane
 * has to be mapped page by page again. The dial is the share of the slides with fresh planes. */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES = 4, PIXELS = 1 << 16, STRIDE = 16, DOTS = PIXELS / STRIDE };

struct worker {
    pthread_t thread;
    long first, last;
    double fresh;
    uint64_t sum;
};

static uint32_t hash32(uint32_t h) {
    h ^= h >> 16, h *= 0x7feb352du;
    h ^= h >> 15, h *= 0x846ca68bu;
    return h ^ h >> 16;
}

static uint64_t develop(uint32_t *plane[PLANES], long slide) {
    uint32_t grain = hash32((uint32_t)slide + 17);
    for (int i = 0; i < DOTS; i++) {
        grain = grain * 1664525u + 1013904223u;
        plane[0][i * STRIDE] = grain >> 16;
    }
    for (int p = 1; p < PLANES; p++) {
        uint32_t *from = plane[p - 1], *to = plane[p];
        for (int i = 0; i < DOTS; i++) {
            uint32_t left = from[(i ? i - 1 : 0) * STRIDE], right = from[(i + 1 < DOTS ? i + 1 : i) * STRIDE];
            uint32_t middle = from[i * STRIDE];
            for (int pass = 0; pass < 3; pass++) middle = hash32(middle + left) + (right >> 3);
            to[i * STRIDE] = middle;
        }
    }
    uint64_t sum = 0;
    for (int i = 0; i < DOTS; i++) sum = sum * 5 + plane[PLANES - 1][i * STRIDE];
    return sum;
}

static void *darkroom(void *given) {
    struct worker *me = given;
    uint32_t *kept[PLANES];
    for (int p = 0; p < PLANES; p++) kept[p] = calloc(PIXELS, sizeof **kept);
    for (long slide = me->first; slide < me->last; slide++) {
        if (hash32((uint32_t)slide * 3 + 1) < me->fresh * 4294967296.0) {
            uint32_t *fresh[PLANES];
            for (int p = 0; p < PLANES; p++) fresh[p] = calloc(PIXELS, sizeof **fresh);
            me->sum += develop(fresh, slide);
            for (int p = 0; p < PLANES; p++) free(fresh[p]);
        } else {
            me->sum += develop(kept, slide);
        }
    }
    for (int p = 0; p < PLANES; p++) free(kept[p]);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    /* Planes come straight from the system and go back to it, unless the user has set it otherwise. */
    if (!getenv("MALLOC_MMAP_THRESHOLD_")) mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    int threads = atoi(argv[1]);
    long slides = atol(argv[3]);
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    for (int t = 0; t < threads; t++) {
        workers[t].first = slides * t / threads;
        workers[t].last = slides * (t + 1) / threads;
        workers[t].fresh = atof(argv[2]);
        if (pthread_create(&workers[t].thread, 0, darkroom, &workers[t])) return 1;
    }
    uint64_t sum = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(workers[t].thread, 0);
        sum += workers[t].sum;
    }
    printf("%016llx\n", (unsigned long long)sum);
    free(workers);
    return 0;
}
