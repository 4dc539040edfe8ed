/* False sharing: operators copy pages of Morse traffic, and keep a running tally of what they heard.
 *
 * Every page is keyed from its number into a buffer of the operator, and read sign by sign. The tally of an operator
 * (letters, figures, gaps, a checksum) is written after every sign, in memory, where a supervisor could read it at any
 * time. An operator has two tallies: one on cache lines of its own, and one in a compact board, where the tallies of two
 * operators lie on the same line although nobody reads or writes another's. The dial is the share of the pages that are
 * tallied on the board. */
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNS = 480, MOST = 64 };

enum Kind { LETTER, FIGURE, GAP };

struct Tally {
    volatile uint32_t count[3];
    volatile uint64_t check, pages;
};

struct Desk {
    alignas(256) struct Tally own;
    uint8_t page[SIGNS];
    pthread_t id;
    long from, to;
};

static alignas(128) struct Tally board[MOST];
static struct Desk desks[MOST];
static double dial;

/* What a sign is, by its marks: a gap, a figure or a letter, each with the field of the tally that counts it. */
static uint8_t kind[256];

static inline uint64_t mix(uint64_t x) {
    x ^= x >> 30, x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27, x *= 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static void learn_code(void) {
    for (int marks = 0; marks < 256; marks++) {
        int length = marks & 7;
        kind[marks] = length == 0 || length == 7 ? GAP : length == 5 ? FIGURE : LETTER;
    }
}

static void key(uint8_t *page, uint64_t number) {
    uint64_t noise = mix(number + 1);
    for (int i = 0; i < SIGNS; i += 8) {
        noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
        memcpy(page + i, &noise, 8);
    }
}

static void copy(struct Tally *tally, const uint8_t *page) {
    for (int i = 0; i < SIGNS; i++) {
        tally->count[kind[page[i]]]++;
        tally->check = tally->check * 31 + page[i];
    }
    /* The check of a page begins again, so that it does not depend on the pages before. */
    tally->pages += tally->check >> 8;
    tally->check = 0;
}

static void *operator_at(void *given) {
    struct Desk *desk = given;
    struct Tally *shared = &board[desk - desks];
    for (long p = desk->from; p < desk->to; p++) {
        key(desk->page, (uint64_t)p);
        copy((double)(mix((uint64_t)p * 77 + 5) >> 11) * 0x1p-53 < dial ? shared : &desk->own, desk->page);
    }
    return 0;
}

static uint64_t total(const struct Tally *t) {
    return t->pages + 3ull * t->count[LETTER] + 5ull * t->count[FIGURE] + 7ull * t->count[GAP];
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    int threads = atoi(argv[1]);
    long pages = atol(argv[3]);
    dial = atof(argv[2]);
    learn_code();
    for (int t = 0; t < threads; t++) {
        desks[t].from = pages * t / threads, desks[t].to = pages * (t + 1) / threads;
        if (pthread_create(&desks[t].id, 0, operator_at, &desks[t])) return 1;
    }
    uint64_t sum = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(desks[t].id, 0);
        sum += total(&desks[t].own) + total(&board[t]);
    }
    printf("%016llx\n", (unsigned long long)sum);
}
