/* False sharing: follows photons through a cloud, with the state of each thread's random numbers in an array.
 *
 * The generator gets a pointer to a seed, as rand_r does, and advances it at each draw. The dial is the share of the
 * bundles of photons for which a thread uses its element of an array of plain words, where the threads' seeds lie in
 * one line; for all others it uses a seed that has its line to itself. A bundle sets its seed anew, so results do not
 * depend on the thread. No seed is ever used by two threads, and nothing is atomic. */
#include <stdalign.h>

#include "work.h"

enum { PHOTONS = 20, LAYERS = 24, LONGEST = 60 };

struct Alone {
    alignas(LINE) uint64_t seed;
};

static struct Alone apart[MOST_THREADS];
static alignas(LINE) uint64_t together[MOST_THREADS];

/* The next random number (xorshift*), from a function that is not inlined, as one of a library. */
__attribute__((noinline)) static uint32_t draw(uint64_t *seed) {
    uint64_t x = *seed;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *seed = x;
    return (uint32_t)(x * 0x2545F4914F6CDD1Du >> 32);
}

/* Scatter a photon until it leaves the cloud or is absorbed; return where it ended and how far it went. */
static uint64_t follow(uint64_t *seed) {
    int layer = LAYERS / 2, direction = 1;
    uint64_t path = 1;
    for (int step = 0; step < LONGEST && layer >= 0 && layer < LAYERS; step++) {
        uint32_t chance = draw(seed);
        if (chance < 0x02000000) return path + 1000;
        // The free path in this layer, by a short series for the logarithm.
        uint64_t u = chance | 1, depth = 0;
        for (int i = 0; i < 12; i++) {
            u = u * u >> 31;
            depth = depth << 1 | u >> 32;
            u >>= u >> 32;
            u |= 1;
        }
        path += depth & 15;
        if (chance & 64) direction = -direction;
        layer += direction;
    }
    return path + (layer < 0 ? 2000 : 3000);
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long bundle = first(thread); bundle < first(thread + 1); bundle++) {
        uint64_t *seed = picked(bundle) ? &together[thread] : &apart[thread].seed;
        *seed = unit((uint64_t)bundle, 3) | 1;
        for (int photon = 0; photon < PHOTONS; photon++) sum += follow(seed);
    }
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
