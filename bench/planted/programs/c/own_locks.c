/* Decoy for a sleeping lock: takes and releases a mutex after each short unit of arithmetic, one that nobody else uses.
 *
 * There is no dial. Each thread has its own mutex on its own line, so no thread ever waits: the program is clean. */
#include <stdalign.h>

#include "work.h"

enum { STEPS = 150 };

struct Own {
    alignas(LINE) pthread_mutex_t lock;
    uint64_t sum;
};

static struct Own own[MOST_THREADS];

static uint64_t body(int thread) {
    struct Own *mine = &own[thread];
    for (long i = first(thread); i < first(thread + 1); i++) {
        pthread_mutex_lock(&mine->lock);
        mine->sum += unit(i, STEPS);
        pthread_mutex_unlock(&mine->lock);
    }
    return mine->sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (int t = 0; t < threads; t++) pthread_mutex_init(&own[t].lock, 0);
    print_answer(in_threads(body));
    return 0;
}
