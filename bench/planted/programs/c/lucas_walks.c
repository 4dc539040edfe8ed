/* Big integers: for many pairs (p, q) the terms of Lucas's recurrence u = p v + q w, modulo a power of two of some
 * 9000 bits, and a digest of the last.
 *
 * The process keeps to one arena of malloc, to be small. The dial is the share of the terms that are fresh blocks of
 * malloc, freed two terms later; the others go into a few buffers that a walk has from its beginning. */
#include "work.h"
#include <malloc.h>
#include <string.h>

enum { LIMBS = 140, TERMS = 64 };

typedef unsigned __int128 wide;

struct number {
    int fresh;
    uint64_t limb[LIMBS];
};

static void term(struct number *u, const struct number *v, const struct number *w, uint64_t p, uint64_t q) {
    wide carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        wide low = (wide)v->limb[i] * p;
        wide sum = (wide)w->limb[i] * q + (uint64_t)low + (uint64_t)carry;
        u->limb[i] = (uint64_t)sum;
        carry = (carry >> 64) + (low >> 64) + (sum >> 64);
    }
}

static uint64_t walk(long which, struct number *kept) {
    uint64_t p = unit(which, 2) >> 40 | 1, q = unit(which, 3) >> 44 | 1;
    struct number *w = &kept[0], *v = &kept[1];
    w->fresh = v->fresh = 0;
    for (int i = 0; i < LIMBS; i++) w->limb[i] = unit(which + i, 1), v->limb[i] = ~w->limb[i];
    for (int n = 2; n < TERMS; n++) {
        int fresh = picked(which * TERMS + n);
        struct number *u = fresh ? malloc(sizeof *u) : &kept[n % 3];
        if (!u) exit(1);
        u->fresh = fresh;
        term(u, v, w, p, q);
        if (w->fresh) free(w);
        w = v, v = u;
    }
    uint64_t digest = 0;
    for (int i = 0; i < LIMBS; i++) digest = digest * 0x100000001B3u ^ v->limb[i];
    if (w->fresh) free(w);
    if (v->fresh) free(v);
    return digest;
}

static uint64_t walks(int thread) {
    struct number kept[3];
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) sum += walk(i, kept);
    return sum;
}

int main(int argc, char **argv) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    return in_threads_only(argc, argv, walks);
}
