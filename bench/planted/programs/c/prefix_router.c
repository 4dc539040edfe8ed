/* Forwards packets: looks each destination up in a trie of prefixes, rewrites the header and counts bytes per next hop.
 * The table in use is a snapshot with a reference count. A thread takes a reference for each batch of packets; the dial
 * is the share of the packets that take (and drop) a reference of their own, on the one atomic counter that all threads
 * change: true sharing. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIXES = 1500, NODES = 8192, HOPS = 64, BATCH = 4096, MOST = 64 };

typedef struct {
    uint16_t child[16];
    uint8_t hop[16];
    uint8_t depth[16];
} Node;

typedef struct {
    _Alignas(128) _Atomic long references;
    _Alignas(128) int used;
    Node nodes[NODES];
} Snapshot;

typedef struct {
    uint32_t from, to;
    uint16_t length, checksum;
    uint8_t lifetime, service;
} Header;

static Snapshot table;
static _Alignas(128) _Atomic long next_batch;
static _Alignas(128) int threads;
static long packets;
static double dial;
static uint32_t share;

static uint64_t blend(uint64_t v) {
    v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9u;
    v = (v ^ v >> 27) * 0x94D049BB133111EBu;
    return v ^ v >> 31;
}

static Snapshot *retain(Snapshot *s) {
    atomic_fetch_add_explicit(&s->references, 1, memory_order_acquire);
    return s;
}

static void release(Snapshot *s) {
    if (atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) == 1) {
        fprintf(stderr, "the table was freed in use\n");
        exit(1);
    }
}

/* Prefixes have 4, 8, 12, 16 or 20 bits, a nibble for each level. */
static void insert(uint32_t prefix, int bits, uint8_t hop) {
    int node = 0;
    for (int level = 0;; level++) {
        int slot = prefix >> (28 - 4 * level) & 15;
        Node *n = &table.nodes[node];
        if (4 * (level + 1) == bits) {
            n->hop[slot] = hop;
            n->depth[slot] = (uint8_t)bits;
            return;
        }
        if (n->child[slot] == 0) {
            if (table.used == NODES) return;
            n->child[slot] = (uint16_t)table.used++;
        }
        node = n->child[slot];
    }
}

static int lookup(const Snapshot *s, uint32_t address) {
    int hop = 0, node = 0;
    for (int level = 0; level < 5; level++) {
        const Node *n = &s->nodes[node];
        int slot = address >> (28 - 4 * level) & 15;
        if (n->depth[slot]) hop = n->hop[slot];
        node = n->child[slot];
        if (node == 0) break;
    }
    return hop;
}

static uint16_t checksum(const Header *h) {
    uint16_t words[7];
    uint32_t sum = 0;
    memcpy(words, h, sizeof words);
    for (int i = 0; i < 7; i++) sum += words[i];
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static uint64_t flow_digest(const Header *h) {
    uint64_t d = (uint64_t)h->from << 32 | h->to;
    for (int i = 0; i < 6; i++) d = blend(d + h->length);
    return d;
}

typedef struct {
    pthread_t id;
    uint64_t bytes[HOPS], digest;
} Port;

static void forward(Port *port, const Snapshot *s, Header *h) {
    int hop = lookup(s, h->to);
    h->lifetime--;
    h->service = (uint8_t)hop;
    h->checksum = 0;
    h->checksum = checksum(h);
    port->bytes[hop] += h->length;
    port->digest += flow_digest(h) ^ h->checksum;
}

static void *serve(void *given) {
    Port *shown = given, port = {0};
    for (;;) {
        long start = BATCH * atomic_fetch_add_explicit(&next_batch, 1, memory_order_relaxed);
        if (start >= packets) break;
        long end = start + BATCH < packets ? start + BATCH : packets;
        Snapshot *mine = retain(&table);
        for (long p = start; p < end; p++) {
            uint64_t a = blend((uint64_t)p + 1), b = blend(a + 7);
            Header h = {(uint32_t)a, (uint32_t)(a >> 32), (uint16_t)(64 + (b & 1023)), 0, 64, 0};
            if ((uint32_t)((uint64_t)p * share) < share) {
                Snapshot *own = retain(&table);
                forward(&port, own, &h);
                release(own);
            } else {
                forward(&port, mine, &h);
            }
        }
        release(mine);
    }
    memcpy(shown->bytes, port.bytes, sizeof port.bytes);
    shown->digest = port.digest;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    share = dial >= 1 ? UINT32_MAX : (uint32_t)(dial * 0x1p32);
    packets = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    atomic_init(&table.references, 1);
    table.used = 1;
    for (uint64_t i = 0; i < PREFIXES; i++) {
        uint64_t r = blend(i * 31 + 5);
        insert((uint32_t)r, 4 * (1 + (int)((r >> 40) % 5)), (uint8_t)(1 + (r >> 50) % (HOPS - 1)));
    }
    Port *ports = aligned_alloc(128, MOST * 1024);
    if (ports == 0) return 1;
    memset(ports, 0, MOST * 1024);
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ports[t].id, 0, serve, &ports[t]) != 0) return 1;
    uint64_t answer = 0, total = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(ports[t].id, 0);
        answer += ports[t].digest;
        for (int hop = 0; hop < HOPS; hop++) {
            answer += ports[t].bytes[hop] * blend((uint64_t)hop);
            total += ports[t].bytes[hop];
        }
    }
    printf("%llu bytes, digest %016llx\n", (unsigned long long)total, (unsigned long long)answer);
    return 0;
}
