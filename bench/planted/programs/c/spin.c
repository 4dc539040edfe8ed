/* Spinning: sums short units of arithmetic, some of them while holding the one spin lock.
 *
 * The dial is the share of the units that are computed under the lock. A unit takes about 1 us, a thread that finds the
 * lock taken tries until it is free, and nobody sleeps. What the lock protects is a register, so the only shared line
 * is the lock's own. */
#include "work.h"

enum { STEPS = 800 };

static pthread_spinlock_t lock;

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        if (picked(i)) {
            pthread_spin_lock(&lock);
            sum += unit(i, STEPS);
            pthread_spin_unlock(&lock);
        } else {
            sum += unit(i, STEPS);
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    print_answer(in_threads(body));
    return 0;
}
