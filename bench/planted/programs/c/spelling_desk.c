/* True sharing: checks the spelling of a long text against a small dictionary, and counts the words it has seen.
 *
 * The text is divided evenly among the threads. A word that the dictionary lacks is tried again with two neighbouring
 * letters exchanged. The dial is the share of the words that are counted in the one atomic counter of the desk; all
 * others are counted by the thread itself. */
#include "work.h"
#include <stdatomic.h>
#include <string.h>

enum { ENTRIES = 1500, SLOTS = 4096, LETTERS = 8 };

static char dictionary[SLOTS][LETTERS] __attribute__((aligned(LINE)));

static struct {
    atomic_long seen;
    char unused[LINE - sizeof(atomic_long)];
} desk __attribute__((aligned(LINE)));

/* Entry `n` of the language: consonants and vowels in turn. */
static void spell(uint64_t n, char *word) {
    uint64_t x = (n + 7) * 0xD1342543DE82EF95u;
    for (int i = 0; i < LETTERS; i++) {
        x ^= x >> 29;
        word[i] = i % 2 ? "aeiouy"[(x >> 8 & 255) * 6 >> 8] : "bcdfghklmnprstvw"[x >> 20 & 15];
        x *= 0x9E3779B97F4A7C15u;
    }
}

static unsigned slot_of(const char *word) {
    uint32_t hash = 2166136261u;
    for (int i = 0; i < LETTERS; i++) hash = (hash ^ (uint8_t)word[i]) * 16777619u;
    return (hash ^ hash >> 15) % SLOTS;
}

static int known(const char *word) {
    for (unsigned slot = slot_of(word); dictionary[slot][0]; slot = (slot + 1) % SLOTS)
        if (memcmp(dictionary[slot], word, LETTERS) == 0) return 1;
    return 0;
}

/* The exchange that makes the word known, or 0. */
static int corrected(char *word) {
    for (int i = 1; i < LETTERS; i++) {
        char held = word[i];
        word[i] = word[i - 1], word[i - 1] = held;
        int found = known(word);
        word[i - 1] = word[i], word[i] = held;
        if (found) return i;
    }
    return 0;
}

static uint64_t body(int thread) {
    uint64_t errors = 0;
    long own = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        char word[LETTERS];
        uint64_t typed = ((uint64_t)i + 1) * 0x9E3779B97F4A7C15u;
        spell((typed >> 40) % ENTRIES, word);
        if (typed >> 20 & 1 && (typed >> 21 & 7) == 5) {
            int slip = 1 + (int)((typed >> 24 & 255) * (LETTERS - 1) >> 8);
            char held = word[slip];
            word[slip] = word[slip - 1], word[slip - 1] = held;
        }
        if (!known(word)) errors += (uint64_t)(corrected(word) + 1) * (typed >> 50);
        if (picked((uint64_t)i)) atomic_fetch_add_explicit(&desk.seen, 1, memory_order_relaxed);
        else own++;
    }
    return errors + (uint64_t)own * 1000003u;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (uint64_t n = 0; n < ENTRIES; n++) {
        char word[LETTERS];
        spell(n, word);
        unsigned slot = slot_of(word);
        while (dictionary[slot][0] && memcmp(dictionary[slot], word, LETTERS) != 0) slot = (slot + 1) % SLOTS;
        memcpy(dictionary[slot], word, LETTERS);
    }
    uint64_t sum = in_threads(body);
    print_answer(sum + (uint64_t)atomic_load(&desk.seen) * 1000003u);
}
