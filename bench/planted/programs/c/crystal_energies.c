/* Duplicated work: answers questions about crystals, whose lattice energies are kept once they are known.
 *
 * Threads fetch question after question. The energy of a crystal is a sum over the ions around one of them, of some
 * 100 us. Whoever finds no energy in the table sums it up and stores it, without telling the others that the sum is
 * under way.
 *
 * The dial is the share of the crystals that are asked for twice, by two questions in a row. One thread finds the
 * energy in the table at the second question; two threads fetch one question each, and both sum. Nobody waits. All
 * crystals are asked for at least once, so one thread sums as much at every dial. */
#include <stdatomic.h>
#include <string.h>

#include "work.h"

enum { REACH = 40 };

struct Kept {
    _Alignas(LINE) _Atomic uint64_t energy;
};

static struct Kept *kept;
static long *questions;
static long asked;
static _Alignas(LINE) atomic_long next;

/* The energy of an ion amid others that all repel it, and every second attracts it, in a cell that each crystal
 * stretches in its own way. */
static uint64_t energy(long crystal) {
    double a = 1 + (double)(crystal % 101) / 400, b = 1 + (double)(crystal % 89) / 300, sum = 0;
    for (int x = 1; x <= REACH; x++)
        for (int y = 1; y <= REACH; y++)
            for (int z = 1; z <= REACH; z++) {
                double square = x * x * a + y * y * b + z * z;
                double sixth = 1 / (square * square * square);
                sum += (x + y + z) % 2 ? sixth * sixth - sixth : sixth * sixth;
            }
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits | 1;
}

static uint64_t answer_questions(int thread) {
    (void)thread;
    for (;;) {
        long question = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        if (question >= asked) return 0;
        struct Kept *entry = &kept[questions[question]];
        if (atomic_load_explicit(&entry->energy, memory_order_relaxed) == 0)
            atomic_store_explicit(&entry->energy, energy(questions[question]), memory_order_relaxed);
    }
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    kept = aligned_alloc(LINE, (size_t)work * sizeof *kept);
    questions = malloc(2 * (size_t)work * sizeof *questions);
    if (!kept || !questions) return 1;
    memset(kept, 0, (size_t)work * sizeof *kept);
    for (long crystal = 0; crystal < work; crystal++) {
        questions[asked++] = crystal;
        if (picked((uint64_t)crystal)) questions[asked++] = crystal;
    }
    uint64_t sum = in_threads(answer_questions);
    for (long crystal = 0; crystal < work; crystal++)
        sum += atomic_load(&kept[crystal].energy) * (uint64_t)(crystal + 1);
    print_answer(sum);
    free(questions);
    free(kept);
    return 0;
}
