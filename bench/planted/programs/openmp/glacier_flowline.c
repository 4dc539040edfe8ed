/* Ice along the flow line of a glacier: temperature and age of 72 layers, step by step.
 *
 * Serial part. A step first works on the columns, which are all alike, then solves one tridiagonal system for every
 * layer, a few times over because the conductivity depends on the result. The dial is the share of the layers, from the
 * bed upwards, that one thread solves for all while the rest of the team waits; the other layers are shared out. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define LAYERS 72
#define COLUMNS 1500
#define PICARD 4

static double temperature[LAYERS][COLUMNS], strain[LAYERS][COLUMNS];

static void start(void) {
    for (int k = 0; k < LAYERS; k++)
        for (int i = 0; i < COLUMNS; i++) temperature[k][i] = -24.0 + 0.3 * k + 0.01 * ((i * 37 + k * 11) % 100);
}

static void column(int i) {
    double above = temperature[LAYERS - 1][i];
    for (int k = 0; k < LAYERS; k++) {
        double here = temperature[k][i];
        double soft = 1.0 / (1.0 + here * here * 0.002);
        strain[k][i] = soft * (0.2 + 0.001 * (LAYERS - k)) + 0.01 * (above - here);
        above = here;
    }
}

/* Thomas's algorithm along the flow line of one layer, with conductivities of the last iterate. */
static void layer(int k) {
    double slope[COLUMNS], right[COLUMNS], guess[COLUMNS];
    double *t = temperature[k];
    for (int i = 0; i < COLUMNS; i++) guess[i] = t[i];
    for (int round = 0; round < PICARD; round++) {
        slope[0] = 0, right[0] = t[0] + strain[k][0] * 0.01;
        for (int i = 1; i < COLUMNS; i++) {
            double conduct = 0.4 + 0.002 * guess[i] * guess[i] / (1 + 0.01 * guess[i] * guess[i]);
            double pivot = 1.0 / (1 + 2 * conduct - conduct * slope[i - 1]);
            slope[i] = conduct * pivot;
            right[i] = (t[i] + strain[k][i] * 0.01 + conduct * right[i - 1]) * pivot;
        }
        guess[COLUMNS - 1] = right[COLUMNS - 1];
        for (int i = COLUMNS - 2; i >= 0; i--) guess[i] = right[i] + slope[i] * guess[i + 1];
    }
    for (int i = 0; i < COLUMNS; i++) t[i] = guess[i];
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    omp_set_num_threads(atoi(argv[1]));
    int alone = (int)(atof(argv[2]) * LAYERS + 0.5);
    long steps = atol(argv[3]);
    start();
    #pragma omp parallel
    for (long step = 0; step < steps; step++) {
        #pragma omp for schedule(static)
        for (int i = 0; i < COLUMNS; i++) column(i);
        if (alone > 0) {
            #pragma omp single
            for (int k = 0; k < alone; k++) layer(k);
        }
        #pragma omp for schedule(static)
        for (int k = alone; k < LAYERS; k++) layer(k);
    }
    double heat = 0;
    for (int k = 0; k < LAYERS; k++)
        for (int i = 0; i < COLUMNS; i++) heat += temperature[k][i] * (k + 1);
    printf("%.9e\n", heat);
    return 0;
}
