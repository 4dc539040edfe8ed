/* Meters network flows: every worker captures the packets of its own stripe, and hands each packet in a
 * batch to the worker that owns the packet's flow, which runs a signature automaton over it.
 *
 * The dial is the share of the packets whose segments lie in malloc'ed blocks of their own, which the owner of the flow
 * frees, instead of in the batch's own slot. A batch has more blocks than malloc's caches per thread hold, so many
 * calls take the lock of an arena, and one worker frees into the arena from which another allocates: that is the
 * allocator. */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64, SPARE = 4, MOST = 64, SHORTEST = 200, LONGEST = 300, FLOWS = 1024, STATES = 64, CLASSES = 16 };
enum { LEAST = 40, ROOM = 144, SEGMENTS = LONGEST / LEAST + 2 };

struct Segment {
    unsigned char *bytes; /* in the packet's slot, or a block of its own */
    uint32_t length;
};

struct Packet {
    uint32_t flow, length;
    int segments, own;
    struct Segment chain[SEGMENTS];
    unsigned char slot[LONGEST + 12];
};

struct Batch {
    struct Batch *next;
    int origin, count, last, padding;
    struct Packet packets[SLOTS];
};

/* What others may do to a worker: put a batch into its inbox, or give one of its own batches back. */
struct Mailbox {
    _Alignas(128) pthread_mutex_t lock;
    pthread_cond_t news;
    struct Batch *inbox, *inbox_end, *spare;
};

struct Flow {
    uint64_t packets, octets, hits, digest;
};

struct Worker {
    _Alignas(128) pthread_t id;
    int number, ended;
    struct Batch *open[MOST];
    struct Flow *flows;
    uint64_t answer;
};

static int workers;
static double dial;
static long packets;
static struct Mailbox boxes[MOST];
static struct Worker all[MOST];
static uint8_t automaton[STATES][CLASSES];

static uint64_t mixed(uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static void learn_signatures(void) {
    for (int s = 0; s < STATES; s++)
        for (int c = 0; c < CLASSES; c++) automaton[s][c] = (uint8_t)(mixed((uint64_t)(s * CLASSES + c + 1)) % STATES);
}

static void meter(struct Worker *me, const struct Packet *packet) {
    unsigned state = 1;
    uint64_t hits = 0, digest = packet->flow;
    for (int s = 0; s < packet->segments; s++) {
        const unsigned char *bytes = packet->chain[s].bytes;
        for (uint32_t i = 0; i < packet->chain[s].length; i++) {
            state = automaton[state][bytes[i] >> 4];
            hits += state == 7;
            if ((i & 63) == 0) digest = (digest ^ bytes[i] ^ state) * 0x100000001B3u;
        }
    }
    struct Flow *flow = &me->flows[packet->flow];
    flow->packets++;
    flow->octets += packet->length;
    flow->hits += hits;
    flow->digest += digest;
}

static void put(int to, struct Batch *batch) {
    struct Mailbox *box = &boxes[to];
    batch->next = 0;
    pthread_mutex_lock(&box->lock);
    if (box->inbox) box->inbox_end->next = batch;
    else box->inbox = batch;
    box->inbox_end = batch;
    pthread_cond_signal(&box->news);
    pthread_mutex_unlock(&box->lock);
}

static void give_back(struct Batch *batch) {
    struct Mailbox *box = &boxes[batch->origin];
    batch->count = batch->last = 0;
    pthread_mutex_lock(&box->lock);
    batch->next = box->spare;
    box->spare = batch;
    pthread_cond_signal(&box->news);
    pthread_mutex_unlock(&box->lock);
}

static void meter_batch(struct Worker *me, struct Batch *batch) {
    for (int i = 0; i < batch->count; i++) {
        struct Packet *packet = &batch->packets[i];
        meter(me, packet);
        for (int s = 0; packet->own && s < packet->segments; s++) free(packet->chain[s].bytes);
    }
    me->ended += batch->last;
    give_back(batch);
}

/* Meter one batch of the inbox, or return a spare batch if one is wanted: whichever there is, or comes, first. */
static struct Batch *serve(struct Worker *me, int wants_spare) {
    struct Mailbox *box = &boxes[me->number];
    struct Batch *batch;
    pthread_mutex_lock(&box->lock);
    for (;;) {
        if (wants_spare && (batch = box->spare)) {
            box->spare = batch->next;
            pthread_mutex_unlock(&box->lock);
            return batch;
        }
        if ((batch = box->inbox)) {
            box->inbox = batch->next;
            break;
        }
        pthread_cond_wait(&box->news, &box->lock);
    }
    pthread_mutex_unlock(&box->lock);
    meter_batch(me, batch);
    return 0;
}

static void capture(struct Worker *me, uint64_t number) {
    uint64_t x = mixed(number + 1);
    uint32_t flow = (uint32_t)(x % FLOWS);
    int to = (int)(flow % (uint32_t)workers);
    while (!me->open[to]) me->open[to] = serve(me, 1);
    struct Batch *batch = me->open[to];
    struct Packet *packet = &batch->packets[batch->count++];
    packet->flow = flow;
    packet->length = (uint32_t)(SHORTEST + (x >> 20) % (LONGEST - SHORTEST)) / 8 * 8;
    packet->own = (double)(mixed(number ^ 0x5bd1e995u) >> 11) * 0x1p-53 < dial;
    packet->segments = 0;
    for (uint32_t done = 0; done < packet->length;) {
        struct Segment *segment = &packet->chain[packet->segments++];
        uint32_t length = LEAST + (uint32_t)(x >> 40) % 4 * 8, room = ROOM + (uint32_t)(x >> 42) % 31 * 8;
        segment->length = length < packet->length - done ? length : packet->length - done;
        segment->bytes = packet->own ? malloc(room) : packet->slot + done;
        if (!segment->bytes) exit(1);
        for (uint32_t i = 0; i < segment->length; i += 8) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            memcpy(segment->bytes + i, &x, 8);
        }
        done += segment->length;
    }
    if (batch->count == SLOTS) {
        me->open[to] = 0;
        put(to, batch);
    }
}

static void *run(void *given) {
    struct Worker *me = given;
    me->flows = calloc(FLOWS, sizeof *me->flows);
    if (!me->flows) exit(1);
    for (int i = 0; i < SPARE + 2 * workers; i++) {
        struct Batch *batch = calloc(1, sizeof *batch);
        if (!batch) exit(1);
        batch->origin = me->number;
        give_back(batch);
    }
    long from = packets * me->number / workers, to = packets * (me->number + 1) / workers;
    for (long i = from; i < to; i++) {
        capture(me, (uint64_t)i);
        /* Keep up with what others send. */
        if (i % SLOTS == 0 && __atomic_load_n(&boxes[me->number].inbox, __ATOMIC_RELAXED)) serve(me, 0);
    }
    for (int other = 0; other < workers; other++) {
        while (!me->open[other]) me->open[other] = serve(me, 1);
        me->open[other]->last = 1;
        put(other, me->open[other]);
        me->open[other] = 0;
    }
    while (me->ended < workers) serve(me, 0);
    for (int i = 0; i < FLOWS; i++) {
        const struct Flow *flow = &me->flows[i];
        me->answer += mixed((uint64_t)i + 1) * (flow->packets + 3 * flow->octets + 5 * flow->hits + 7 * flow->digest);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    workers = atoi(argv[1]);
    dial = atof(argv[2]);
    packets = atol(argv[3]);
    learn_signatures();
    mallopt(M_TRIM_THRESHOLD, 64 << 20); /* memory once got is kept: no page faults for the dial */
    for (int i = 0; i < workers; i++) {
        pthread_mutex_init(&boxes[i].lock, 0);
        pthread_cond_init(&boxes[i].news, 0);
        all[i].number = i;
    }
    for (int i = 0; i < workers; i++)
        if (pthread_create(&all[i].id, 0, run, &all[i]) != 0) return 1;
    uint64_t answer = 0;
    for (int i = 0; i < workers; i++) {
        pthread_join(all[i].id, 0);
        answer += all[i].answer;
    }
    printf("%016llx\n", (unsigned long long)answer);
    return 0;
}
