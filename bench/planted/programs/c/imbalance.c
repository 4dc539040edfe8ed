/* Imbalance: sums units of arithmetic, of which the first threads get more than the last.
 *
 * The dial d gives the first thread 1 + d times its fair part, the last 1 - d times, those between in a straight line.
 * No unit is shared and no lock taken. The threads meet only at the end, where those with less work are idle. */
#include "work.h"

enum { STEPS = 20000 };

/* The units before a thread's first: the sum of 1 + d (1 - 2 k / (n - 1)) over the threads k before it. */
static long before(int thread) {
    double k = thread, n = threads;
    double fair = n == 1 ? k : k * (1 + dial) - dial * k * (k - 1) / (n - 1);
    return (long)(fair / n * (double)work + 0.5);
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long i = before(thread); i < before(thread + 1); i++) sum += unit(i, STEPS);
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
