/* A typesetter: it breaks the paragraphs of a book into lines; workers fetch galleys (bundles of paragraphs) from a
 * queue. Every run of letters retains the font face while it is measured and releases it afterwards. The dial is the
 * share of runs that retain the book's one face object, whose reference count all workers change; the other runs
 * retain the worker's own handle of that face, which costs the same instructions but is no other thread's. So the
 * dial is true sharing: the very same word is written by all threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LETTERS = 64, RUN = 11, RUNS = 48, PARAGRAPHS = 64, MEASURE = 4200, APART = 256 };

struct metrics {
    uint16_t advance[LETTERS];
    int8_t kern[LETTERS][LETTERS];
};

/* What is counted lies alone; what is only read lies elsewhere. */
struct face {
    alignas(APART) atomic_long references;
    alignas(APART) const struct metrics *metrics;
};

struct galley {
    uint64_t number;
    struct galley *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct galley *head, *tail;
    int closed;
} tray = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

static struct metrics book_metrics;
static struct face book_face = {.references = 1, .metrics = &book_metrics};
static uint64_t shared_below; /* of 2^32 */

struct setter {
    pthread_t id;
    struct face own;
    uint64_t proof;
    alignas(APART) char end;
};

static inline uint64_t scramble(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static void cut_metrics(void) {
    for (int a = 0; a < LETTERS; a++) {
        book_metrics.advance[a] = 40 + scramble(a + 1) % 37;
        for (int b = 0; b < LETTERS; b++) book_metrics.kern[a][b] = (int)(scramble(a * 977 + b + 5) % 9) - 6;
    }
}

static const struct metrics *retain(struct face *face) {
    atomic_fetch_add(&face->references, 1);
    return face->metrics;
}

static void release(struct face *face) {
    if (atomic_fetch_sub(&face->references, 1) == 1) abort(); /* nobody may drop the last reference while we set */
}

/* The width of one run: the letters follow from its seed, each is kerned against the one before. */
static unsigned run_width(const struct metrics *m, uint64_t seed) {
    unsigned width = 0, before = seed & 63;
    for (int i = 0; i < RUN; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned letter = (seed >> 40 ^ before) & 63;
        width += m->advance[letter] + m->kern[before][letter];
        before = letter;
    }
    return width;
}

/* First fit, with the square of what is left at the end of a line as badness. */
static uint64_t set_paragraph(struct setter *me, uint64_t paragraph) {
    uint64_t badness = 0;
    unsigned used = 120, lines = 1;
    for (unsigned run = 0; run < RUNS; run++) {
        uint64_t seed = scramble(paragraph * RUNS + run + 1);
        struct face *face = (seed >> 32) < shared_below ? &book_face : &me->own;
        unsigned width = run_width(retain(face), seed);
        release(face);
        if (used + width > MEASURE) {
            uint64_t left = MEASURE - used;
            badness += left * left;
            lines++;
            used = 0;
        }
        used += width + 25;
    }
    return badness * 31 + lines * 7919 + used;
}

static struct galley *fetch(void) {
    pthread_mutex_lock(&tray.lock);
    while (!tray.head && !tray.closed) pthread_cond_wait(&tray.filled, &tray.lock);
    struct galley *g = tray.head;
    if (g) tray.head = g->next;
    pthread_mutex_unlock(&tray.lock);
    return g;
}

static void *setter_main(void *given) {
    struct setter *me = given;
    uint64_t proof = 0;
    for (struct galley *g; (g = fetch()); free(g))
        for (uint64_t p = 0; p < PARAGRAPHS; p++) proof += scramble(set_paragraph(me, g->number * PARAGRAPHS + p) + g->number);
    me->proof = proof;
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    int threads = atoi(argv[1]);
    shared_below = (uint64_t)(atof(argv[2]) * 4294967296.0);
    long galleys = atol(argv[3]);
    cut_metrics();
    struct setter *setters = aligned_alloc(APART, sizeof(struct setter) * threads);
    if (!setters) return 1;
    for (int t = 0; t < threads; t++) {
        atomic_init(&setters[t].own.references, 1);
        setters[t].own.metrics = &book_metrics;
        if (pthread_create(&setters[t].id, 0, setter_main, &setters[t])) return 1;
    }
    for (long n = 0; n < galleys;) { /* the copy comes in in bundles of 64 galleys */
        struct galley *head = 0, **last = &head, *g = 0;
        for (int i = 0; i < 64 && n < galleys; i++) {
            if (!(g = malloc(sizeof *g))) return 1;
            *g = (struct galley){n++, 0};
            *last = g;
            last = &g->next;
        }
        pthread_mutex_lock(&tray.lock);
        if (tray.head) tray.tail->next = head;
        else tray.head = head;
        tray.tail = g;
        tray.closed = n == galleys;
        pthread_cond_broadcast(&tray.filled);
        pthread_mutex_unlock(&tray.lock);
    }
    uint64_t proof = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(setters[t].id, 0);
        proof += setters[t].proof;
    }
    if (book_face.references != 1) return fprintf(stderr, "the face leaked\n"), 1;
    printf("%016llx\n", (unsigned long long)proof);
    free(setters);
    return 0;
}
