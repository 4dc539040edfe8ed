/* Many short threads: 200 of about three milliseconds of arithmetic, two at a time. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 200, AT_ONCE = 2, STEPS = 2250000 };

static void *brief(void *seed) {
    uint64_t x = (uintptr_t)seed;
    for (int i = 0; i < STEPS; i++) x = x * 6364136223846793005u + (x >> 33 | 1);
    return (void *)(uintptr_t)x;
}

int main(void) {
    pthread_t threads[AT_ONCE];
    uint64_t all = 0;
    for (int done = 0; done < THREADS; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) pthread_create(&threads[i], 0, brief, (void *)(uintptr_t)(done + i));
        for (int i = 0; i < AT_ONCE; i++) {
            void *result;
            pthread_join(threads[i], &result);
            all ^= (uintptr_t)result;
        }
    }
    printf("%016llx\n", (unsigned long long)all);
    return 0;
}
