/* Branch predictor study: replays made-up traces of a processor's branches on a tournament predictor (two-bit counters
 * by address, two-bit counters by history, and counters that choose between both), next to a small perceptron, and
 * counts wrong predictions. Traces are dealt to OpenMP's threads one by one.
 *
 * The dial is the share of the counters that stand in one common bank, where counter i of every thread is next to
 * counter i of the others, as in an array counter[i][thread]; the rest is in a bank of the thread's own. A thread only
 * ever touches its own counters, but those in the common bank share their cache lines with counters that another
 * thread writes: false sharing. With one thread both layouts are dense arrays. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL, GLOBAL, CHOICE, TABLES };
enum { ENTRIES = 1024, COUNTERS = TABLES * ENTRIES, TRACE = 100000, SITES = 64, TAPS = 8, LINE = 256 };

typedef struct {
    uint32_t pc;
    uint8_t bias;   /* of 256 */
    uint8_t period; /* loops end every so many times */
} Site;

/* Where the counters of one thread are, as offsets from the start of the arena. */
typedef struct {
    uint8_t *arena;
    uint32_t slot[TABLES][ENTRIES];
    int16_t weight[SITES][TAPS];
} Predictor;

typedef struct {
    uint64_t wrong_tournament, wrong_perceptron, taken;
} Score;

static inline uint64_t next_random(uint64_t *state) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    return x ^ x >> 27;
}

static void make_sites(Site *sites, uint64_t *state) {
    for (int i = 0; i < SITES; i++) {
        uint64_t x = next_random(state);
        sites[i].pc = (uint32_t)x & 0xFFFFFC;
        sites[i].bias = (uint8_t)(x >> 32);
        sites[i].period = (uint8_t)(3 + (x >> 40) % 13);
    }
}

static inline uint8_t *counter(Predictor *p, int table, uint64_t entry) {
    return &p->arena[p->slot[table][entry % ENTRIES]];
}

/* Count up or down, between 0 and 3. */
static inline void count(uint8_t *counter, unsigned up) {
    unsigned now = *counter;
    *counter = (uint8_t)(now + (up & (now < 3)) - ((up ^ 1) & (now > 0)));
}

static unsigned tournament(Predictor *p, const Site *site, uint64_t history, unsigned taken) {
    uint64_t key = ((uint64_t)(site->pc >> 2) ^ (history & 0x3F) << 18) * 0x9E3779B97F4A7C15u;
    uint8_t *local = counter(p, LOCAL, (site->pc * 0x9E3779B97F4A7C15u) >> 40);
    uint8_t *global = counter(p, GLOBAL, key >> 40);
    uint8_t *choice = counter(p, CHOICE, key >> 50);
    unsigned by_address = *local >> 1, by_history = *global >> 1;
    unsigned said = *choice >> 1 ? by_history : by_address;
    unsigned better = by_history == taken;
    unsigned now = *choice, differ = by_address ^ by_history;
    *choice = (uint8_t)(now + (differ & better & (now < 3)) - (differ & (better ^ 1) & (now > 0)));
    count(local, taken);
    count(global, taken);
    return said;
}

static unsigned perceptron(int16_t *weight, uint64_t history, unsigned taken) {
    int sum = weight[0], want = taken ? 1 : -1;
    for (int i = 1; i < TAPS; i++) {
        int sign = (int)(history >> i & 1) * 2 - 1;
        int now = weight[i] + sign * want;
        sum += sign * weight[i];
        weight[i] = (int16_t)(now > 127 ? 127 : now < -127 ? -127 : now);
    }
    weight[0] = (int16_t)(weight[0] + (want - (weight[0] >> 6)));
    return sum >= 0;
}

static Score replay(Predictor *p, long number) {
    uint64_t state = (uint64_t)number * 0xD6E8FEB86659FD93u + 7, history = 0;
    Site sites[SITES];
    uint32_t visits[SITES] = {0};
    Score score = {0, 0, 0};
    make_sites(sites, &state);
    for (int table = 0; table < TABLES; table++)
        for (int i = 0; i < ENTRIES; i++) *counter(p, table, (uint64_t)i) = 1;
    memset(p->weight, 0, sizeof p->weight);
    for (int step = 0; step < TRACE; step++) {
        uint64_t x = next_random(&state);
        int at = (int)(x % SITES);
        const Site *site = &sites[at];
        unsigned ends = ++visits[at] == site->period;
        if (ends) visits[at] = 0;
        unsigned taken = (unsigned)((x >> 32 & 255) < site->bias) ^ ends;
        score.wrong_tournament += tournament(p, site, history, taken) ^ taken;
        score.wrong_perceptron += perceptron(p->weight[at], history, taken) ^ taken;
        score.taken += taken;
        history = history << 1 | taken;
    }
    return score;
}

/* The common bank first, then a bank for each thread, some lines apart. */
static Predictor *set_up(uint8_t *arena, size_t thread, size_t threads, double dial) {
    Predictor *p = aligned_alloc(LINE, (sizeof *p + LINE - 1) / LINE * LINE);
    size_t own = COUNTERS * threads + LINE + thread * (COUNTERS + LINE), common = (size_t)(dial * ENTRIES + 0.5);
    p->arena = arena;
    for (size_t table = 0; table < TABLES; table++)
        for (size_t i = 0; i < ENTRIES; i++) {
            size_t at = table * ENTRIES + i;
            p->slot[table][i] = (uint32_t)(i < common ? at * threads + thread : own + at);
        }
    return p;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long traces = atol(argv[3]);
    size_t size = ((size_t)threads * (2 * COUNTERS + LINE) + 2 * LINE) / LINE * LINE;
    uint8_t *arena = aligned_alloc(LINE, size);
    memset(arena, 0, size);
    uint64_t wrong_tournament = 0, wrong_perceptron = 0, taken = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong_tournament, wrong_perceptron, taken)
    {
        Predictor *mine = set_up(arena, (size_t)omp_get_thread_num(), (size_t)threads, dial);
#pragma omp for schedule(dynamic) nowait
        for (long trace = 0; trace < traces; trace++) {
            Score score = replay(mine, trace);
            wrong_tournament += score.wrong_tournament * (uint64_t)(trace + 1);
            wrong_perceptron += score.wrong_perceptron * (uint64_t)(trace + 1);
            taken += score.taken;
        }
        free(mine);
    }
    free(arena);
    printf("tournament %llu perceptron %llu taken %llu\n", (unsigned long long)wrong_tournament,
           (unsigned long long)wrong_perceptron, (unsigned long long)taken);
    return 0;
}
