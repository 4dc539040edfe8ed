/* Allocator: differences between revisions of wiki pages.
 *
 * Paragraphs of a page are compared with those of the revision before, and the runs that differ become hunks: a head and
 * the text that was put in. A reader of differences keeps the last few dozen hunks, and drops any of them when a new one
 * comes. The dial is the share of the hunks that malloc makes room for; the others lie in places that the reader has for
 * itself. The program wants one arena, to stay small, and hunks are longer than what threads keep for themselves. */
#include "work.h"
#include <malloc.h>
#include <string.h>

enum { PARAGRAPHS = 40, KEPT = 48, LONGEST = 5200 };

typedef struct Hunk {
    uint32_t first, count;
    uint64_t digest;
    int from_malloc;
    char text[];
} Hunk;

typedef struct {
    Hunk *kept[KEPT];
    char *places;
    uint64_t dropped;
} Reader;

static uint64_t paragraph(uint64_t page, uint64_t revision, int at) {
    uint64_t x = page * 0x9E3779B97F4A7C15u + (uint64_t)at * 0xBF58476D1CE4E5B9u;
    x ^= x >> 29;
    /* One paragraph in four changes with the revision. */
    if ((x + revision) % 4 == 0) x += revision * 0x94D049BB133111EBu;
    for (int letters = 0; letters < 6; letters++) x = x * 6364136223846793005u + (x >> 33 | 1);
    return x;
}

static void drop(Reader *reader, int slot) {
    Hunk *old = reader->kept[slot];
    if (!old) return;
    reader->dropped += old->digest ^ ((uint64_t)old->first << 8 | old->count);
    if (old->from_malloc) free(old);
    reader->kept[slot] = 0;
}

static void keep(Reader *reader, uint32_t first, uint32_t count, uint64_t digest, uint64_t number) {
    int slot = (int)(digest >> 40) % KEPT;
    drop(reader, slot);
    size_t size = 1100 + (size_t)(digest >> 20) % (LONGEST - 1100);
    int from_malloc = picked(number);
    Hunk *hunk = from_malloc ? malloc(size) : (Hunk *)(reader->places + (size_t)slot * LONGEST);
    if (!hunk) exit(1);
    *hunk = (Hunk){.first = first, .count = count, .digest = digest, .from_malloc = from_malloc};
    memset(hunk->text, (int)(digest & 127), 64);
    reader->kept[slot] = hunk;
}

static uint64_t compare(int thread) {
    Reader reader = {.places = aligned_alloc(4096, (KEPT * LONGEST + 4095) / 4096 * 4096)};
    if (!reader.places) exit(1);
    for (long page = first(thread); page < first(thread + 1); page++) {
        uint32_t run = 0;
        uint64_t digest = 0;
        for (int at = 0; at <= PARAGRAPHS; at++) {
            uint64_t now = 0, before = 0;
            if (at < PARAGRAPHS) {
                now = paragraph((uint64_t)page, 8, at);
                before = paragraph((uint64_t)page, 7, at);
            }
            if (now != before) {
                run++;
                digest = (digest ^ now) * 1099511628211u;
            } else if (run > 0) {
                keep(&reader, (uint32_t)at - run, run, digest, (uint64_t)page * 64 + (uint64_t)at);
                run = 0;
            }
        }
    }
    for (int slot = 0; slot < KEPT; slot++) drop(&reader, slot);
    free(reader.places);
    return reader.dropped;
}

int main(int argc, char **argv) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 8 << 20);
    return in_threads_only(argc, argv, compare);
}
