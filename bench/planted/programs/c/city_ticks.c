/* A city game: in each tick all threads move the households of their districts, then the market is cleared, then all
 * threads pay out what it decided.
 *
 * The dial is the share of households whose trades are computed in the clearing, by the one thread that comes last to
 * the barrier, and not by their district's thread; a household costs the same in either place. The others wait at the
 * next barrier meanwhile, so this is a serial part in the middle of each tick. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOUSEHOLDS = 4000 };

struct Household {
    uint64_t money, wish;
};

static struct Household city[HOUSEHOLDS];
static pthread_barrier_t barrier;
static int threads, at_market;
static long ticks;

static uint64_t haggle(uint64_t x) {
    for (int i = 0; i < 700; i++) x = x * 6364136223846793005u + (x >> 33 | 1);
    return x;
}

static void trade(int from, int to) {
    for (int h = from; h < to; h++) city[h].wish = haggle(city[h].money + (uint64_t)h);
}

/* Districts are ranges of the households that do not go to the market. */
static int border(int district) { return at_market + (HOUSEHOLDS - at_market) * district / threads; }

static void *live(void *given) {
    int me = (int)(intptr_t)given;
    for (long tick = 0; tick < ticks; tick++) {
        trade(border(me), border(me + 1));
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) trade(0, at_market);
        pthread_barrier_wait(&barrier);
        for (int h = HOUSEHOLDS * me / threads; h < HOUSEHOLDS * (me + 1) / threads; h++)
            city[h].money += city[h].wish >> 40;
        pthread_barrier_wait(&barrier);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    at_market = (int)(atof(argv[2]) * HOUSEHOLDS);
    ticks = atol(argv[3]);
    for (int h = 0; h < HOUSEHOLDS; h++) city[h].money = (uint64_t)h * 7919 + 1;
    pthread_barrier_init(&barrier, 0, (unsigned)threads);
    pthread_t ids[64];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, live, (void *)(intptr_t)t)) return 1;
    for (int t = 0; t < threads; t++) pthread_join(ids[t], 0);
    uint64_t sum = 0;
    for (int h = 0; h < HOUSEHOLDS; h++) sum = sum * 31 + city[h].money;
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
