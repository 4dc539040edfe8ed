/* As many threads as the first word says, which work at the same time or take turns at a lock. */
#include <pthread.h>
#include <string.h>

#include "own.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

/* CPU time: beside other programs it takes longer, and all threads have as much. */
static double used(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void *run(void *none) {
    int pieces = getenv("PIECES") ? atoi(getenv("PIECES")) : 60;
    for (int piece = 0; piece < pieces; piece++) {
        if (turns) pthread_mutex_lock(&lock);
        for (double end = used() + 0.01; used() < end;) {}
        if (turns) pthread_mutex_unlock(&lock);
        if (turns) usleep(1000);
    }
    return none;
}

int main(int count, char **words) {
    pthread_t threads[16];
    int asked = count > 1 ? atoi(words[1]) : 1;
    turns = count > 2 && !strcmp(words[2], "turns");
    for (int i = 0; i < asked && i < 16; i++)
        if (pthread_create(&threads[i], NULL, run, NULL)) abort();
    for (int i = 0; i < asked && i < 16; i++) pthread_join(threads[i], NULL);
    return 0;
}
