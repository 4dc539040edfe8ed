/* Renders the voices of a synthesizer, block after block, and mixes them. In each block a small team takes voices from
 * a shared index; then the helpers sleep at a semaphore while the desk's own thread renders the voices whose plug-ins
 * only it may call. The dial is the share of those voices: they are the same work on the same state, but for one thread
 * while the others wait, which is a serial part. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { VOICES = 128, FRAMES = 1024, OVERSAMPLING = 2, STAGES = 4, METER = 16, MOST_HELPERS = 64 };

struct Filter {
    int32_t cut, low, band;
};

struct Voice {
    _Alignas(128) uint32_t phase;
    uint32_t step, modulator, modulator_step;
    struct Filter stages[STAGES];
    int32_t meters[FRAMES / METER];
};

static struct Voice voices[VOICES];
static int32_t sine[1024];
static int pooled[VOICES], exclusive[VOICES];
static int pooled_count, exclusive_count;

static _Alignas(128) atomic_int next_voice;
static _Alignas(128) sem_t begin;
static sem_t ended;
static int closing;

/* A parabola in place of a sine, in 16 bits. */
static void tune(void) {
    for (int i = 0; i < 1024; i++) {
        int32_t half = i & 511;
        int32_t height = half * (511 - half) / 2;
        sine[i] = i < 512 ? height : -height;
    }
    uint32_t seed = 99;
    for (int v = 0; v < VOICES; v++) {
        struct Voice *voice = &voices[v];
        seed = seed * 1664525u + 1013904223u;
        voice->step = 0x200000u + (seed >> 9);
        voice->modulator_step = 0x80000u + (seed >> 13);
        for (int s = 0; s < STAGES; s++) voice->stages[s].cut = 3000 + (int32_t)(seed >> 20) + 900 * s;
    }
}

static int32_t through(struct Filter *filter, int32_t in) {
    filter->low += (int32_t)(((int64_t)filter->band * filter->cut) >> 15);
    int32_t high = in - filter->low - filter->band;
    filter->band += (int32_t)(((int64_t)high * filter->cut) >> 15);
    return filter->low;
}

static void render(struct Voice *voice) {
    int32_t peak = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        int32_t out = 0;
        for (int o = 0; o < OVERSAMPLING; o++) {
            voice->modulator += voice->modulator_step;
            voice->phase += voice->step + (uint32_t)(sine[voice->modulator >> 22] * 64);
            out = sine[voice->phase >> 22];
            for (int s = 0; s < STAGES; s++) out = through(&voice->stages[s], out);
        }
        if (abs(out) > peak) peak = abs(out);
        if (frame % METER == METER - 1) {
            voice->meters[frame / METER] = out + peak;
            peak = peak * 7 / 8;
        }
    }
}

static void render_pooled(void) {
    for (;;) {
        int at = atomic_fetch_add_explicit(&next_voice, 1, memory_order_relaxed);
        if (at >= pooled_count) return;
        render(&voices[pooled[at]]);
    }
}

static void *helper(void *nothing) {
    for (;;) {
        while (sem_wait(&begin) != 0) {
        }
        if (closing) return nothing;
        render_pooled();
        sem_post(&ended);
    }
}

static uint64_t mix(uint64_t sum) {
    for (int m = 0; m < FRAMES / METER; m++) {
        int64_t level = 0;
        for (int v = 0; v < VOICES; v++) level += voices[v].meters[m];
        sum = sum * 1099511628211u + (uint64_t)level;
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int helpers = atoi(argv[1]) - 1;
    double dial = atof(argv[2]);
    int blocks = atoi(argv[3]);
    if (helpers < 0 || helpers > MOST_HELPERS) return 2;
    tune();
    for (int v = 0; v < VOICES; v++) {
        if ((int)((v + 1) * dial) > (int)(v * dial)) {
            exclusive[exclusive_count++] = v;
        } else {
            pooled[pooled_count++] = v;
        }
    }
    pthread_t team[MOST_HELPERS];
    sem_init(&begin, 0, 0);
    sem_init(&ended, 0, 0);
    for (int h = 0; h < helpers; h++) {
        if (pthread_create(&team[h], 0, helper, 0) != 0) return 1;
    }
    uint64_t sum = 14695981039346656037u;
    for (int block = 0; block < blocks; block++) {
        atomic_store(&next_voice, 0);
        for (int h = 0; h < helpers; h++) sem_post(&begin);
        render_pooled();
        for (int h = 0; h < helpers; h++) {
            while (sem_wait(&ended) != 0) {
            }
        }
        for (int e = 0; e < exclusive_count; e++) render(&voices[exclusive[e]]);
        sum = mix(sum);
    }
    closing = 1;
    for (int h = 0; h < helpers; h++) sem_post(&begin);
    for (int h = 0; h < helpers; h++) pthread_join(team[h], 0);
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
