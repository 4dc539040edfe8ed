/* asleep HOW: two threads asleep for 0.6 s, and the main thread too, in another call. It prints where they wait and how many
 * bytes that is.
 *   mutex   at a mutex that the main thread keeps
 *   timed   at a condition that nobody meets, with a time limit of 20 ms, again and again */
#include <pthread.h>
#include <string.h>

#include "own.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *at_mutex(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *at_condition(void *unused) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 30; i++) {
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec += 20000000;
        if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&condition, &mutex, &end);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int count, char **words) {
    int timed = count > 1 && !strcmp(words[1], "timed");
    pthread_t threads[2];
    if (timed) {
        fprintf(stderr, "%p %zu\n", (void *)&condition, sizeof condition);
    } else {
        fprintf(stderr, "%p %zu\n", (void *)&mutex, sizeof mutex);
        pthread_mutex_lock(&mutex);
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, timed ? at_condition : at_mutex, 0);
    usleep(600000);
    if (!timed) pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
