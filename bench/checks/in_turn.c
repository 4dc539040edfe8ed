/* Breaks the check of the machine's part: copies of the program take turns at something that its threads have in common.
 *
 * A process has the lock on the program's own file while it works, and asks for it again and again until it gets it. One
 * process with any number of threads never waits. Copies of it, each with one thread, do so one after the other, and
 * asking is CPU time: they take longer than the program itself and do not stand for it. The loss is another one: each
 * thread prepares for itself what one could prepare for all, which takes the share `dial` of the work. */
#include "../planted/programs/c/work.h"
#include <fcntl.h>
#include <sys/file.h>

enum { STEPS = 20000 };

static uint64_t body(int thread) {
    uint64_t prepared = 0, sum = 0;
    for (long i = 0; i < (long)(dial * (double)work); i++) prepared += unit(i, STEPS);
    for (long i = first(thread); i < first(thread + 1); i++) sum += unit(prepared + (uint64_t)i, STEPS);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    int file = open("/proc/self/exe", O_RDONLY);
    if (file < 0) return 1;
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    }
    print_answer(in_threads(body));
}
