/* The desk of a hotel chain: threads answer requests, each of which needs the tariffs (under a read-write lock) and a
 * forecast of demand, night by night, of some 50 us.
 *
 * The dial is the share of the requests that are bookings: these hold the write lock while they compute their forecast,
 * and the others, who want the tariffs, sleep until the lock is free. Quotes compute the same after they have let go of
 * the lock. One thread computes and locks as often, and never waits. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOTELS = 50, SEASONS = 12, NIGHTS = 14, GUESTS = 1300 };

struct hotel {
    uint32_t tariff[SEASONS];
    uint64_t income;
    uint64_t bookings;
};

static struct {
    pthread_rwlock_t lock;
    struct hotel hotels[HOTELS];
} desk = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static atomic_long waiting_line;
static long requests;
static double dial;

static uint64_t scatter(uint64_t x) {
    x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 29) * 0x94D049BB133111EBu;
    return x ^ x >> 32;
}

/* Lets guests arrive night after night, each of whom accepts a price or not, and raises or lowers it. */
static uint64_t forecast(uint64_t request, const uint32_t *tariff) {
    uint64_t guest = scatter(request + 1), price = 0, total = 0;
    for (int night = 0; night < NIGHTS; night++) {
        price += tariff[(request + (uint64_t)night) % SEASONS];
        for (int g = 0; g < GUESTS; g++) {
            guest = guest * 6364136223846793005u + (price | 1);
            price = price + (guest >> 62) - (price >> 9);
        }
        total += price;
    }
    return total;
}

static void *clerk(void *answer) {
    uint32_t tariff[SEASONS];
    uint64_t quoted = 0;
    for (;;) {
        long number = atomic_fetch_add_explicit(&waiting_line, 1, memory_order_relaxed);
        if (number >= requests) break;
        uint64_t request = (uint64_t)number;
        struct hotel *hotel = &desk.hotels[scatter(request) % HOTELS];
        if ((double)(scatter(request * 7 + 5) >> 11) * 0x1p-53 < dial) {
            pthread_rwlock_wrlock(&desk.lock);
            hotel->income += forecast(request, hotel->tariff);
            hotel->bookings++;
            pthread_rwlock_unlock(&desk.lock);
        } else {
            pthread_rwlock_rdlock(&desk.lock);
            memcpy(tariff, hotel->tariff, sizeof tariff);
            pthread_rwlock_unlock(&desk.lock);
            quoted += forecast(request, tariff);
        }
    }
    *(uint64_t *)answer = quoted;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int clerks = atoi(argv[1]);
    dial = atof(argv[2]);
    requests = atol(argv[3]);
    for (int h = 0; h < HOTELS; h++)
        for (int s = 0; s < SEASONS; s++) desk.hotels[h].tariff[s] = 60 + (uint32_t)(scatter((uint64_t)(h * SEASONS + s)) % 200);
    pthread_t *ids = calloc((size_t)clerks, sizeof *ids);
    uint64_t *answers = calloc((size_t)clerks, sizeof *answers), sum = 0;
    if (!ids || !answers) return 1;
    for (int c = 0; c < clerks; c++)
        if (pthread_create(&ids[c], 0, clerk, &answers[c])) return 1;
    for (int c = 0; c < clerks; c++) {
        pthread_join(ids[c], 0);
        sum += answers[c];
    }
    for (int h = 0; h < HOTELS; h++) sum += desk.hotels[h].income;
    printf("value %llu\n", (unsigned long long)sum);
    free(ids);
    free(answers);
    return 0;
}
