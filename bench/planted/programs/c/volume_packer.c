/* Packs three volumes of an archive: a pool of threads compresses blocks of text with a dictionary coder (matches found
 * through a hash of three bytes), one block at a time from a common counter.
 *
 * With dial d the head of each volume, the share d of its blocks, is packed by the main thread alone before it calls the
 * pool, as a packer does that judges the kind of data first. It is the same work in the same number of blocks; but one
 * thread does it while the others wait for the call, once a volume. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VOLUMES 3
#define BLOCK 4096
#define SLOTS 1024

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t called, finished;
    int call; /* number of the volume that is being packed, 1 and up; VOLUMES + 1 sends everybody home */
    int busy;
    long next, end;
    atomic_long taken;
    _Atomic uint64_t packed;
};

static struct pool pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                           .called = PTHREAD_COND_INITIALIZER,
                           .finished = PTHREAD_COND_INITIALIZER};

static void write_text(uint64_t block, unsigned char *text) {
    static const char *const words[16] = {"invoice ", "paid ", "the ",   "of ",    "open ",  "account ", "date ", "and ",
                                          "customer", "sum: ", "order ", "march ", "april ", "total ",   "due ",  "net "};
    uint64_t state = block * 0x9E3779B97F4A7C15u + 77;
    size_t at = 0;
    while (at < BLOCK) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const char *word = words[state >> 60];
        for (; *word && at < BLOCK; word++) text[at++] = (unsigned char)*word;
        if ((state >> 40 & 7) == 0 && at < BLOCK) text[at++] = (unsigned char)('0' + (state >> 50) % 10);
    }
}

/* Length of the packed block, mixed with its literals and matches. */
static uint64_t pack(uint64_t block) {
    unsigned char text[BLOCK];
    short last[SLOTS];
    write_text(block, text);
    memset(last, -1, sizeof last);
    uint64_t out = 0, sign = block;
    for (int at = 0; at + 3 < BLOCK;) {
        unsigned key = (text[at] * 131u + text[at + 1] * 31u + text[at + 2]) % SLOTS;
        int before = last[key], length = 0;
        last[key] = (short)at;
        if (before >= 0)
            while (at + length < BLOCK && length < 255 && text[before + length] == text[at + length]) length++;
        if (length >= 4) {
            sign = sign * 31 + (uint64_t)(at - before) * 256 + (uint64_t)length;
            out += 3;
            at += length;
        } else {
            sign = sign * 131 + text[at];
            out += 1;
            at += 1;
        }
    }
    return (sign & 0xFFFFFFFF) + out;
}

static void *packer(void *unused) {
    for (int seen = 0;;) {
        pthread_mutex_lock(&pool.mutex);
        while (pool.call == seen) pthread_cond_wait(&pool.called, &pool.mutex);
        seen = pool.call;
        long end = pool.end;
        pthread_mutex_unlock(&pool.mutex);
        if (seen > VOLUMES) return unused;
        uint64_t sum = 0;
        for (long block; (block = atomic_fetch_add(&pool.taken, 1)) < end;) sum += pack((uint64_t)block);
        atomic_fetch_add(&pool.packed, sum);
        pthread_mutex_lock(&pool.mutex);
        if (--pool.busy == 0) pthread_cond_signal(&pool.finished);
        pthread_mutex_unlock(&pool.mutex);
    }
}

static void call(int volume, long begin, long end, int threads) {
    pthread_mutex_lock(&pool.mutex);
    pool.call = volume;
    pool.busy = threads;
    pool.end = end;
    atomic_store(&pool.taken, begin);
    pthread_cond_broadcast(&pool.called);
    while (volume <= VOLUMES && pool.busy) pthread_cond_wait(&pool.finished, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long blocks = atol(argv[3]);
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, packer, 0)) return 1;
    uint64_t head = 0;
    for (int v = 0; v < VOLUMES; v++) {
        long begin = blocks * v / VOLUMES, end = blocks * (v + 1) / VOLUMES;
        long judged = begin + (long)(dial * (double)(end - begin));
        for (long block = begin; block < judged; block++) head += pack((uint64_t)block);
        call(v + 1, judged, end, threads);
    }
    call(VOLUMES + 1, 0, 0, threads);
    for (int t = 0; t < threads; t++) pthread_join(ids[t], 0);
    printf("%016llx\n", (unsigned long long)(head + atomic_load(&pool.packed)));
    free(ids);
    return 0;
}
