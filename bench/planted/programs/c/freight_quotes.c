/* Prices freight: workers take manifests, read their lines of text, ask the tariff office for the rates of each
 * consignment, and look for its cheapest route over a few legs between ports.
 *
 * There is one session with the tariff office; who needs it checks it out and returns it, and others wait on a condition
 * variable. The dial is the share of the consignments whose routes are searched before the session is returned, not
 * after. A search takes some 50 us, so others sleep: a sleeping lock. One thread checks it out as often and never waits. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS = 32, LEGS = 4, CLASSES = 18, LINES = 8, TARIFFS = 512, MOST = 64 };

/* The one session. Its rates belong to who has checked it out. */
static struct {
    pthread_mutex_t guard;
    pthread_cond_t returned;
    int out;
    uint32_t rates[TARIFFS];
    uint64_t asked;
} office = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, {0}, 0};

struct Consignment {
    long number;
    int from, to, tariff, tons;
};

static uint32_t distance[PORTS][PORTS];
static atomic_long next_manifest;
static long manifests;
static double kept_share;

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static void check_out(void) {
    pthread_mutex_lock(&office.guard);
    while (office.out) pthread_cond_wait(&office.returned, &office.guard);
    office.out = 1;
    pthread_mutex_unlock(&office.guard);
}

static void give_back(void) {
    pthread_mutex_lock(&office.guard);
    office.out = 0;
    pthread_mutex_unlock(&office.guard);
    pthread_cond_signal(&office.returned);
}

/* Write a manifest as it would come over the wire: "number from>to class*tons;" for each consignment. */
static void write_manifest(long manifest, char *text, size_t size) {
    size_t at = 0;
    for (int line = 0; line < LINES; line++) {
        uint64_t x = mixed((uint64_t)(manifest * LINES + line + 1) * 0x9E3779B97F4A7C15u);
        at += (size_t)snprintf(text + at, size - at, "%ld %d>%d T%d*%d;", manifest * LINES + line, (int)(x % PORTS),
                               (int)(x >> 8 & (PORTS - 1)), (int)(x >> 20 & (TARIFFS - 1)), (int)(x >> 40 & 63) + 1);
    }
}

static const char *number_at(const char *text, long *value) {
    while (*text != 0 && (*text < '0' || *text > '9')) text++;
    long sum = 0;
    for (; *text >= '0' && *text <= '9'; text++) sum = sum * 10 + (*text - '0');
    *value = sum;
    return text;
}

static const char *parse_line(const char *text, struct Consignment *into) {
    long field[5];
    for (int i = 0; i < 5; i++) text = number_at(text, &field[i]);
    *into = (struct Consignment){field[0], (int)field[1], (int)field[2], (int)field[3], (int)field[4]};
    return text;
}

/* The cheapest way of at most LEGS legs for each class of ship; the answer folds all of them. */
static uint64_t cheapest_routes(const struct Consignment *load, uint32_t rate) {
    uint64_t folded = 0;
    for (uint32_t class = 1; class <= CLASSES; class++) {
        uint32_t best[PORTS], then[PORTS];
        for (int port = 0; port < PORTS; port++) best[port] = 1u << 30;
        best[load->from] = 0;
        for (int leg = 0; leg < LEGS; leg++) {
            for (int to = 0; to < PORTS; to++) {
                uint32_t least = best[to];
                for (int by = 0; by < PORTS; by++) {
                    uint32_t cost = best[by] + (distance[to][by] * class >> 1) + ((rate ^ (uint32_t)(to * by)) & 255);
                    if (cost < least) least = cost;
                }
                then[to] = least;
            }
            memcpy(best, then, sizeof best);
        }
        folded = folded * 31 + best[load->to] * (uint64_t)load->tons;
    }
    return mixed(folded + (uint64_t)load->number);
}

static int keeps_session(long number) {
    return (double)(mixed((uint64_t)(number + 7) * 0x9E3779B97F4A7C15u) >> 11) * 0x1p-53 < kept_share;
}

static void *worker(void *sum_given) {
    uint64_t sum = 0;
    char text[LINES * 64];
    for (long manifest; (manifest = atomic_fetch_add(&next_manifest, 1)) < manifests;) {
        write_manifest(manifest, text, sizeof text);
        const char *at = text;
        for (int line = 0; line < LINES; line++) {
            struct Consignment load;
            at = parse_line(at, &load);
            int keeps = keeps_session(load.number);
            check_out();
            uint32_t rate = office.rates[load.tariff];
            office.asked++;
            if (keeps) sum += cheapest_routes(&load, rate);
            give_back();
            if (!keeps) sum += cheapest_routes(&load, rate);
        }
    }
    *(uint64_t *)sum_given = sum;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);
    kept_share = atof(argv[2]);
    manifests = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    for (int a = 0; a < PORTS; a++)
        for (int b = 0; b < PORTS; b++) distance[a][b] = (uint32_t)(mixed((uint64_t)(a * PORTS + b + 1)) % 4000) + 100;
    for (int i = 0; i < TARIFFS; i++) office.rates[i] = (uint32_t)mixed((uint64_t)i + 99);

    pthread_t ids[MOST];
    uint64_t sums[MOST], total = 0;
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, worker, &sums[t]) != 0) return 1;
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], 0);
        total += sums[t];
    }
    printf("%016llx after %llu questions\n", (unsigned long long)total, (unsigned long long)office.asked);
    return 0;
}
