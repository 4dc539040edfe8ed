/* A library for LD_PRELOAD: the clock of the day jumps every KNEE_JUMP_MS by up to KNEE_JUMP_S seconds forward or back,
 * in a way that KNEE_JUMP_SEED determines. Other clocks go on as they are. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
    struct timespec steady;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &steady);
    long every = number("KNEE_JUMP_MS"), most = number("KNEE_JUMP_S");
    if (!every || !most) return 0;
    unsigned long draw = (unsigned long)((steady.tv_sec * 1000 + steady.tv_nsec / 1000000) / every);
    draw = (draw + 1 + (unsigned long)number("KNEE_JUMP_SEED")) * 0x9e3779b97f4a7c15;
    draw = (draw ^ draw >> 29) * 0xbf58476d1ce4e5b9;
    long by = (long)((draw ^ draw >> 32) % (2 * (unsigned long)most + 1)) - most;
    now->tv_sec = now->tv_sec + by < 0 ? 0 : now->tv_sec + by;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec, now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
