/* An in-memory store of sessions: connections with command lines in text are parsed and add to the counters of users.
 *
 * The dial is the share of commands that are transactions: they hold the store's one hand-written ticket lock while the
 * digest of the payload is computed, where other commands compute it first and lock only a stripe for an instant.
 * A thread that finds the ticket lock taken polls it with a pause, so the wait is CPU time: spinning. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRIPES = 64, USERS = 4096, PER_CONNECTION = 50, LINE_BYTES = 64 };

struct Ticket {
    _Alignas(128) atomic_uint next;
    _Alignas(128) atomic_uint now;
};

static struct Ticket stripes[STRIPES], whole;
static uint64_t counters[STRIPES][USERS / STRIPES] __attribute__((aligned(128)));
static uint64_t in_transactions[USERS] __attribute__((aligned(128)));
static atomic_long next_connection;
static long connections;
static double dial;

static void lock(struct Ticket *t) {
    unsigned mine = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&t->now, memory_order_acquire) != mine) __builtin_ia32_pause();
}

static void unlock(struct Ticket *t) {
    unsigned mine = atomic_load_explicit(&t->now, memory_order_relaxed);
    atomic_store_explicit(&t->now, mine + 1, memory_order_release);
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* What a client sent: the name of a command, a user and the payload. */
static void receive(char *line, long connection, int number) {
    uint64_t r = mix((uint64_t)connection * 1009 + (uint64_t)number + 1);
    int multi = (double)(mix(r) >> 11) * 0x1p-53 < dial;
    snprintf(line, LINE_BYTES, "%s u%u %016llx", multi ? "TXADD" : "ADD", (unsigned)(r % USERS), (unsigned long long)r);
}

static uint64_t digest(const char *payload) {
    uint64_t x = 0xCBF29CE484222325u;
    for (int round = 0; round < 150; round++)
        for (const char *c = payload; *c; c++) x = (x ^ (unsigned char)*c) * 0x100000001B3u;
    return x;
}

static void execute(char *line) {
    char *rest = 0;
    const char *command = strtok_r(line, " ", &rest);
    unsigned user = (unsigned)strtoul(strtok_r(0, " ", &rest) + 1, 0, 10);
    const char *payload = strtok_r(0, " ", &rest);
    if (command[0] == 'T') {
        lock(&whole);
        in_transactions[user] += digest(payload);
        unlock(&whole);
        return;
    }
    uint64_t value = digest(payload);
    lock(&stripes[user % STRIPES]);
    counters[user % STRIPES][user / STRIPES] += value;
    unlock(&stripes[user % STRIPES]);
}

static void *serve(void *unused) {
    char line[LINE_BYTES];
    long c;
    while ((c = atomic_fetch_add(&next_connection, 1)) < connections)
        for (int i = 0; i < PER_CONNECTION; i++) {
            receive(line, c, i);
            execute(line);
        }
    return unused;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    dial = atof(argv[2]);
    connections = atol(argv[3]);
    pthread_t ids[64];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, serve, 0)) return 1;
    for (int t = 0; t < threads; t++) pthread_join(ids[t], 0);
    uint64_t sum = 0;
    for (unsigned u = 0; u < USERS; u++)
        sum += mix(counters[u % STRIPES][u / STRIPES] + in_transactions[u]) * (u + 1);
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
