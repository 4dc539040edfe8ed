/* Counts ballots that stay sealed. A ballot is a pair of numbers modulo a prime, and a tally is the product of its
 * ballots; nobody sees a single vote.
 *
 * Ballots come in batches. Every thread multiplies its ballots into tallies of its own; thread 0's are the published ones.
 * After a batch, tallies of the contests that are reported live are brought into the published ones, from every other
 * thread, and all threads share that work by contest; the rest is brought in once, at the end. The dial is the share of
 * contests that are reported live. Each further thread has tallies that must be merged: instructions grow with the
 * threads, and one thread merges nothing. */
#include <omp.h>

#include "../c/work.h"

typedef unsigned __int128 wide;

enum { CONTESTS = 1536, BALLOTS = 4096 };

static const uint64_t prime = (1ull << 61) - 1;

struct Tally {
    uint64_t mask, vote;
};

static struct Tally tallies[MOST_THREADS][CONTESTS] __attribute__((aligned(4096)));

static uint64_t times(uint64_t a, uint64_t b) {
    wide product = (wide)a * b;
    uint64_t folded = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return folded >= prime ? folded - prime : folded;
}

/* Whether a number has an inverse and is a square or not (Euler's criterion): what else could it be? */
static int in_group(uint64_t x) {
    uint64_t power = x;
    for (int bit = 1; bit < 60; bit++) power = times(times(power, power), x);
    return power == 1 || power == prime - 1;
}

/* Seal a vote: powers by squaring. */
static struct Tally seal(uint64_t number) {
    uint64_t x = unit(number, 3), power = x % (prime - 2) + 2;
    struct Tally sealed = {1, 1 + (x & 1)};
    for (int bit = 0; bit < 16; bit++) {
        if (x >> (bit + 7) & 1) sealed.mask = times(sealed.mask, power);
        sealed.vote = times(sealed.vote, power);
        power = times(power, power);
    }
    return sealed;
}

static void add(struct Tally *to, struct Tally sealed) {
    to->mask = times(to->mask, sealed.mask);
    to->vote = times(to->vote, sealed.vote);
}

/* Bring the tally of another thread into a published one; what others say is tested first. */
static void bring(struct Tally *to, struct Tally *from) {
    if (!in_group(from->mask)) abort();
    add(to, *from);
    *from = (struct Tally){1, 1};
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    int live = (int)(dial * CONTESTS);
    for (int t = 0; t < threads; t++)
        for (int c = 0; c < CONTESTS; c++) tallies[t][c] = (struct Tally){1, 1};
#pragma omp parallel num_threads(threads)
    {
        struct Tally *own = tallies[omp_get_thread_num()];
        for (long batch = 0; batch <= work; batch++) {
            int merged = batch < work ? live : CONTESTS;
            if (batch < work) {
#pragma omp for schedule(static)
                for (int b = 0; b < BALLOTS; b++) {
                    uint64_t number = (uint64_t)batch * BALLOTS + (uint64_t)b;
                    add(&own[number * 7919 % CONTESTS], seal(number));
                }
            }
#pragma omp for schedule(static)
            for (int c = 0; c < merged; c++)
                for (int t = 1; t < threads; t++) bring(&tallies[0][c], &tallies[t][c]);
        }
    }
    uint64_t sum = 0;
    for (int c = 0; c < CONTESTS; c++) sum += times(tallies[0][c].mask, tallies[0][c].vote) * (2u * c + 1);
    print_answer(sum);
    return 0;
}
