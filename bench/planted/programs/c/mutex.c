/* Sleeping lock: sums units of arithmetic, some of them while holding the one mutex.
 *
 * The dial is the share of the units that are computed under the lock. A unit takes about 50 us, so a thread that finds
 * the mutex taken sleeps in the kernel until it is free. A single thread takes it as often and never waits. */
#include "work.h"

enum { STEPS = 40000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        if (picked(i)) {
            pthread_mutex_lock(&lock);
            sum += unit(i, STEPS);
            pthread_mutex_unlock(&lock);
        } else {
            sum += unit(i, STEPS);
        }
    }
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
