// Two stages, marked as regions: filling a table, which one thread does, and summing it, which a team does.
//
// Usage: OMP_NUM_THREADS=threads stages N
#include <stdio.h>
#include <stdlib.h>

#include "knee_region.h"

int main(int argc, char **argv) {
    char *end = NULL;
    long n = argc == 2 ? strtol(argv[1], &end, 10) : 0;
    if (n < 1 || n > 100000000 || *end != '\0') {
        fprintf(stderr, "usage: stages N, with N from 1 to 100000000\n");
        return 2;
    }
    unsigned *table = malloc((size_t)n * sizeof *table);
    if (table == NULL) {
        fprintf(stderr, "stages: no memory for %ld numbers\n", n);
        return 1;
    }

    // Fibonacci numbers modulo 2^32: each needs the two before it.
    knee_region_begin("fill");
    for (long i = 0; i < n; i++)
        table[i] = i < 2 ? 1 : table[i - 1] + table[i - 2];
    knee_region_end("fill");

    // Marked outside of the parallel loop, by the main thread: the record has the CPU time of the whole team.
    knee_region_begin("sum");
    unsigned long total = 0;
#pragma omp parallel reduction(+ : total)
    {
        // Marked inside of it, by each thread of the team: the record has how long the slowest one took.
        knee_region_begin("share");
#pragma omp for nowait
        for (long i = 0; i < n; i++)
            for (unsigned rest = table[i]; rest != 0; rest &= rest - 1)
                total++;
        knee_region_end("share");
    }
    knee_region_end("sum");

    printf("%lu\n", total);
    free(table);
    return 0;
}
