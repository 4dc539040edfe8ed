/* Sleeping lock: stowage plans for container ships, made by several planners.
 *
 * A plan puts 40 containers into 8 bays and swaps containers between bays while that evens the weights. A ship with
 * dangerous goods must be planned while nobody else plans such a ship: its planner holds the yard's register from the
 * first container to the last, some tens of microseconds, and another who wants it sleeps. The dial is the share of the
 * ships with dangerous goods. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINERS 40
#define BAYS 8

typedef unsigned long long u64;

static struct {
    pthread_mutex_t held;
    u64 dangerous_weight;
} yard = {.held = PTHREAD_MUTEX_INITIALIZER};

struct planner {
    long begin, end;
    double dangerous;
    u64 result;
};

static unsigned draw(u64 *s) { return (unsigned)((*s = *s * 6364136223846793005ull + 1442695040888963407ull) >> 33); }

static u64 unevenness(const int load[BAYS]) {
    u64 bad = 0;
    for (int b = 0; b < BAYS; b++) bad += (u64)load[b] * (u64)load[b];
    return bad;
}

static u64 plan(long ship, u64 *heaviest) {
    u64 seed = (u64)ship * 2862933555777941757ull + 3037000493ull;
    int weight[CONTAINERS], bay[CONTAINERS], load[BAYS];
    memset(load, 0, sizeof load);
    for (int c = 0; c < CONTAINERS; c++) {
        weight[c] = 2 + (int)(draw(&seed) % 29);
        bay[c] = c % BAYS;
        load[bay[c]] += weight[c];
    }
    u64 bad = unevenness(load);
    int rounds = 12 + (int)(draw(&seed) % 17);
    for (int round = 0; round < rounds; round++) {
        for (int a = 0; a < CONTAINERS; a++) {
            int b = (int)(draw(&seed) % CONTAINERS), differ = weight[a] - weight[b];
            load[bay[a]] -= differ, load[bay[b]] += differ;
            u64 now = unevenness(load);
            if (now <= bad) {
                int was = bay[a];
                bay[a] = bay[b], bay[b] = was;
                bad = now;
            } else {
                load[bay[a]] += differ, load[bay[b]] -= differ;
            }
        }
    }
    *heaviest = 0;
    for (int b = 0; b < BAYS; b++)
        if ((u64)load[b] > *heaviest) *heaviest = (u64)load[b];
    u64 code = bad;
    for (int c = 0; c < CONTAINERS; c++) code = code * 9 + (u64)bay[c];
    return code;
}

static bool is_dangerous(long ship, double share) {
    u64 s = (u64)ship ^ 0x5DEECE66Dull;
    draw(&s), draw(&s);
    return draw(&s) % 100000 < share * 100000;
}

static void *planning(void *p) {
    struct planner *me = p;
    u64 heaviest;
    for (long ship = me->begin; ship < me->end; ship++) {
        if (is_dangerous(ship, me->dangerous)) {
            pthread_mutex_lock(&yard.held);
            me->result += plan(ship, &heaviest);
            yard.dangerous_weight += heaviest;
            pthread_mutex_unlock(&yard.held);
        } else {
            me->result += plan(ship, &heaviest);
            me->result += heaviest;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    long n = atol(argv[1]), ships = atol(argv[3]);
    pthread_t *ids = calloc((size_t)n, sizeof *ids);
    struct planner *crew = calloc((size_t)n, sizeof *crew);
    for (long i = 0; i < n; i++) {
        crew[i] = (struct planner){ships * i / n, ships * (i + 1) / n, atof(argv[2]), 0};
        if (pthread_create(&ids[i], NULL, planning, &crew[i]) != 0) return 1;
    }
    u64 answer = 0;
    for (long i = 0; i < n; i++) {
        pthread_join(ids[i], NULL);
        answer += crew[i].result;
    }
    printf("%llx\n", answer + yard.dangerous_weight);
    free(crew), free(ids);
    return 0;
}
