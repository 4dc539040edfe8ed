/* Duplicated work: fills a table of results, in which every thread computes what it needs and does not find.
 *
 * The dial is the share of the entries that all threads need; each of the others belongs to one thread. No lock
 * protects an entry: two threads that need it at the same time both compute it and store the same value. Nobody
 * waits. */
#include <stdatomic.h>

#include "work.h"

enum { STEPS = 80000 };

static _Atomic uint64_t *table;

static uint64_t body(int thread) {
    long apart = 0;
    for (long i = 0; i < work; i++) {
        if (!picked(i) && apart++ % threads != thread) continue;
        if (table[i] == 0) table[i] = unit(i, STEPS) | 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    table = calloc((size_t)work, sizeof *table);
    uint64_t sum = in_threads(body);
    for (long i = 0; i < work; i++) sum += table[i];
    print_answer(sum);
    return 0;
}
