/* Lets raindrops run down a small watershed, and counts which of its meadows they wet.
 *
 * usage: rainfall THREADS DIAL DROPS
 *
 * A drop falls on some meadow and flows from meadow to meadow, on one of three ways at each, until it has gone so many
 * steps. Every thread counts the wettings of its own drops, and the counts are added up at the end. There are two kinds
 * of rain gauge for this: a field gauge is a table that a thread has for itself; the survey's gauges stand in one table
 * for all threads, by meadow, with one column a thread. DIAL is the share of the drops that the survey counts. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEADOWS = 32, FLOW = 24, MOST_THREADS = 64, PAGE = 4096 };

struct Watcher {
    pthread_t id;
    int column;
    long from, to;
    uint64_t *field; /* one count a meadow */
};

static int threads;
static double dial;
static uint64_t *survey; /* survey[meadow * threads + column] */
static uint8_t below[MEADOWS][3];

static uint64_t mixed(uint64_t x) {
    x = (x + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 29;
}

static int surveyed(uint64_t weather) { return (double)(weather >> 11) * 0x1p-53 < dial; }

/* Follow a drop; the count of a meadow is at counts[meadow * stride]. */
static void follow(long drop, uint64_t *counts, int stride) {
    uint64_t wind = mixed(drop ^ 0xD40B);
    unsigned meadow = wind % MEADOWS;
    for (int step = 0; step < FLOW; step++) {
        counts[meadow * stride]++;
        wind = wind * 6364136223846793005u + 1442695040888963407u;
        uint64_t gust = (wind ^ wind >> 31) * 0xBF58476D1CE4E5B9u;
        meadow = below[meadow][(gust >> 40) % 3];
    }
}

static void *watch(void *given) {
    struct Watcher *self = given;
    for (long drop = self->from; drop < self->to; drop++) {
        if (surveyed(mixed(drop))) {
            follow(drop, survey + self->column, threads);
        } else {
            follow(drop, self->field, 1);
        }
    }
    return NULL;
}

static void *cleared(size_t bytes) {
    size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
    void *memory = aligned_alloc(PAGE, whole);
    if (memory == NULL) exit(1);
    return memset(memory, 0, whole);
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL DROPS\n", argv[0]), 2;
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    long drops = atol(argv[3]);
    struct Watcher watchers[MOST_THREADS];
    for (int m = 0; m < MEADOWS; m++) {
        for (int way = 0; way < 3; way++) below[m][way] = mixed(3 * m + way) % MEADOWS;
    }
    survey = cleared(sizeof *survey * MEADOWS * threads);
    for (int t = 0; t < threads; t++) {
        watchers[t] = (struct Watcher){
            .column = t,
            .from = drops * t / threads,
            .to = drops * (t + 1) / threads,
            .field = cleared(sizeof *survey * MEADOWS),
        };
        if (pthread_create(&watchers[t].id, NULL, watch, &watchers[t]) != 0) return 1;
    }
    uint64_t total[MEADOWS] = {0}, answer = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(watchers[t].id, NULL);
        for (int m = 0; m < MEADOWS; m++) total[m] += watchers[t].field[m] + survey[m * threads + t];
    }
    for (int m = 0; m < MEADOWS; m++) answer = mixed(answer ^ total[m]);
    printf("%ld drops, wettest code %016llx\n", drops, (unsigned long long)answer);
}
