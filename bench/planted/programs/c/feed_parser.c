/* A parser of news feeds: workers build documents of text nodes and pass them to the next worker's inbox, which indexes
 * and frees them; a worker alone passes them to itself.
 *
 * The dial is the share of documents whose nodes come from malloc one by one; the others lie in a slab that goes round
 * with them. Nodes are above the size of glibc's cache per thread and are freed by another thread than the one that
 * allocated, so both take the lock of the same arena all the time: contention in the allocator. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 24, SLAB = 64 << 10, BATCH = 8 };

struct Document {
    struct Document *next;
    char *slab, *nodes[NODES];
    int sizes[NODES];
    uint64_t hash;
};

struct Inbox {
    _Alignas(128) pthread_mutex_t lock;
    struct Document *list;
};

struct Worker {
    pthread_t id;
    int number;
    uint64_t sum;
    struct Document *unused, *outgoing;
    int count;
};

static struct Inbox inboxes[64];
static struct Worker workers[64];
static int threads;
static long documents;
static double dial;

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static struct Document *new_document(struct Worker *w) {
    struct Document *d = w->unused;
    if (d) {
        w->unused = d->next;
        return d;
    }
    d = malloc(sizeof *d);
    d->slab = malloc(SLAB);
    return d;
}

static void parse(struct Document *d, long number) {
    uint64_t r = mix((uint64_t)number + 1), hash = r;
    int loose = (double)(mix(r) >> 11) * 0x1p-53 < dial;
    char *at = d->slab;
    for (int i = 0; i < NODES; i++) {
        int size = 1100 + (int)(mix(r + (uint64_t)i) % 1200);
        d->sizes[i] = loose ? size : -size;
        d->nodes[i] = loose ? malloc((size_t)size) : at;
        if (!loose) at += size;
        memset(d->nodes[i], 'a' + i, 64);
        for (int k = 0; k < 500; k++) hash = (hash ^ (unsigned char)d->nodes[i][k & 63]) * 0x100000001B3u;
    }
    d->hash = hash;
}

static void index_inbox(struct Worker *w) {
    struct Inbox *box = &inboxes[w->number];
    pthread_mutex_lock(&box->lock);
    struct Document *list = box->list;
    box->list = 0;
    pthread_mutex_unlock(&box->lock);
    while (list) {
        struct Document *d = list;
        list = d->next;
        w->sum += d->hash;
        for (int i = 0; i < NODES; i++)
            if (d->sizes[i] > 0) free(d->nodes[i]);
        d->next = w->unused;
        w->unused = d;
    }
}

static void send_batch(struct Worker *w) {
    if (!w->outgoing) return;
    struct Document *last = w->outgoing;
    while (last->next) last = last->next;
    struct Inbox *box = &inboxes[(w->number + 1) % threads];
    pthread_mutex_lock(&box->lock);
    last->next = box->list;
    box->list = w->outgoing;
    pthread_mutex_unlock(&box->lock);
    w->outgoing = 0;
    w->count = 0;
}

static void *run(void *given) {
    struct Worker *w = given;
    for (long i = w->number; i < documents; i += threads) {
        struct Document *d = new_document(w);
        parse(d, i);
        d->next = w->outgoing;
        w->outgoing = d;
        if (++w->count < BATCH) continue;
        send_batch(w);
        index_inbox(w);
    }
    send_batch(w);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    documents = atol(argv[3]);
    for (int t = 0; t < threads; t++) pthread_mutex_init(&inboxes[t].lock, 0);
    for (int t = 0; t < threads; t++) {
        workers[t].number = t;
        if (pthread_create(&workers[t].id, 0, run, &workers[t])) return 1;
    }
    for (int t = 0; t < threads; t++) pthread_join(workers[t].id, 0);
    uint64_t sum = 0;
    for (int t = 0; t < threads; t++) {
        index_inbox(&workers[t]);
        sum += workers[t].sum;
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
