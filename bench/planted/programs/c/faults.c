/* Page faults: computes units of arithmetic, each with a buffer of 32 pages.
 *
 * The dial is the share of the units that map a new buffer, touch its pages and unmap it; all others touch the pages of
 * one that the thread keeps. The faults of all threads meet in the kernel: its lock of the address space, and the TLBs
 * of the other cpus, which unmapping has to flush. */
#include <sys/mman.h>

#include "work.h"

enum { STEPS = 20000, PAGES = 32, PAGE = 4096 };

static unsigned char *map(void) {
    unsigned char *buffer = mmap(0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) exit(1);
    return buffer;
}

static uint64_t touch(volatile unsigned char *buffer, long number) {
    uint64_t sum = 0;
    for (int page = 0; page < PAGES; page++) buffer[page * PAGE] = (unsigned char)(number + page);
    for (int page = 0; page < PAGES; page++) sum += buffer[page * PAGE];
    return sum;
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    unsigned char *kept = map();
    for (long i = first(thread); i < first(thread + 1); i++) {
        unsigned char *buffer = picked(i) ? map() : kept;
        sum += touch(buffer, i) + unit(i, STEPS);
        if (buffer != kept) munmap(buffer, PAGES * PAGE);
    }
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
