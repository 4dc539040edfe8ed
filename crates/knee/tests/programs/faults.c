/* Touches so many fresh pages: itself, and in the given numbers of threads and forked children. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t pages;

static void *touch(void *unused) {
    size_t page = sysconf(_SC_PAGESIZE);
    volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) exit(1);
    /* One fault would fill many small pages at once. */
    madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++) memory[i * page] = 1;
    return unused;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    pages = atol(argv[1]);
    touch(NULL);
    for (int i = atoi(argv[2]); i > 0; i--) {
        pthread_t thread;
        pthread_create(&thread, NULL, touch, NULL);
        pthread_join(thread, NULL);
    }
    for (int i = atoi(argv[3]); i > 0; i--) {
        if (fork() == 0) {
            touch(NULL);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
