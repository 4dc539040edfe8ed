// Ships log lines: every collector parses lines into records and hands batches of them to the next shipper, which
// formats and checksums the records and gives their memory back.
//
//     log_shipper THREADS DIAL WORK
//
// Each thread is a collector and a shipper in turn; WORK is the number of batches. The text of a record lies in the
// room that its batch has for it, or in memory of its own. DIAL is the share of records with memory of their own.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 128, SHORTEST = 120, LONGEST = 900, FORMATTED = 480, MAX_THREADS = 64 };

typedef struct {
    uint32_t length, severity;
    char *text;
    char room[LONGEST + 4];
} Record;

typedef struct Batch {
    struct Batch *next;
    Record records[RECORDS];
} Batch;

typedef struct {
    pthread_mutex_t lock;
    Batch *first, *last, *empty; // full batches in order, and those that came back
    char pad[64];
} Mailbox;

static Mailbox boxes[MAX_THREADS];
static int threads, own_of_1000;
static long batches;
static atomic_long produced, shipped;
static _Atomic uint64_t digest;

static uint32_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// Collecting.

static void read_line(Record *record, uint64_t *state) {
    static const char words[] = "GET /index.html 200 timeout user=root retry backend connection closed by peer WARN ";
    record->length = SHORTEST + draw(state) % (LONGEST - SHORTEST);
    record->severity = draw(state) & 7;
    record->text = (int)(draw(state) % 1000) < own_of_1000 ? malloc(record->length) : record->room;
    for (uint32_t at = 0; at < record->length;) {
        uint32_t from = draw(state) % 60, take = 16;
        if (take > record->length - at) take = record->length - at;
        memcpy(record->text + at, words + from, take);
        at += take;
    }
}

static void send(Mailbox *to, Batch *batch) {
    batch->next = NULL;
    pthread_mutex_lock(&to->lock);
    if (to->first) to->last->next = batch;
    else to->first = batch;
    to->last = batch;
    pthread_mutex_unlock(&to->lock);
}

// Shipping.

static uint64_t format(const Record *record, char *out) {
    static const char hex[] = "0123456789abcdef";
    uint64_t sum = 1469598103934665603u + record->severity;
    char *end = out;
    for (uint32_t at = 0; at < record->length && end - out < FORMATTED; at++) {
        unsigned char c = record->text[at];
        if (c == ' ' || c == '/' || c == '=') *end++ = '%', *end++ = hex[c >> 4], *end++ = hex[c & 15];
        else *end++ = c;
    }
    for (char *c = out; c < end; c++) sum = (sum ^ (unsigned char)*c) * 1099511628211u;
    return sum;
}

static uint64_t ship(Batch *batch) {
    char line[FORMATTED + 8];
    uint64_t sum = 0;
    for (Record *record = batch->records; record < batch->records + RECORDS; record++) {
        sum += format(record, line);
        if (record->text != record->room) free(record->text);
    }
    return sum;
}

static Batch *receive(Mailbox *from) {
    pthread_mutex_lock(&from->lock);
    Batch *batch = from->first;
    if (batch) from->first = batch->next;
    pthread_mutex_unlock(&from->lock);
    return batch;
}

static Batch *reuse(Mailbox *own) {
    pthread_mutex_lock(&own->lock);
    Batch *batch = own->empty;
    if (batch) own->empty = batch->next;
    pthread_mutex_unlock(&own->lock);
    return batch ? batch : malloc(sizeof *batch);
}

static void *run(void *arg) {
    int me = (int)(intptr_t)arg;
    Mailbox *own = &boxes[me], *next = &boxes[(me + 1) % threads];
    uint64_t sum = 0;
    while (atomic_load(&shipped) < batches) {
        long number = atomic_fetch_add(&produced, 1);
        if (number < batches) {
            uint64_t state = number * 7919 + 1;
            Batch *batch = reuse(own);
            for (int r = 0; r < RECORDS; r++) read_line(&batch->records[r], &state);
            send(next, batch);
        }
        Batch *batch = receive(own);
        if (!batch) continue;
        sum += ship(batch);
        pthread_mutex_lock(&own->lock);
        batch->next = own->empty;
        own->empty = batch;
        pthread_mutex_unlock(&own->lock);
        atomic_fetch_add(&shipped, 1);
    }
    atomic_fetch_add(&digest, sum);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    own_of_1000 = (int)(atof(argv[2]) * 1000);
    batches = atol(argv[3]);
    if (threads < 1 || threads > MAX_THREADS) return 2;
    pthread_t ids[MAX_THREADS];
    for (int t = 0; t < threads; t++) pthread_mutex_init(&boxes[t].lock, NULL);
    for (int t = 0; t < threads; t++) pthread_create(&ids[t], NULL, run, (void *)(intptr_t)t);
    for (int t = 0; t < threads; t++) pthread_join(ids[t], NULL);
    printf("%016llx\n", (unsigned long long)digest);
    return 0;
}
