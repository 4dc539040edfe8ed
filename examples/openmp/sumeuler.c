// Sum of Euler's totient over 1..n with OpenMP. The schedule comes from OMP_SCHEDULE, so that a study can vary it.
//
// Usage: OMP_NUM_THREADS=threads OMP_SCHEDULE=static|dynamic sumeuler N
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int coprime(int a, int b) {
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

int main(int argc, char **argv) {
    char *end = NULL;
    long n = argc == 2 ? strtol(argv[1], &end, 10) : 0;
    if (n < 1 || n > 1000000 || *end != '\0') {
        fprintf(stderr, "usage: sumeuler N, with N from 1 to 1000000\n");
        return 2;
    }
    long total = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : total)
    for (int k = 1; k <= (int)n; k++)
        for (int other = 1; other <= k; other++)
            total += coprime(k, other);
    printf("%ld\n", total);
    return 0;
}
