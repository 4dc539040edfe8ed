// How many pairs of N points lie close together, with OpenMP: each point is held against all points before it, so that
// later rows cost more. The schedule comes from OMP_SCHEDULE, so that a study can vary it.
//
// Usage: OMP_NUM_THREADS=threads OMP_SCHEDULE=static|dynamic triangle N
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct point {
    double x, y;
};

// A linear congruential generator (Knuth, MMIX): the same points on every machine.
static double next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static long close_before(const struct point *points, int row) {
    long count = 0;
    for (int other = 0; other < row; other++) {
        double dx = points[row].x - points[other].x, dy = points[row].y - points[other].y;
        count += dx * dx + dy * dy < 1e-4;
    }
    return count;
}

int main(int argc, char **argv) {
    char *end = NULL;
    long n = argc == 2 ? strtol(argv[1], &end, 10) : 0;
    if (n < 1 || n > 1000000 || *end != '\0') {
        fprintf(stderr, "usage: triangle N, with N from 1 to 1000000\n");
        return 2;
    }
    struct point *points = malloc((size_t)n * sizeof *points);
    if (points == NULL) {
        perror("triangle");
        return 1;
    }
    uint64_t state = 1;
    for (long i = 0; i < n; i++) {
        points[i].x = next(&state);
        points[i].y = next(&state);
    }
    long total = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : total)
    for (int row = 0; row < (int)n; row++)
        total += close_before(points, row);
    printf("%ld\n", total);
    free(points);
    return 0;
}
