/* Adds reverberation to a set of sound clips, several clips at a time.
 *
 * usage: reverb THREADS DIAL CLIPS
 *
 * A clip is rendered in a workspace: a bank of comb filters with their delay lines. Every worker has a small workspace
 * of its own. The large one, which has room for clips with a long tail, exists once, on a shelf: who needs it takes it,
 * and waits for its return when it is out. DIAL is the share of the clips that have a long tail. How a clip sounds does
 * not depend on the workspace. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMBS = 4, LONGEST = 400, SAMPLES = 24000, MOST_WORKERS = 64 };

static const int delay[COMBS] = {279, 297, 319, 339};

struct Workspace {
    int32_t line[COMBS][LONGEST];
    int at[COMBS];
};

struct Shelf {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    struct Workspace *workspace; /* null while it is out */
};

struct Worker {
    pthread_t id;
    struct Workspace small;
    uint64_t loudness;
    char apart[128];
};

static struct Workspace large;
static struct Shelf shelf = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, &large};
static struct Worker workers[MOST_WORKERS];
static atomic_long next_clip;
static long clips;
static double dial;

static struct Workspace *borrow(struct Shelf *from) {
    pthread_mutex_lock(&from->lock);
    while (from->workspace == NULL) pthread_cond_wait(&from->returned, &from->lock);
    struct Workspace *taken = from->workspace;
    from->workspace = NULL;
    pthread_mutex_unlock(&from->lock);
    return taken;
}

static void give_back(struct Shelf *to, struct Workspace *taken) {
    pthread_mutex_lock(&to->lock);
    to->workspace = taken;
    pthread_mutex_unlock(&to->lock);
    pthread_cond_signal(&to->returned);
}

static uint64_t mixed(uint64_t x) {
    x = (x + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 29;
}

static int has_long_tail(long clip) { return (double)(mixed(clip) >> 11) * 0x1p-53 < dial; }

/* Render a clip of synthetic noise that fades; return its loudness. */
static uint64_t render(struct Workspace *in, long clip) {
    uint32_t noise = mixed(clip + 0x5EED) | 1;
    uint64_t loudness = 0;
    memset(in, 0, sizeof *in);
    for (int s = 0; s < SAMPLES; s++) {
        noise = noise * 1664525u + 1013904223u;
        int32_t dry = ((int32_t)noise >> 18) * (SAMPLES - s) / SAMPLES;
        int32_t wet = 0;
        for (int c = 0; c < COMBS; c++) {
            int32_t *cell = &in->line[c][in->at[c]];
            wet += *cell;
            *cell = dry + *cell * 27 / 32;
            if (++in->at[c] == delay[c]) in->at[c] = 0;
        }
        loudness += (uint32_t)abs(dry + wet / COMBS);
    }
    return loudness;
}

static void *run(void *given) {
    struct Worker *self = given;
    for (long clip; (clip = atomic_fetch_add(&next_clip, 1)) < clips;) {
        if (has_long_tail(clip)) {
            struct Workspace *taken = borrow(&shelf);
            self->loudness += render(taken, clip);
            give_back(&shelf, taken);
        } else {
            self->loudness += render(&self->small, clip);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL CLIPS\n", argv[0]), 2;
    int threads = atoi(argv[1]);
    uint64_t loudness = 0;
    dial = atof(argv[2]);
    clips = atol(argv[3]);
    for (int t = 0; t < threads; t++) {
        if (pthread_create(&workers[t].id, NULL, run, &workers[t]) != 0) return 1;
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(workers[t].id, NULL);
        loudness += workers[t].loudness;
    }
    printf("%ld clips, loudness %llu\n", clips, (unsigned long long)loudness);
}
