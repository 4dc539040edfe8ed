/* A software router: workers take batches of packets and look each destination up in one shared prefix tree, which is
 * guarded by a readers-writer lock made of one atomic word that is polled, never slept on.
 *
 * The dial is the share of the batches that come with a route announcement: such a batch is looked up, and its route
 * stored, while the table is held exclusively. The other threads then poll the word (and the announcer polls until the
 * readers have left), which burns cpu time in user code: spinning. One thread does the same work and never waits. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 1400, PREFIXES = 1500, MOST_NODES = 40000, MOST_WORKERS = 64 };
enum { EXCLUSIVE = 1 << 20, WANTED = 1 << 21 };

struct node {
    int32_t child[2];
    int32_t next_hop; /* 0: no route ends here */
};

struct batch {
    long number;
    uint32_t to[BATCH];
};

static struct node tree[MOST_NODES];
static int nodes = 1;

/* Low bits: readers inside. EXCLUSIVE: an announcer is inside. WANTED: one waits, so no new readers. */
static struct {
    _Alignas(128) atomic_uint word;
    _Alignas(128) atomic_long next_batch;
    _Alignas(128) long batches;
    double announced;
} shared;

static inline uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static inline void pause_a_little(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void enter_shared(void) {
    for (;;) {
        unsigned seen = atomic_load_explicit(&shared.word, memory_order_relaxed);
        if (!(seen & (EXCLUSIVE | WANTED)) &&
            atomic_compare_exchange_weak_explicit(&shared.word, &seen, seen + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return;
        pause_a_little();
    }
}

static void leave_shared(void) { atomic_fetch_sub_explicit(&shared.word, 1, memory_order_release); }

static void enter_exclusive(void) {
    for (;;) {
        unsigned seen = atomic_load_explicit(&shared.word, memory_order_relaxed);
        if (seen == 0 || seen == WANTED) {
            if (atomic_compare_exchange_weak_explicit(&shared.word, &seen, EXCLUSIVE, memory_order_acquire,
                                                      memory_order_relaxed))
                return;
        } else if (!(seen & (WANTED | EXCLUSIVE))) {
            atomic_compare_exchange_weak_explicit(&shared.word, &seen, seen | WANTED, memory_order_relaxed,
                                                  memory_order_relaxed);
        }
        pause_a_little();
    }
}

static void leave_exclusive(void) {
    atomic_fetch_and_explicit(&shared.word, ~(unsigned)EXCLUSIVE, memory_order_release);
}

static void insert(uint32_t prefix, int length, int next_hop) {
    int at = 0;
    for (int bit = 0; bit < length; bit++) {
        int side = prefix >> (31 - bit) & 1;
        if (tree[at].child[side] == 0) tree[at].child[side] = nodes++;
        at = tree[at].child[side];
    }
    tree[at].next_hop = next_hop;
}

/* The node of the longest prefix that matches. */
static int route(uint32_t to) {
    int best = 0, at = 0;
    for (int bit = 31; bit >= 0; bit--) {
        at = tree[at].child[to >> bit & 1];
        if (at == 0) break;
        if (tree[at].next_hop) best = at;
    }
    return best;
}

static void receive(struct batch *batch, long number) {
    batch->number = number;
    for (int i = 0; i < BATCH; i++) batch->to[i] = (uint32_t)mix((uint64_t)number * BATCH + (uint64_t)i);
}

static uint64_t forward(const struct batch *batch) {
    uint64_t sum = 0;
    for (int i = 0; i < BATCH; i++) sum += (uint64_t)tree[route(batch->to[i])].next_hop * (batch->to[i] | 1u);
    return sum;
}

static void *worker(void *answer) {
    struct batch batch;
    uint64_t sum = 0;
    for (;;) {
        long number = atomic_fetch_add_explicit(&shared.next_batch, 1, memory_order_relaxed);
        if (number >= shared.batches) break;
        receive(&batch, number);
        if ((double)(mix((uint64_t)number + 77) >> 11) * 0x1p-53 < shared.announced) {
            enter_exclusive();
            sum += forward(&batch);
            int changed = route(batch.to[0]); /* announced again, as it was */
            *(volatile int32_t *)&tree[changed].next_hop = tree[changed].next_hop;
            leave_exclusive();
        } else {
            enter_shared();
            sum += forward(&batch);
            leave_shared();
        }
    }
    *(uint64_t *)answer = sum;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int workers = atoi(argv[1]);
    shared.announced = atof(argv[2]);
    shared.batches = atol(argv[3]);
    if (workers < 1 || workers > MOST_WORKERS) return 2;
    for (int i = 0; i < PREFIXES; i++) {
        uint64_t drawn = mix((uint64_t)i + 1000000007u);
        insert((uint32_t)drawn, 8 + (int)(drawn >> 32) % 14, 1 + (int)(drawn >> 40) % 250);
    }
    pthread_t ids[MOST_WORKERS];
    uint64_t sums[MOST_WORKERS], total = 0;
    for (int w = 0; w < workers; w++)
        if (pthread_create(&ids[w], 0, worker, &sums[w])) return 1;
    for (int w = 0; w < workers; w++) {
        pthread_join(ids[w], 0);
        total += sums[w];
    }
    printf("%016llx\n", (unsigned long long)total);
    return 0;
}
