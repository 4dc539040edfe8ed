/* Of two threads one ends early, and the other one starts a third at once: their number stays what it was. */
#include <pthread.h>

#include "own.h"

static void *early(void *unused) {
    work(0.1);
    return unused;
}

static void *last(void *unused) {
    work(0.4);
    until_pinned();
    say("worker");
    return unused;
}

static void *lasting(void *first) {
    work(0.05);
    pthread_join(*(pthread_t *)first, 0);
    pthread_t next;
    pthread_create(&next, 0, last, 0);
    work(0.4);
    until_pinned();
    say("worker");
    pthread_join(next, 0);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, early, 0);
    pthread_create(&second, 0, lasting, &first);
    pthread_join(second, 0);
    return 0;
}
