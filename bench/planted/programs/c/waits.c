/* Decoy for I/O and for locks: each unit sleeps for a millisecond, as if it waited for a disk, and computes a little.
 *
 * There is no dial. The waits of different threads overlap in full, so n threads take one nth of the time although the
 * cpus are idle throughout: the program is clean. */
#include <time.h>

#include "work.h"

enum { STEPS = 40000 };

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, 0);
        sum += unit(i, STEPS);
    }
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
