/* Routes rain through river basins: every day each basin's cells take up rain, let some of it seep away and pass the
 * rest downstream, and the clerk adds up what the gauges at the mouths show. Basins are listed with the largest first
 * and dealt out to the crews once, before the first day, a run of neighbours in the list to each.
 *
 * The dial moves the deal: at 0 the list is cut so that all crews have as many cells, at 1 so that all have as many
 * basins, and in between by a mean of both. The first crews then have more cells than the last, which wait every
 * evening until the clerk opens the next day: imbalance. All the work and its results are the same at every dial. */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASINS = 480, CELLS = 48000, HOURS = 24, MOST_CREWS = 64 };

/* A basin's size by that of the one before it in the list. */
static const double SHRINK = 0.994246;

struct cell {
    uint32_t store;
    uint32_t seep; /* what the ground takes in an hour */
    int32_t down;  /* the cell it flows to, always a later one */
    uint32_t slope;
};

struct basin {
    int cells;
    uint32_t seed;
    struct cell *cell;
    uint64_t gauge;
};

struct crew {
    pthread_t id;
    sem_t morning, evening;
    int begin, end;
    long days;
};

static struct basin basins[BASINS];

static uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void survey(void) {
    double whole = 0, share = 1;
    for (int b = 0; b < BASINS; b++, share *= SHRINK) whole += share;
    share = 1;
    for (int b = 0; b < BASINS; b++) {
        struct basin *one = &basins[b];
        one->cells = 4 + (int)(CELLS * share / whole);
        share *= SHRINK;
        one->seed = mixed((uint32_t)b + 77);
        size_t bytes = ((size_t)(one->cells + 1) * sizeof(struct cell) + 127) / 128 * 128;
        one->cell = aligned_alloc(128, bytes);
        if (one->cell == 0) exit(1);
        memset(one->cell, 0, bytes);
        for (int i = 0; i < one->cells; i++) {
            uint32_t r = mixed(one->seed + (uint32_t)i);
            int hop = 1 + (int)(r % 9);
            one->cell[i].down = i + hop < one->cells ? i + hop : one->cells;
            one->cell[i].seep = 3 + (r >> 8) % 40;
            one->cell[i].slope = 90 + (r >> 16) % 120;
        }
    }
}

/* One day in one basin. The last cell, one past the others, is the sea. */
static void flow(struct basin *one, long day) {
    struct cell *cell = one->cell;
    for (int hour = 0; hour < HOURS; hour++) {
        uint32_t sky = mixed(one->seed ^ (uint32_t)(day * HOURS + hour) * 2654435761u);
        uint32_t rain = (sky & 7) < 3 ? (sky >> 8) % 180 : 0;
        for (int i = 0; i < one->cells; i++) {
            uint32_t water = cell[i].store + rain;
            uint32_t seep = cell[i].seep < water ? cell[i].seep : water;
            water -= seep;
            uint32_t away = (uint32_t)((uint64_t)water * cell[i].slope >> 8);
            if (water > 4000) away += (water - 4000) / 2;
            if (away > water) away = water;
            cell[i].store = water - away;
            cell[cell[i].down].store += away;
        }
        one->gauge = one->gauge * 31 + cell[one->cells].store;
        cell[one->cells].store = 0;
    }
}

static void *crew_days(void *given) {
    struct crew *crew = given;
    for (long day = 0; day < crew->days; day++) {
        while (sem_wait(&crew->morning) != 0) {}
        for (int b = crew->begin; b < crew->end; b++) flow(&basins[b], day);
        sem_post(&crew->evening);
    }
    return 0;
}

/* Where the list is cut before the given crew. */
static int cut(int crew, int crews, double dial) {
    long all = 0, before = 0;
    for (int b = 0; b < BASINS; b++) all += basins[b].cells;
    int by_cells = 0;
    while (by_cells < BASINS && before + basins[by_cells].cells / 2 < all * crew / crews)
        before += basins[by_cells++].cells;
    double by_number = (double)BASINS * crew / crews;
    return (int)((1 - dial) * by_cells + dial * by_number + 0.5);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int crews = atoi(argv[1]);
    double dial = atof(argv[2]);
    long days = atol(argv[3]);
    if (crews < 1 || crews > MOST_CREWS) return 2;
    survey();

    static struct crew crew[MOST_CREWS];
    for (int c = 0; c < crews; c++) {
        crew[c].begin = c == 0 ? 0 : cut(c, crews, dial);
        crew[c].end = c == crews - 1 ? BASINS : cut(c + 1, crews, dial);
        crew[c].days = days;
        sem_init(&crew[c].morning, 0, 0);
        sem_init(&crew[c].evening, 0, 0);
        if (pthread_create(&crew[c].id, 0, crew_days, &crew[c]) != 0) return 1;
    }
    uint64_t report = 0;
    for (long day = 0; day < days; day++) {
        for (int c = 0; c < crews; c++) sem_post(&crew[c].morning);
        for (int c = 0; c < crews; c++)
            while (sem_wait(&crew[c].evening) != 0) {}
        for (int b = 0; b < BASINS; b++) report = report * 1099511628211u + basins[b].gauge;
    }
    for (int c = 0; c < crews; c++) pthread_join(crew[c].id, 0);
    printf("%ld days, gauges %016llx\n", days, (unsigned long long)report);
    return 0;
}
