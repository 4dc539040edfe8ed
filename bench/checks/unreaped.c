/* Breaks the check of idle time: processes whose CPU time the kernel tells nobody.
 *
 * One process makes `dial` times as many units as all others by itself, then starts a process for each "thread", which
 * make the others. It ignores their end (SIGCHLD), as servers do that want no zombies, so their CPU time is in nobody's
 * account, and n·T - CPU says that they were idle. Records of context switches, and samples, see them compute. */
#include "../planted/programs/c/work.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 20000 };

static uint64_t units(long from, long to) {
    uint64_t sum = 0;
    for (long i = from; i < to; i++) sum += unit(i, STEPS);
    return sum;
}

/* The number that a process wrote, or the end of the program: all others have gone without writing. */
static uint64_t read_sum(int pipe) {
    uint64_t sum;
    if (read(pipe, &sum, sizeof sum) != sizeof sum) exit(1);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    int ends[2];
    if (pipe(ends) != 0) return 1;
    signal(SIGCHLD, SIG_IGN);
    uint64_t sum = units(work, work + (long)(dial * (double)work));
    for (int t = 0; t < threads; t++) {
        pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) {
            uint64_t found = units(first(t), first(t + 1));
            _exit(write(ends[1], &found, sizeof found) != sizeof found);
        }
    }
    close(ends[1]);
    for (int t = 0; t < threads; t++) sum += read_sum(ends[0]);
    /* It returns when all have ended, without one to tell of. */
    while (wait(0) > 0) {
    }
    print_answer(sum);
}
