/* switches HOW: a program of which is known how its threads share the time. Lengths are CPU time, so a busy machine changes
 * none of them.
 *   serial   a tenth of a second alone, and then two threads for a tenth each
 *   mutex    two threads, each 200 times half a millisecond with the same mutex
 *   sleep    20 times 10 ms asleep
 *   threads  3000 threads of 20 microseconds, two at once */
#include <pthread.h>
#include <string.h>

#include "own.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double used(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void compute(double seconds) {
    for (double end = used() + seconds; used() < end;) {}
}

static void *tenth(void *unused) {
    compute(0.1);
    return unused;
}

static void *brief(void *unused) {
    compute(20e-6);
    return unused;
}

static void *in_turn(void *unused) {
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&mutex);
        compute(0.5e-3);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void both(void *(*what)(void *)) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, what, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "";
    if (!strcmp(how, "serial")) {
        compute(0.1);
        both(tenth);
    } else if (!strcmp(how, "mutex")) {
        both(in_turn);
    } else if (!strcmp(how, "sleep")) {
        for (int i = 0; i < 20; i++) usleep(10000);
    } else if (!strcmp(how, "threads")) {
        for (int i = 0; i < 1500; i++) both(brief);
    } else {
        return 2;
    }
    return 0;
}
