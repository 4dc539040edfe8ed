/* Works alone first, as a program that reads its input, and then in two threads. */
#include <pthread.h>

#include "own.h"

static void *member(void *unused) {
    work(0.4);
    until_pinned();
    say("worker");
    return unused;
}

int main(void) {
    work(0.15);
    say("main");
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, member, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
