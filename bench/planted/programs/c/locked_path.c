/* Instruction growth: sums short units of arithmetic, with a fast path for a single thread.
 *
 * The dial is the number of locked instructions before each unit, which only the path for several threads has. They go
 * to a line of the thread's own, so nobody waits and no line moves: each thread simply executes more. */
#include <stdalign.h>
#include <stdatomic.h>

#include "work.h"

enum { STEPS = 200 };

struct Alone {
    alignas(LINE) _Atomic uint64_t word;
};

static struct Alone own[MOST_THREADS];

static uint64_t alone(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) sum += unit(i, STEPS);
    return sum;
}

/* Each exchange finds 0 and stores 0, which the compiler does not know: the next unit has to wait for it. */
static uint64_t several(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        uint64_t zero = 0;
        for (int extra = 0; extra < (int)dial; extra++) zero = atomic_exchange(&own[thread].word, zero);
        sum += unit((uint64_t)i + zero, STEPS);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    /* Without locked instructions the path for several threads would still be slower: it is another loop. */
    print_answer(in_threads(threads == 1 || (int)dial == 0 ? alone : several));
    return 0;
}
