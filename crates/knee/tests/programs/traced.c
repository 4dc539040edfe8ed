/* Ends while a process of its own traces it and takes note of that a second later, as `strace -D` may. Exit status 5, or 9
   where it may not be traced. */
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ready[2];
    char traced = 0;
    if (pipe(ready)) return 9;
    /* Fails without Yama, which alone asks for it. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (fork() == 0) {
        pid_t parent = getppid();
        siginfo_t ended;
        traced = ptrace(PTRACE_SEIZE, parent, 0, 0) == 0;
        if (write(ready[1], &traced, 1) != 1 || !traced) _exit(1);
        waitid(P_PID, parent, &ended, WEXITED | WNOWAIT | __WALL);
        sleep(1);
        _exit(0);
    }
    if (read(ready[0], &traced, 1) != 1) return 9;
    return traced ? 5 : 9;
}
