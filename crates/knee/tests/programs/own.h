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
