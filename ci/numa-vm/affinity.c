/* Says which cpus each OpenMP thread may use after some seconds of sleep: `THREAD LIST` a line. With a second argument
 * it first touches so many MiB of memory. It sleeps instead of working: in an emulator busy threads delay all others.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static void rest(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

int main(int count, char **words) {
    double seconds = count > 1 ? atof(words[1]) : 1.0;
    if (count > 2) {
        size_t bytes = strtoul(words[2], NULL, 10) << 20;
        char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(memory, 1, bytes);
    }
#pragma omp parallel
    {
        rest(seconds);
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
#pragma omp critical
        {
            printf("%d ", omp_get_thread_num());
            const char *comma = "";
            for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &set)) {
                    printf("%s%d", comma, cpu);
                    comma = ",";
                }
            printf("\n");
        }
    }
    return 0;
}
