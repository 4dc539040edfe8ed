/* Imbalance: sums units whose length grows along a triangle, in loops that OpenMP divides.
 *
 * The dial d lets the length grow from 1 - d to 1 + d times the usual one over each loop. The schedule is static unless
 * OMP_SCHEDULE says otherwise, so the last thread has most to do and the others wait for it at the end of each loop. */
#include <omp.h>

#include "../c/work.h"

enum { STEPS = 20000, LOOPS = 10, PIECES = 10 };

/* The first piece of a unit has the usual result; the others are its length. */
static uint64_t long_unit(long number, double length) {
    uint64_t sum = unit((uint64_t)number, STEPS / PIECES);
    long steps = (long)(STEPS * length) - STEPS / PIECES;
    volatile uint64_t rest = unit((uint64_t)number, (int)(steps > 0 ? steps : 0));
    (void)rest;
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    if (getenv("OMP_SCHEDULE") == 0) omp_set_schedule(omp_sched_static, 0);
    uint64_t sum = 0;
    for (int loop = 0; loop < LOOPS; loop++) {
        long count = work / LOOPS;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(threads)
        for (long i = 0; i < count; i++) {
            double along = (double)i / (double)(count - 1);
            sum += long_unit(loop * count + i, 1 + dial * (2 * along - 1));
        }
    }
    print_answer(sum);
    return 0;
}
