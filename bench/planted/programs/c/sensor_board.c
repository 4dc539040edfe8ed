/* A board of sensors that everybody reads: a publisher renews one station every two milliseconds, threads run alarm
 * rules over the stations and add what they found to one ledger behind one mutex, 200 rules at a time.
 *
 * The dial is the share of the readings that are taken from the common board, with a version number that is read before
 * and after and a loop that tries again, instead of from the thread's own copy. A decoy: the hot shared atomics are
 * nearly only read, the loop nearly never repeats, the mutex is held for two additions; it scales at every dial. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STATIONS 64
#define CHANNELS 4
#define RULES 200

struct station {
    _Alignas(64) atomic_uint version;
    _Atomic uint32_t channel[CHANNELS];
};

static struct station board[STATIONS];
static pthread_mutex_t ledger_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t alarms, level;
} ledger;
static pthread_mutex_t closing_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t closing_bell = PTHREAD_COND_INITIALIZER;
static bool closing;
static int readers;
static uint32_t threshold;
static long rounds;

static uint32_t measure(unsigned station, unsigned channel) { return (station * 977u + channel * 131u) % 4093u; }

static void renew(unsigned s) {
    unsigned version = atomic_load_explicit(&board[s].version, memory_order_relaxed);
    atomic_store_explicit(&board[s].version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    for (unsigned c = 0; c < CHANNELS; c++)
        atomic_store_explicit(&board[s].channel[c], measure(s, c), memory_order_relaxed);
    atomic_store_explicit(&board[s].version, version + 2, memory_order_release);
}

static void *publish(void *unused) {
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    pthread_mutex_lock(&closing_lock);
    for (unsigned s = 0; !closing; s = (s + 1) % STATIONS) {
        renew(s);
        when.tv_nsec += 2000000;
        if (when.tv_nsec >= 1000000000) {
            when.tv_nsec -= 1000000000;
            when.tv_sec++;
        }
        while (!closing && pthread_cond_timedwait(&closing_bell, &closing_lock, &when) == 0) {
        }
    }
    pthread_mutex_unlock(&closing_lock);
    return unused;
}

static inline void look(unsigned s, uint32_t *seen) {
    unsigned before, after;
    do {
        before = atomic_load_explicit(&board[s].version, memory_order_acquire);
        for (unsigned c = 0; c < CHANNELS; c++)
            seen[c] = atomic_load_explicit(&board[s].channel[c], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&board[s].version, memory_order_relaxed);
    } while (before != after || (before & 1));
}

static void *watch(void *given) {
    int me = (int)(intptr_t)given;
    uint32_t copy[STATIONS][CHANNELS];
    for (unsigned s = 0; s < STATIONS; s++) look(s, copy[s]);
    for (long round = rounds * me / readers; round < rounds * (me + 1) / readers; round++) {
        uint64_t alarms = 0, level = 0, rule = (uint64_t)round * 0x9E3779B97F4A7C15u + 3;
        for (int r = 0; r < RULES; r++) {
            uint32_t seen[CHANNELS];
            rule = rule * 6364136223846793005u + 1442695040888963407u;
            unsigned s = (unsigned)(rule >> 58);
            if ((uint32_t)(rule >> 20 & 0xFFFFF) < threshold)
                look(s, seen);
            else
                for (unsigned c = 0; c < CHANNELS; c++) seen[c] = copy[s][c];
            uint32_t smooth = (uint32_t)(rule >> 40 & 0xFFF);
            for (int step = 0; step < 24; step++) smooth += (seen[step % CHANNELS] * 7 + smooth * 13) >> 4 & 0xFFF;
            level += smooth;
            alarms += smooth > 40000;
        }
        pthread_mutex_lock(&ledger_lock);
        ledger.alarms += alarms;
        ledger.level += level;
        pthread_mutex_unlock(&ledger_lock);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    readers = atoi(argv[1]);
    threshold = (uint32_t)(atof(argv[2]) * 0x100000);
    rounds = atol(argv[3]);
    for (unsigned s = 0; s < STATIONS; s++) renew(s);
    pthread_t publisher, *ids = calloc((size_t)readers, sizeof *ids);
    if (!ids || pthread_create(&publisher, 0, publish, 0)) return 1;
    for (int t = 0; t < readers; t++)
        if (pthread_create(&ids[t], 0, watch, (void *)(intptr_t)t)) return 1;
    for (int t = 0; t < readers; t++) pthread_join(ids[t], 0);
    pthread_mutex_lock(&closing_lock);
    closing = true;
    pthread_cond_signal(&closing_bell);
    pthread_mutex_unlock(&closing_lock);
    pthread_join(publisher, 0);
    printf("%llu alarms, level %llu\n", (unsigned long long)ledger.alarms, (unsigned long long)ledger.level);
    free(ids);
    return 0;
}
