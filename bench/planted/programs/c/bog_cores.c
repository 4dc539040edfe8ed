/* Dates the layers of peat cores by their radiocarbon: a Markov chain for each layer.
 *
 * Too few tasks. Cores come from the freezer one at a time. Its layers are cut into groups, the groups are put on the
 * bench, and whoever is free takes one; the next core comes when the last group is done. The dial is the least number of
 * layers that a group should have, so at a large dial a core is two or three groups or only one. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_GROUPS = 64, CHAIN = 1600 };

typedef struct {
    int core, from, to;
} Group;

static struct {
    pthread_mutex_t door;
    pthread_cond_t filled, emptied;
    Group waiting[MOST_GROUPS];
    int length, unfinished, closing;
    uint64_t years;
} bench = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {{0}}, 0, 0, 0, 0};

static int layers_of(int core) { return 16 + core * 11 % 45; }

/* A calibration curve with a wiggle, as the real one has. */
static double curve(double year) {
    double turn = year * 0.013;
    turn -= (double)(long)turn;
    return year * 0.97 + 60 * turn * (1 - turn);
}

static uint64_t date_layer(int core, int layer) {
    uint32_t dice = (uint32_t)(core * 2654435761u + layer * 40503u + 9);
    double measured = 400 + 90.0 * layer + core % 13, year = measured, misfit = 0, sum = 0;
    for (int step = 0; step < CHAIN; step++) {
        dice = dice * 1664525u + 1013904223u;
        double proposal = year + ((double)(dice >> 8) * 0x1p-24 - 0.5) * 120;
        double off = curve(proposal) - measured, next = off * off / 1800;
        dice = dice * 1664525u + 1013904223u;
        double chance = (double)(dice >> 8) * 0x1p-24;
        /* A cheap stand-in for exp: enough for the chain to walk downhill and sometimes up. */
        if (next < misfit || chance * (1 + next - misfit) * (1 + next - misfit) < 1) year = proposal, misfit = next;
        sum += year;
    }
    return (uint64_t)(sum / CHAIN * 1000);
}

static void *dater(void *unused) {
    (void)unused;
    pthread_mutex_lock(&bench.door);
    for (;;) {
        while (bench.length == 0 && !bench.closing) pthread_cond_wait(&bench.filled, &bench.door);
        if (bench.length == 0) break;
        Group group = bench.waiting[--bench.length];
        pthread_mutex_unlock(&bench.door);
        uint64_t years = 0;
        for (int layer = group.from; layer < group.to; layer++) years += date_layer(group.core, layer);
        pthread_mutex_lock(&bench.door);
        bench.years += years;
        if (--bench.unfinished == 0) pthread_cond_signal(&bench.emptied);
    }
    pthread_mutex_unlock(&bench.door);
    return unused;
}

static void cut(int core, double least) {
    int layers = layers_of(core), groups = least > 1 ? (int)(layers / least) : layers;
    if (groups < 1) groups = 1;
    pthread_mutex_lock(&bench.door);
    for (int g = 0; g < groups; g++)
        bench.waiting[bench.length++] = (Group){core, layers * g / groups, layers * (g + 1) / groups};
    bench.unfinished = groups;
    pthread_cond_broadcast(&bench.filled);
    while (bench.unfinished > 0) pthread_cond_wait(&bench.emptied, &bench.door);
    pthread_mutex_unlock(&bench.door);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int people = atoi(argv[1]), cores = atoi(argv[3]);
    pthread_t staff[64];
    for (int p = 0; p < people; p++)
        if (pthread_create(&staff[p], NULL, dater, NULL)) abort();
    for (int core = 0; core < cores; core++) cut(core, atof(argv[2]));
    pthread_mutex_lock(&bench.door);
    bench.closing = 1;
    pthread_cond_broadcast(&bench.filled);
    pthread_mutex_unlock(&bench.door);
    for (int p = 0; p < people; p++) pthread_join(staff[p], NULL);
    printf("%llu\n", (unsigned long long)bench.years);
    return 0;
}
