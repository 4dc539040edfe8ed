/* STREAM's triad (McCalpin 1995) on arrays that fit no cache: a[i] = b[i] + s * c[i]. Usage: triad ROUNDS */
#include <stdio.h>
#include <stdlib.h>

#define LENGTH (1L << 23)

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 20;
    double *a = malloc(LENGTH * sizeof *a), *b = malloc(LENGTH * sizeof *b), *c = malloc(LENGTH * sizeof *c);
    if (!a || !b || !c) return 1;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < LENGTH; i++) a[i] = 0, b[i] = 1, c[i] = 2;
    for (long round = 0; round < rounds; round++) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < LENGTH; i++) a[i] = b[i] + 3 * c[i];
    }
    printf("%g\n", a[LENGTH / 2]);
    return 0;
}
