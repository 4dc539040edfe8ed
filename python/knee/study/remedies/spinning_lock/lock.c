/* Makes threads try for a while before they sleep for a mutex of the C library: loaded before the program's libraries
 * (LD_PRELOAD), it takes the place of pthread_mutex_lock.
 *
 * They never spin for ever: whoever holds the lock may wait for the very cpu on which the other one spins. So each tries
 * for at most as long as a thread usually keeps a cpu, and then does what the C library does, also where the mutex is its
 * own. Waits for conditions and barriers, and locks inside the C library, are as before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { MOST_NS = 3000000, MOST_PAUSES = 64 };

typedef int lock_function(pthread_mutex_t *);

static _Atomic(lock_function *) sleeping;

static lock_function *next(void) {
    lock_function *found = atomic_load_explicit(&sleeping, memory_order_relaxed);
    if (found == NULL) {
        *(void **)&found = dlsym(RTLD_NEXT, "pthread_mutex_lock");
        atomic_store_explicit(&sleeping, found, memory_order_relaxed);
    }
    return found;
}

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void pause_cpu(int times) {
    for (int n = 0; n < times; n++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb");
#else
        atomic_signal_fence(memory_order_seq_cst);
#endif
    }
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    int got = pthread_mutex_trylock(mutex);
    if (got != EBUSY) return got;
    const long long until = now_ns() + MOST_NS;
    /* Fewer tries leave the lock's cache line to the thread that holds it. */
    for (int pauses = 1; now_ns() < until; pauses = pauses < MOST_PAUSES ? 2 * pauses : MOST_PAUSES) {
        pause_cpu(pauses);
        got = pthread_mutex_trylock(mutex);
        if (got != EBUSY) return got;
    }
    return next()(mutex);
}
