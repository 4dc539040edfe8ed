/* Serial part: sums units of arithmetic in OpenMP loops, with units between the loops that only main computes.
 *
 * The dial is the share of the units outside the loops. The other threads of the team wait for the next loop, first
 * awake and then asleep, as OpenMP's library decides. The units in the loops are equal and divided evenly. */
#include <omp.h>

#include "../c/work.h"

enum { STEPS = 20000, LOOPS = 10 };

int main(int argc, char **argv) {
    arguments(argc, argv);
    long count = work / LOOPS, alone = (long)(dial * (double)count);
    uint64_t sum = 0;
    for (int loop = 0; loop < LOOPS; loop++) {
        long begin = loop * count;
        for (long i = begin; i < begin + alone; i++) sum += unit((uint64_t)i, STEPS);
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(threads)
        for (long i = begin + alone; i < begin + count; i++) sum += unit((uint64_t)i, STEPS);
    }
    print_answer(sum);
    return 0;
}
