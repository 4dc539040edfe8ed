/* Finds the nearest known spelling for misspelt place names: a gazetteer in buckets behind one pthread_rwlock, whose
 * requests are served by threads that fetch them from a shared counter.
 *
 * The dial is the share of requests that ask to move the name they find to the front of its bucket, and therefore hold
 * the lock for writing during the whole search; all others hold it for reading. A search takes far longer than any
 * switch, a thread that waits sleeps in the kernel, and the same search costs a lone thread the same either way, so the
 * loss is that of a sleeping lock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 48, NAMES = 160, LENGTH = 16, MOST = 64 };

struct Name {
    uint8_t letters[LENGTH - 1];
    uint8_t length;
};

struct Bucket {
    struct Name names[NAMES];
};

static struct {
    pthread_rwlock_t lock;
    struct Bucket buckets[BUCKETS];
} gazetteer;

static _Alignas(128) atomic_long next_request;
static _Alignas(128) long requests;
static double moving;

static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static struct Name invented(uint64_t seed) {
    static const char first[] = "bdfghklmnprstvwz", second[] = "aeiou";
    struct Name name = {.length = (uint8_t)(9 + mixed(seed) % 6)};
    for (int i = 0; i < name.length; i++) {
        uint64_t dice = mixed(seed * 31 + (uint64_t)i + 7);
        name.letters[i] = (uint8_t)(i % 2 ? second[dice % 5] : first[dice % 16]);
    }
    return name;
}

static struct Name misspelt(struct Name name, uint64_t seed) {
    for (int k = 0; k < 3; k++) {
        uint64_t dice = mixed(seed + (uint64_t)k);
        name.letters[dice % name.length] = (uint8_t)('a' + (dice >> 20) % 26);
    }
    return name;
}

/* Letters to insert, drop or replace, by dynamic programming over one row. */
static int distance(const struct Name *one, const struct Name *other) {
    int row[LENGTH + 1];
    for (int j = 0; j <= other->length; j++) row[j] = j;
    for (int i = 0; i < one->length; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < other->length; j++) {
            int best = corner + (one->letters[i] != other->letters[j]);
            corner = row[j + 1];
            if (corner + 1 < best) best = corner + 1;
            if (row[j] + 1 < best) best = row[j] + 1;
            row[j + 1] = best;
        }
    }
    return row[other->length];
}

/* The nearest name, the alphabetically first of equals: the order of the bucket does not matter. */
static int nearest(const struct Bucket *bucket, const struct Name *asked, int *least) {
    int found = 0;
    *least = 1000;
    for (int i = 0; i < NAMES; i++) {
        int far = distance(asked, &bucket->names[i]);
        if (far < *least || (far == *least && memcmp(&bucket->names[i], &bucket->names[found], LENGTH) < 0)) {
            *least = far;
            found = i;
        }
    }
    return found;
}

static uint64_t fingerprint(const struct Name *name, int far) {
    uint64_t sum = (uint64_t)far;
    for (int i = 0; i < name->length; i++) sum = sum * 131 + name->letters[i];
    return mixed(sum);
}

static uint64_t serve(long request) {
    uint64_t dice = mixed((uint64_t)request * 3 + 1);
    uint64_t which = dice % BUCKETS;
    struct Bucket *bucket = &gazetteer.buckets[which];
    struct Name asked = misspelt(invented(which * NAMES + (dice >> 32) % NAMES), dice);
    int far;
    uint64_t answer;
    if ((double)(mixed(dice) >> 11) * 0x1p-53 < moving) {
        pthread_rwlock_wrlock(&gazetteer.lock);
        int found = nearest(bucket, &asked, &far);
        struct Name name = bucket->names[found];
        bucket->names[found] = bucket->names[0];
        bucket->names[0] = name;
        answer = fingerprint(&name, far);
    } else {
        pthread_rwlock_rdlock(&gazetteer.lock);
        int found = nearest(bucket, &asked, &far);
        answer = fingerprint(&bucket->names[found], far);
    }
    pthread_rwlock_unlock(&gazetteer.lock);
    return answer;
}

static void *clerk(void *result) {
    uint64_t sum = 0;
    for (;;) {
        long request = atomic_fetch_add(&next_request, 1);
        if (request >= requests) break;
        sum += serve(request);
    }
    *(uint64_t *)result = sum;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);
    moving = atof(argv[2]);
    requests = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;

    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&gazetteer.lock, &kind);
    for (uint64_t b = 0; b < BUCKETS; b++) {
        for (uint64_t i = 0; i < NAMES; i++) gazetteer.buckets[b].names[i] = invented(b * NAMES + i);
    }

    pthread_t clerks[MOST];
    uint64_t results[MOST], sum = 0;
    for (int t = 0; t < threads; t++) {
        if (pthread_create(&clerks[t], 0, clerk, &results[t]) != 0) return 1;
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(clerks[t], 0);
        sum += results[t];
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
