/* Its child computes, and nobody is told for how long: it ignores the end of its children. */
#include <signal.h>
#include <sys/wait.h>

#include "own.h"

int main(void) {
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        work(1.5);
        _exit(0);
    }
    wait(0);
    return 0;
}
