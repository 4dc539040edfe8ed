/* A club of nonogram solvers: every line of a puzzle is worked out by trying all places of its blocks, and a book says
 * for each clue how often it came up and which cells were certain.
 *
 * The book has one mutex. The dial is the share of the lines whose clue is looked at with the book in hand: the solver
 * takes the book, works the line out, and enters it. Other lines are worked out first, and the book is taken for the
 * entry alone. Either takes as long for one solver. Solvers that want the book sleep: a sleeping lock. */
#include "work.h"

enum { WIDTH = 22, BLOCKS = 4, LINES = 16, CLUES = 256 };

struct Found {
    uint32_t black, white;
    uint32_t ways;
};

static pthread_mutex_t book_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    uint64_t seen, certain, ways;
} book[CLUES];

/* All places of the blocks that are left, from a cell on: which cells are the same in all of them? */
static void place(const int *blocks, int left, int from, uint32_t row, struct Found *found) {
    if (left == 0) {
        found->black &= row;
        found->white &= ~row;
        found->ways++;
        return;
    }
    int need = left - 1;
    for (int b = 0; b < left; b++) need += blocks[b];
    for (int at = from; at + need <= WIDTH; at++)
        place(blocks + 1, left - 1, at + blocks[0] + 1, row | ((1u << blocks[0]) - 1) << at, found);
}

static struct Found work_out(uint64_t clue) {
    int blocks[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) blocks[b] = 1 + (int)(clue >> (2 * b) & 3) * 2 / 3;
    struct Found found = {~0u, ~0u, 0};
    place(blocks, BLOCKS, 0, 0, &found);
    return found;
}

static void enter(uint64_t clue, const struct Found *found) {
    book[clue].seen++;
    book[clue].certain += (uint64_t)__builtin_popcount(found->black) * 7 + (found->white & 1023);
    book[clue].ways += found->ways;
}

static uint64_t solve(int thread) {
    uint64_t certain = 0;
    for (long puzzle = first(thread); puzzle < first(thread + 1); puzzle++) {
        for (int line = 0; line < LINES; line++) {
            uint64_t number = (uint64_t)puzzle * LINES + (uint64_t)line, clue = unit(number, 8) >> 40 & (CLUES - 1);
            struct Found found;
            if (picked(number)) {
                pthread_mutex_lock(&book_lock);
                found = work_out(clue);
            } else {
                found = work_out(clue);
                pthread_mutex_lock(&book_lock);
            }
            enter(clue, &found);
            pthread_mutex_unlock(&book_lock);
            certain += found.black;
        }
    }
    return certain;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint64_t sum = in_threads(solve);
    for (int clue = 0; clue < CLUES; clue++)
        sum += (book[clue].seen * 3 + book[clue].certain) * (2u * (unsigned)clue + 1) + book[clue].ways;
    print_answer(sum);
    return 0;
}
