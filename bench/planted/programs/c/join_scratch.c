/* Joins two tables of a column store: a thread takes a morsel of rows, builds a small hash table of its keys in a scratch
 * buffer of a megabyte, and probes it with the rows of the other table.
 *
 * The dial is the share of the morsels for which the buffer is not the thread's kept one, but is mapped for the morsel
 * and given back after it. Each such morsel faults in all pages of the buffer; mapping and giving back need the lock of
 * the address space, which the threads have in common. The join itself is the same. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SCRATCH = 1 << 20, ROWS = 3000, PROBES = 6000, BUCKETS = 8192 };

struct entry {
    uint32_t key, count;
    uint64_t value;
};

struct morsels {
    pthread_mutex_t mutex;
    long next, end;
};

static struct morsels morsels = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static double dial;

static long take(void) {
    pthread_mutex_lock(&morsels.mutex);
    long morsel = morsels.next < morsels.end ? morsels.next++ : -1;
    pthread_mutex_unlock(&morsels.mutex);
    return morsel;
}

static inline uint32_t key_of(uint64_t row) {
    row = (row ^ row >> 30) * 0xBF58476D1CE4E5B9u;
    return (uint32_t)(row >> 40) | 1;
}

static void *map_scratch(void) {
    void *place = mmap(0, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (place == MAP_FAILED) abort();
    return place;
}

static uint64_t join(uint64_t morsel, struct entry *table) {
    memset(table, 0, BUCKETS * sizeof *table);
    for (uint64_t row = 0; row < ROWS; row++) {
        uint32_t key = key_of(morsel * ROWS + row) % 20011 + 1, at = key * 2654435761u >> 19;
        while (table[at].key && table[at].key != key) at = (at + 1) % BUCKETS;
        table[at].key = key;
        table[at].count++;
        table[at].value += row * morsel;
    }
    uint64_t sum = 0;
    for (uint64_t row = 0; row < PROBES; row++) {
        uint32_t key = key_of(~(morsel * PROBES + row)) % 20011 + 1, at = key * 2654435761u >> 19;
        while (table[at].key && table[at].key != key) at = (at + 1) % BUCKETS;
        if (table[at].key) sum += table[at].value * table[at].count + key;
    }
    return sum;
}

static void *joiner(void *answer) {
    uint64_t sum = 0;
    void *kept = map_scratch();
    for (long morsel; (morsel = take()) >= 0;) {
        uint64_t draw = ((uint64_t)morsel + 1) * 0x9E3779B97F4A7C15u;
        draw = (draw ^ draw >> 32) * 0xD6E8FEB86659FD93u;
        if ((double)(draw >> 11) * 0x1p-53 < dial) {
            void *fresh = map_scratch();
            sum += join((uint64_t)morsel, fresh);
            munmap(fresh, SCRATCH);
        } else {
            sum += join((uint64_t)morsel, kept);
        }
    }
    munmap(kept, SCRATCH);
    *(uint64_t *)answer = sum;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    dial = atof(argv[2]);
    morsels.end = atol(argv[3]);
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    uint64_t *sums = calloc((size_t)threads, sizeof *sums), sum = 0;
    if (!ids || !sums) return 1;
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, joiner, &sums[t])) return 1;
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], 0);
        sum += sums[t];
    }
    printf("joined %016llx\n", (unsigned long long)sum);
    free(ids);
    free(sums);
    return 0;
}
