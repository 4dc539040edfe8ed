/* Serial part: links object files, whose global symbols only main resolves, as most linkers do.
 *
 * The files come in groups. A file has symbols, each with a name that is read and looked up in a table, and a section
 * that is relocated. The dial is the share of a file's symbols that are global: main looks them up in the global table,
 * in the order of the files, before the team does the rest: local symbols, in a table of the thread, and sections. All
 * files are equal, so the loop divides evenly, and main does its part alone whatever the number of threads. */
#include <omp.h>
#include <string.h>

#include "../c/work.h"

enum { GROUP = 64, SYMBOLS = 200, NAME = 24, SLOTS = 512, SECTION = 1500 };

struct Table {
    uint64_t names[SLOTS];
};

static struct Table global, local[MOST_THREADS];

/* Read the name of a symbol; return its hash (FNV-1a). Files share most of their names. */
static uint64_t read_name(long file, int symbol) {
    uint64_t letters = unit((uint64_t)(symbol * 7 + file % 3) % 331, 3), hash = 0xCBF29CE484222325u;
    for (int i = 0; i < NAME; i++) {
        hash = (hash ^ ('a' + (letters & 15))) * 0x100000001B3u;
        letters = letters >> 3 | letters << 61;
    }
    return hash | 1;
}

/* Look a name up, and enter it if it is new; return its address, which follows from the name. */
static uint64_t resolve(struct Table *table, uint64_t name) {
    uint64_t slot = name >> 40;
    while (table->names[slot % SLOTS] != 0 && table->names[slot % SLOTS] != name) slot++;
    table->names[slot % SLOTS] = name;
    return name >> 20;
}

static uint64_t resolve_some(struct Table *table, long file, int from, int to) {
    uint64_t sum = 0;
    for (int symbol = from; symbol < to; symbol++) sum += resolve(table, read_name(file, symbol));
    return sum;
}

static uint64_t relocate(long file) {
    uint32_t section[SECTION], base = (uint32_t)file * 4096;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SECTION; i++) section[i] = i * 0x9E3779B1u;
    for (uint32_t i = 0; i < SECTION; i++) sum = (sum << 1 | sum >> 63) + (section[i] & 1 ? section[i] + base : i);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    int globals = (int)(dial * SYMBOLS);
    uint64_t sum = 0;
    for (long group = 0; group < work; group++) {
        long begin = group * GROUP, end = begin + GROUP;
        for (long file = begin; file < end; file++) sum += resolve_some(&global, file, 0, globals);
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(threads)
        for (long file = begin; file < end; file++) {
            sum += resolve_some(&local[omp_get_thread_num()], file, globals, SYMBOLS) + relocate(file);
        }
    }
    print_answer(sum);
    return 0;
}
