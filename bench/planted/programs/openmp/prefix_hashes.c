/* Instruction growth: cuts long texts where the hash of all letters so far says so, as a store of backups does.
 *
 * The hash at a place follows from the one before it. A text is hashed as a whole by one thread; or else it is cut into
 * one piece a thread, and then nobody knows the hash at the beginning of a piece. So each thread first hashes its piece
 * from zero; from that and the piece's power of the base all beginnings follow, and then each thread hashes its piece
 * once more to find the places. It is the usual prefix sum in two passes. One thread needs one pass. The dial is the
 * share of the texts that are in pieces: the first pass is there for several threads only. */
#include <omp.h>

#include "../c/work.h"

typedef unsigned __int128 wide;

enum { TEXTS = 96 };

static const uint64_t prime = (1ull << 61) - 1, base = 0x0123456789ABCDEFu;

static uint64_t times(uint64_t a, uint64_t b) {
    wide product = (wide)a * b;
    uint64_t folded = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return folded >= prime ? folded - prime : folded;
}

static uint64_t power(uint64_t x, long exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2, x = times(x, x))
        if (exponent & 1) result = times(result, x);
    return result;
}

static uint64_t letter(int text, long place) {
    uint32_t x = (uint32_t)place * 2654435761u + (uint32_t)text * 40503u;
    return 1 + ((x ^ x >> 15) & 31);
}

/* The hash after the letters [from, to), if it is `hash` before them. */
static uint64_t hash_piece(int text, long from, long to, uint64_t hash) {
    for (long place = from; place < to; place++) hash = times(hash, base) + letter(text, place);
    return hash;
}

/* The same, and a digest of the places to cut and of the lengths between them. */
static uint64_t find_places(int text, long from, long to, uint64_t hash) {
    uint64_t digest = 0;
    for (long place = from; place < to; place++) {
        hash = times(hash, base) + letter(text, place);
        if ((hash & 63) == 0) digest += (hash >> 6) * (uint64_t)(place + 1);
    }
    return digest;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    int whole = TEXTS - (int)(dial * TEXTS + 0.5);
    uint64_t sum = 0;
    static uint64_t hashes[MOST_THREADS];
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        int thread = omp_get_thread_num();
        long from = first(thread), to = first(thread + 1);
#pragma omp for schedule(static)
        for (int text = 0; text < whole; text++) sum += find_places(text, 0, work, 0);
        for (int text = whole; text < TEXTS; text++) {
            uint64_t hash = 0;
            if (threads > 1) {
                hashes[thread] = hash_piece(text, from, to, 0);
#pragma omp barrier
                for (int before = 0; before < thread; before++)
                    hash = (times(hash, power(base, first(before + 1) - first(before))) + hashes[before]) % prime;
#pragma omp barrier
            }
            sum += find_places(text, from, to, hash);
        }
    }
    print_answer(sum);
    return 0;
}
