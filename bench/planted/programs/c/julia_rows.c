/* Decoy for imbalance: counts the iterations of a Julia set, row by row, where rows differ widely in time.
 *
 * There is no dial. Rows through the set take some hundred times as long as the last ones, and neighbours are alike, so
 * equal runs of rows would be far from equal. But threads take one row at a time from a counter, and there are
 * thousands, so all threads end together: the program is clean. The counter is used once in about 35 us. */
#include <stdalign.h>
#include <stdatomic.h>

#include "work.h"

enum { WIDTH = 800, MOST = 120 };

static alignas(LINE) atomic_long next;

/* The row's place is first below and then above the axis; the picture is taller than the set. */
static uint64_t row(long number) {
    double height = 3.0 * ((double)number + 0.5) / (double)work - 0.9;
    uint64_t sum = 0;
    for (int column = 0; column < WIDTH; column++) {
        double x = 3.2 * (column + 0.5) / WIDTH - 1.6, y = height;
        int count = 0;
        while (count < MOST && x * x + y * y < 4) {
            double real = x * x - y * y - 0.12;
            y = 2 * x * y + 0.74;
            x = real;
            count++;
        }
        sum += (uint64_t)(count * (column % 7 + 1));
    }
    return sum * (uint64_t)(number % 31 + 1);
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    (void)thread;
    for (long number; (number = atomic_fetch_add(&next, 1)) < work;) sum += row(number);
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
