/* True sharing: places queens on boards with holes, and counts in how many ways it can be done.
 *
 * Boards are divided evenly among the threads, and a board is searched by backtracking. Every step of a search is paid
 * for from a budget, so that somebody could limit the search; it never runs out. The dial is the share of the boards
 * whose steps are paid from the one budget of all threads; for the others a thread has a budget of its own, on its own
 * line. Both are paid by the same atomic subtraction. One thread pays the same for either. */
#include <stdatomic.h>

#include "work.h"

enum { SIDE = 8 };

struct Budget {
    _Alignas(LINE) _Atomic int64_t left;
};

static struct Budget common, own[MOST_THREADS];

struct Board {
    uint32_t holes[SIDE];
    struct Budget *budget;
};

/* The ways to fill the rows from `row` on; the sets say which columns are taken, and attacked along diagonals. */
static uint64_t ways(const struct Board *board, int row, uint32_t columns, uint32_t left, uint32_t right) {
    if (row == SIDE) return 1;
    if (atomic_fetch_sub_explicit(&board->budget->left, 1, memory_order_relaxed) <= 0) exit(3);
    uint64_t found = 0;
    uint32_t open = ~(columns | left | right | board->holes[row]) & ((1u << SIDE) - 1);
    while (open) {
        uint32_t queen = open & -open;
        open -= queen;
        found += ways(board, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return found;
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        struct Board board = {.budget = picked((uint64_t)i) ? &common : &own[thread]};
        uint64_t places = unit((uint64_t)i, 8);
        for (int row = 0; row < SIDE; row++) board.holes[row] = 1u << (places >> (20 + 3 * row) & 7);
        sum += ways(&board, 0, 0, 0, 0) * (uint64_t)(i % 1000 + 1);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    common.left = INT64_MAX;
    for (int t = 0; t < threads; t++) own[t].left = INT64_MAX;
    print_answer(in_threads(body));
    return 0;
}
