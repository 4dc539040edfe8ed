/* Ferry times: how many sailings leave before a traveller arrives at the quay.
 *
 * Every thread takes in its part of the day's sailings and sorts it, which leaves one sorted run a thread. The planned
 * sailings are in one merged list. A question is answered from the merged list, or, where it must include the latest
 * changes, by searching all runs and adding up: the more threads took sailings in, the more runs there are to search.
 * The dial is the share of the questions that search the runs. */
#include "work.h"

#include <string.h>

enum { SAILINGS = 4096 };

static uint32_t merged[SAILINGS], changed[SAILINGS];
static pthread_barrier_t taken_in;

static int by_time(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static long start_of(int run) { return (long)SAILINGS * run / threads; }

/* How many times of a sorted list are before `time`. */
static long earlier(const uint32_t *list, long length, uint32_t time) {
    const uint32_t *low = list;
    while (length > 1) {
        long half = length / 2;
        low += low[half - 1] < time ? half : 0;
        length -= half;
    }
    return low - list + (*low < time);
}

static uint64_t quay(int thread) {
    long from = start_of(thread), to = start_of(thread + 1);
    qsort(changed + from, to - from, sizeof *changed, by_time);
    pthread_barrier_wait(&taken_in);
    uint64_t waits = 0, x = 0;
    for (long traveller = first(thread); traveller < first(thread + 1); traveller++) {
        x = (uint64_t)traveller * 0x9E3779B97F4A7C15u;
        x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
        uint32_t arrival = x >> 32;
        long left = 0;
        if (picked(traveller)) {
            for (int run = 0; run < threads; run++)
                left += earlier(changed + start_of(run), start_of(run + 1) - start_of(run), arrival);
        } else {
            left = earlier(merged, SAILINGS, arrival);
        }
        waits += left < SAILINGS ? merged[left] - arrival : 86400;
    }
    return waits;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (uint32_t i = 0; i < SAILINGS; i++) changed[i] = (uint32_t)unit(i, 3);
    memcpy(merged, changed, sizeof merged);
    qsort(merged, SAILINGS, sizeof *merged, by_time);
    pthread_barrier_init(&taken_in, 0, threads);
    print_answer(in_threads(quay));
    pthread_barrier_destroy(&taken_in);
    return 0;
}
