/* I/O: draws the labels of an herbarium as bitmaps, sheet by sheet, on paper whose grain is fetched from a disk.
 *
 * A label is drawn by two passes of a box blur over random ink, some 70 us; a sheet has 64 of them, which the threads
 * share. Before a sheet is drawn, its grain may have to be fetched: the main thread reads a file piece by piece, past
 * the page cache (O_DIRECT), and waits for the disk in state D; the drawing threads can only start when it is there.
 *
 * The dial is the share of the sheets whose grain is fetched; for the others it is in memory already. It is the same
 * for all sheets, and one thread reads as often as two. The file lies in $TMPDIR or else /var/tmp, which must be on a
 * disk; it is written past the page cache, too, and unlinked at once. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

enum { PAGE = 4096, PIECE = 256 * PAGE, GRAIN = 4 * PIECE, LABELS = 64, WIDE = 128, HIGH = 64, PASSES = 2 };

static unsigned char *grain;
static long sheet;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t shaken(uint64_t x) {
    x ^= x << 13, x ^= x >> 7;
    return x ^ x << 17;
}

/* Make the grain, and keep it in a file without a name. */
static int make_grain(void) {
    char name[256];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/herb-labels-XXXXXX", folder ? folder : "/var/tmp");
    int file = mkostemp(name, O_DIRECT);
    if (file < 0) fail(name);
    unlink(name);
    uint64_t dust = 1;
    for (int i = 0; i < GRAIN; i += 8) {
        dust = shaken(dust);
        memcpy(grain + i, &dust, 8);
    }
    if (write(file, grain, GRAIN) != GRAIN) fail("writing the grain");
    return file;
}

static void fetch_grain(int file) {
    for (off_t at = 0; at < GRAIN; at += PIECE)
        if (pread(file, grain + at, PIECE, at) != PIECE) fail("reading the grain");
}

static void draw(uint64_t label, unsigned char *ink) {
    unsigned char blurred[WIDE * HIGH];
    const unsigned char *paper = grain + label * 7919 % (GRAIN / PAGE - 2) * PAGE;
    uint64_t drop = label * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < WIDE * HIGH; i++) {
        drop = shaken(drop);
        ink[i] = drop & 3 ? paper[i] / 4 : 255;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        memcpy(blurred, ink, sizeof blurred);
        for (int y = 1; y < HIGH - 1; y++)
            for (int x = 1; x < WIDE - 1; x++) {
                int sum = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++) sum += blurred[(y + dy) * WIDE + x + dx];
                ink[y * WIDE + x] = (unsigned char)(sum / 9);
            }
    }
}

static uint64_t check_sum(const unsigned char *ink) {
    uint64_t sum = 0;
    for (int i = 0; i < WIDE * HIGH; i++) sum = (sum ^ ink[i]) * 0x100000001B3u;
    return sum;
}

static uint64_t draw_part(int thread) {
    unsigned char ink[WIDE * HIGH];
    uint64_t sum = 0;
    for (long label = LABELS * thread / threads; label < LABELS * (thread + 1) / threads; label++) {
        draw((uint64_t)(sheet * LABELS + label), ink);
        sum += check_sum(ink);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    grain = aligned_alloc(PAGE, GRAIN);
    if (!grain) fail("memory");
    int file = make_grain();
    uint64_t sum = 0;
    for (sheet = 0; sheet < work; sheet++) {
        if (picked((uint64_t)sheet)) fetch_grain(file);
        sum += in_threads(draw_part);
    }
    print_answer(sum);
    close(file);
    free(grain);
    return 0;
}
