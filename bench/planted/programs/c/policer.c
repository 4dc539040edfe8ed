// A router's forwarding path: packets are looked up by longest prefix, and those of the metered class pass a policer, a
// bucket of tokens that all threads draw on.
//
//     policer THREADS DIAL WORK
//
// WORK is the number of packets. DIAL (0 to 1) is the share of packets in the metered class.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUTES = 3000, PORTS = 16, NODES = 1 << 17, BURST = 32 };

struct packet {
    uint32_t destination;
    uint16_t length;
    uint16_t metered;
};

struct port {
    uint64_t packets;
    uint64_t bytes;
};

struct worker {
    pthread_t thread;
    const struct packet *first;
    const struct packet *last;
    struct port ports[PORTS];
    uint64_t dropped;
    uint32_t checksum;
} __attribute__((aligned(128)));

// A binary trie; child 0 says that there is none.
static uint32_t child[NODES][2];
static uint8_t route[NODES];
static uint32_t nodes = 1;

// Tokens are bytes that may still pass.
static struct {
    _Alignas(128) _Atomic int64_t tokens;
} bucket;

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

static void announce(uint32_t prefix, int length, int port)
{
    uint32_t at = 0;
    for (int bit = 0; bit < length; bit++) {
        int side = prefix >> (31 - bit) & 1;
        if (child[at][side] == 0) child[at][side] = nodes++;
        at = child[at][side];
    }
    route[at] = (uint8_t)(port + 1);
}

static int lookup(uint32_t destination)
{
    uint32_t at = 0;
    int best = 0;
    for (int bit = 31; bit >= 0; bit--) {
        at = child[at][destination >> bit & 1];
        if (at == 0) break;
        if (route[at] != 0) best = route[at] - 1;
    }
    return best;
}

// Take the tokens for a packet; nothing is taken when too few are left.
static int conforms(uint16_t length)
{
    int64_t left = atomic_load_explicit(&bucket.tokens, memory_order_relaxed);
    do {
        if (left < length) return 0;
    } while (!atomic_compare_exchange_weak(&bucket.tokens, &left, left - length));
    return 1;
}

static void *forward(void *argument)
{
    struct worker *me = argument;
    for (const struct packet *burst = me->first; burst < me->last; burst += BURST) {
        const struct packet *end = burst + BURST < me->last ? burst + BURST : me->last;
        for (const struct packet *packet = burst; packet < end; packet++) {
            int port = lookup(packet->destination);
            if (packet->metered && !conforms(packet->length)) {
                me->dropped++;
                continue;
            }
            // The header is rewritten: one hop less, and a new checksum.
            uint32_t sum = packet->destination >> 16;
            sum += (packet->destination & 0xffff) + packet->length + 0x100;
            me->checksum ^= ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
            me->ports[port].packets++;
            me->ports[port].bytes += packet->length;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long work = atol(argv[3]);

    for (uint32_t i = 0; i < ROUTES; i++) announce(mix(i), 8 + (int)(mix(i + 77777) % 17), (int)(i % PORTS));

    // A trace of fixed length is played again and again.
    enum { TRACE = 1 << 18 };
    static struct packet trace[TRACE];
    double owed = 0;
    for (uint32_t i = 0; i < TRACE; i++) {
        owed += dial;
        trace[i] = (struct packet){mix(i % ROUTES) ^ (mix(i) >> 20), (uint16_t)(64 + mix(i + 5) % 1400), owed >= 1};
        if (owed >= 1) owed -= 1;
    }
    atomic_store(&bucket.tokens, (int64_t)work * 1500);

    struct worker *workers = aligned_alloc(128, sizeof *workers * (size_t)threads);
    uint64_t packets = 0, digest = 0, dropped = 0;
    uint64_t totals[PORTS] = {0};
    uint32_t checksum = 0;
    for (int t = 0; t < threads; t++) {
        workers[t] = (struct worker){0};
    }
    for (long played = 0; played < work; played += TRACE) {
        long length = work - played < TRACE ? work - played : TRACE;
        for (int t = 0; t < threads; t++) {
            workers[t].first = trace + length * t / threads;
            workers[t].last = trace + length * (t + 1) / threads;
            pthread_create(&workers[t].thread, NULL, forward, &workers[t]);
        }
        for (int t = 0; t < threads; t++) pthread_join(workers[t].thread, NULL);
    }
    for (int t = 0; t < threads; t++) {
        dropped += workers[t].dropped;
        checksum ^= workers[t].checksum;
        for (int p = 0; p < PORTS; p++) {
            packets += workers[t].ports[p].packets;
            totals[p] += workers[t].ports[p].bytes;
        }
    }
    for (int p = 0; p < PORTS; p++) digest = digest * 1000003 + totals[p];
    printf("%llu forwarded, %llu dropped, checksum %x, digest %llx\n", (unsigned long long)packets,
           (unsigned long long)dropped, checksum, (unsigned long long)digest);
    free(workers);
    return 0;
}
