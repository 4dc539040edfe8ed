/* Page faults: counts the distinct keys of queries, each by way of a hash table of 16 pages.
 *
 * The dial is the share of the queries whose table is mapped anew, which the kernel fills with zeros page by page as it
 * is touched, and unmapped after the query; all others clear the one table that the thread keeps. The faults of all
 * threads meet in the kernel: its lock of the address space, and the TLBs of the other cpus, which unmapping has to
 * flush. Threads share no data, and nothing else is allocated. */
#include <string.h>
#include <sys/mman.h>

#include "work.h"

enum { SLOTS = 1 << 13, BYTES = SLOTS * 8, KEYS = 3000, RANGE = 4000 };

static uint64_t *mapped(void) {
    void *table = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) exit(1);
    return table;
}

static uint64_t distinct(uint64_t *table, long query) {
    uint64_t count = 0, random = (uint64_t)query;
    for (int i = 0; i < KEYS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t key = (random >> 33) % RANGE + 1;
        uint64_t slot = key * 0x9E3779B97F4A7C15u >> 51;
        while (table[slot] != 0 && table[slot] != key) slot = (slot + 1) % SLOTS;
        count += table[slot] == 0;
        table[slot] = key;
    }
    return count;
}

static uint64_t body(int thread) {
    uint64_t sum = 0, *kept = mapped();
    for (long query = first(thread); query < first(thread + 1); query++) {
        uint64_t *table = kept;
        if (picked((uint64_t)query))
            table = mapped();
        else
            memset(kept, 0, BYTES);
        sum += distinct(table, query) * (uint64_t)(query + 1);
        if (table != kept) munmap(table, BYTES);
    }
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
