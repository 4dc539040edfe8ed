/* refuse memory|pidfd|wait|limits|NUMBER [ENOSYS] PROGRAM...: runs a program without memory policies, pidfds, ppoll,
 * prlimit64 and geteuid, or one system call, as a container's filter of system calls may. They fail with EPERM, or with
 * ENOSYS if given. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 3) return 125;
    int first, second;
    if (!strcmp(words[1], "memory")) first = SYS_set_mempolicy, second = SYS_mbind;
    else if (!strcmp(words[1], "pidfd")) first = second = SYS_pidfd_open;
    else if (!strcmp(words[1], "wait")) first = second = SYS_ppoll;
    else if (!strcmp(words[1], "limits")) first = SYS_prlimit64, second = SYS_geteuid;
    else first = second = atoi(words[1]);
    int absent = !strcmp(words[2], "ENOSYS");
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (absent ? ENOSYS : EPERM)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 125;
    execvp(words[2 + absent], words + 2 + absent);
    return 127;
}
