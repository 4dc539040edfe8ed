/* Spinning: estimates how many different DNA reads a sample has, with one HyperLogLog sketch behind a lock of its own.
 *
 * A read is hashed over all its k-mers, and the smallest hash updates a register of the sketch. The lock is a word that
 * is tested, then exchanged, then tested again: nobody ever sleeps. The dial is the share of the reads that are hashed
 * while the lock is held; all others are hashed before it is taken, which then lasts a few ns. A read takes about 3 us.
 * The registers seldom change, so the one line that moves is the lock's. */
#include <stdalign.h>
#include <stdatomic.h>

#include "work.h"

enum { BASES = 2400, K = 21, REGISTERS = 256 };

static struct {
    alignas(LINE) atomic_int taken;
    alignas(LINE) unsigned char registers[REGISTERS];
} sketch;

static void lock(void) {
    while (atomic_exchange_explicit(&sketch.taken, 1, memory_order_acquire)) {
        while (atomic_load_explicit(&sketch.taken, memory_order_relaxed)) __builtin_ia32_pause();
    }
}

static void unlock(void) { atomic_store_explicit(&sketch.taken, 0, memory_order_release); }

/* The smallest hash of the k-mers, with two bits for a base. */
static uint64_t smallest_hash(uint64_t read) {
    uint64_t bases = unit(read, 2), kmer = 0, smallest = UINT64_MAX;
    for (int i = 0; i < BASES; i++) {
        if (i % 32 == 31) bases = bases * 6364136223846793005u + 1442695040888963407u;
        kmer = (kmer << 2 | (bases >> 62)) & (((uint64_t)1 << 2 * K) - 1);
        bases = bases << 2 | bases >> 62;
        uint64_t hash = kmer * 0x9E3779B97F4A7C15u;
        hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
        if (i >= K && hash < smallest) smallest = hash;
    }
    return smallest * 0xD6E8FEB86659FD93u;
}

static void update(uint64_t hash) {
    unsigned char *least = &sketch.registers[hash % REGISTERS], rank = (unsigned char)(__builtin_clzll(hash | 1) + 1);
    if (rank > *least) *least = rank;
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        uint64_t hash;
        if (picked(i)) {
            lock();
            hash = smallest_hash((uint64_t)i);
        } else {
            hash = smallest_hash((uint64_t)i);
            lock();
        }
        update(hash);
        unlock();
        sum += hash;
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint64_t sum = in_threads(body);
    for (int i = 0; i < REGISTERS; i++) sum = sum * 31 + sketch.registers[i];
    print_answer(sum);
    return 0;
}
