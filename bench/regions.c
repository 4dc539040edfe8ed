// What a region costs in C. Usage: regions CALLS; see bench/regions.py.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "knee_region.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

// The compiler may not join calls or carry a load out of the loop.
#define BARRIER __asm__ volatile("" ::: "memory")
#define HIDE(value) __asm__ volatile("" : "+r"(value)::"memory")

int main(int argc, char **argv) {
    long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    knee_region_t known = knee_region("known");
    double begin = now();
    for (long i = 0; i < calls; i++)
        BARRIER;
    double nothing = now();
    for (long i = 0; i < calls; i++) {
        HIDE(known);
        knee_region_enter(known);
        HIDE(known);
        knee_region_leave(known);
    }
    double by_handle = now();
    for (long i = 0; i < calls; i++) {
        knee_region_begin("named");
        BARRIER;
        knee_region_end("named");
        BARRIER;
    }
    double by_name = now();
    printf("nothing %.2f\nhandle %.2f\nname %.2f\n", (nothing - begin) / (double)calls,
           (by_handle - nothing) / (double)calls, (by_name - by_handle) / (double)calls);
    return 0;
}
