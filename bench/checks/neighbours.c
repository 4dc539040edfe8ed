/* Breaks the check of predictions: a remedy that takes the cause away and adds as much work.
 *
 * The value of a row takes the longer the larger its number, and its result is the difference to the row before. With
 * the word `blocks`, each thread has rows that follow each other, so it computes each value once; that of the last rows
 * has most to do. With `cyclic`, thread k has the rows k, k + n, k + 2 n, ..., and all have as much to do: but
 * the row before is another thread's, so each computes its value, too. What it prints is the same.
 *
 * Usage: neighbours THREADS blocks|cyclic ROWS */
#include "../planted/programs/c/work.h"
#include <string.h>

enum { STEPS = 40 };

static int cyclic;

static uint64_t value(long row) { return unit(row, STEPS * row); }

static uint64_t body(int thread) {
    long from = cyclic ? thread : first(thread), to = cyclic ? work : first(thread + 1), step = cyclic ? threads : 1;
    uint64_t sum = 0, before = 0;
    for (long row = from; row < to; row += step) {
        if (step > 1 || row == from) before = row ? value(row - 1) : 0;
        uint64_t now = value(row);
        sum += now ^ before;
        before = now;
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc == 4) cyclic = strcmp(argv[2], "cyclic") == 0;
    return in_threads_only(argc, argv, body);
}
