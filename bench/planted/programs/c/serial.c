/* Serial part: sums units of arithmetic, the first ones before any thread is started.
 *
 * The dial is the share of the units that main computes alone. All other units are divided evenly among the threads,
 * which share no data and take no lock, so nothing else grows with them. */
#include "work.h"

enum { STEPS = 20000 };

static long alone;

static uint64_t body(int thread) {
    uint64_t sum = 0;
    long left = work - alone, begin = alone + left * thread / threads, end = alone + left * (thread + 1) / threads;
    for (long i = begin; i < end; i++) sum += unit(i, STEPS);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    alone = (long)(dial * (double)work);
    uint64_t sum = 0;
    for (long i = 0; i < alone; i++) sum += unit(i, STEPS);
    print_answer(sum + in_threads(body));
    return 0;
}
