/* What the kernel says of the calling thread, and work that lasts. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

/* Busy for so long, whatever share of a cpu that takes. */
static inline void work(double seconds) {
    for (double end = now() + seconds; now() < end;) {}
}

/* Works on until it may run on one cpu only, for at most 20 s: on a busy machine it may be pinned late. */
static inline void until_pinned(void) {
    double end = now() + 20;
    for (int cpus = 2; cpus != 1 && now() < end;) {
        unsigned long mask[16] = {0};
        cpus = 0;
        if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) <= 0) return;
        for (int i = 0; i < 16; i++) cpus += __builtin_popcountl(mask[i]);
        if (cpus != 1) work(0.01);
    }
}

/* Prints the role, the thread's id and the cpus it may run on. One write, so that lines of threads do not mix;
   not on standard output, which a pipeline may lead into the next program. */
static inline void say(const char *role) {
    FILE *status = fopen("/proc/thread-self/status", "r");
    char cpus[200] = "?", line[256];
    for (int found = 0; status && !found && fgets(line, sizeof line, status);)
        found = sscanf(line, "Cpus_allowed_list: %199s", cpus);
    if (status) fclose(status);
    int length = snprintf(line, sizeof line, "%s %ld %s\n", role, syscall(SYS_gettid), cpus);
    if (write(STDERR_FILENO, line, length) != length) abort();
}
