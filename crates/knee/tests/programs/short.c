/* Two hundred threads of about three milliseconds, at most four at once, and then two that stay. */
#include <pthread.h>

#include "own.h"

enum { SHORT = 200, AT_ONCE = 4 };

static void *brief(void *unused) {
    work(0.003);
    return unused;
}

static void *lasting(void *unused) {
    work(0.4);
    until_pinned();
    say("worker");
    return unused;
}

int main(void) {
    pthread_t threads[AT_ONCE];
    for (int done = 0; done < SHORT; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) pthread_create(&threads[i], 0, brief, 0);
        for (int i = 0; i < AT_ONCE; i++) pthread_join(threads[i], 0);
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, lasting, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    say("main");
    return 0;
}
