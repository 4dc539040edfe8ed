/* Duplicated work: how far is it from one bed of a hospital to another?
 *
 * The walls of a floor depend on the ward. The distances from a bed are found by a search over the whole floor, and what
 * a question needs of them is put into a table of all wards, so that the second question about the ward is answered from
 * it. There is no lock: who finds no entry searches and stores it when ready, and if two threads do so at the same time
 * both search. Every ward is asked about twice. The dial is the share of the wards whose second question directly
 * follows the first, as when two nurses set out together; all other second questions come at the end. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 48
#define CELLS (SIDE * SIDE)

static int threads;
static long wards, asked;
static uint32_t *questions; /* twice the ward, and 1 in the second question */
static _Atomic uint64_t *known;
static atomic_long turn;

static uint64_t scatter(uint64_t v) {
    v *= 0x9FB21C651E98DF25u;
    v ^= v >> 35;
    v *= 0xA24BAED4963EE407u;
    return v ^ v >> 29;
}

/* Breadth first over the floor; folds all distances into one word that is never 0. */
static uint64_t search(uint32_t ward, uint16_t *queue, uint16_t *far) {
    static const int step[4] = {1, SIDE, -1, -SIDE};
    uint64_t noise = scatter(ward + 1);
    for (int i = 0; i < CELLS; i++) {
        noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
        int row = i / SIDE, column = i % SIDE;
        int wall = row == 0 || column == 0 || row == SIDE - 1 || column == SIDE - 1 || (noise >> 50 & 7) < 2;
        far[i] = wall ? 0 : UINT16_MAX;
    }
    int head = 0, tail = 0, bed = SIDE * (SIDE / 2) + SIDE / 2;
    far[bed] = 1;
    queue[tail++] = (uint16_t)bed;
    uint64_t folded = 0;
    while (head < tail) {
        int here = queue[head++];
        folded = (folded ^ far[here]) * 0x100000001B3u;
        for (int s = 0; s < 4; s++) {
            int next = here + step[s];
            if (far[next] != UINT16_MAX) continue;
            far[next] = far[here] + 1;
            queue[tail++] = (uint16_t)next;
        }
    }
    return folded | 1;
}

static void *nurse(void *answer) {
    uint16_t queue[CELLS], far[CELLS];
    uint64_t sum = 0;
    for (long q; (q = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed)) < asked;) {
        uint32_t ward = questions[q] / 2, second = questions[q] % 2;
        uint64_t entry = atomic_load_explicit(&known[ward], memory_order_acquire);
        if (entry == 0) {
            entry = search(ward, queue, far);
            atomic_store_explicit(&known[ward], entry, memory_order_release);
        }
        sum += scatter(entry + second);
    }
    *(uint64_t *)answer = sum;
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    threads = atoi(argv[1]);
    wards = atol(argv[3]);
    double together = atof(argv[2]);
    questions = malloc((size_t)wards * 2 * sizeof *questions);
    known = calloc((size_t)wards, sizeof *known);
    for (uint32_t w = 0; w < wards; w++) {
        questions[asked++] = 2 * w;
        if ((double)(scatter(w) >> 11) * 0x1p-53 < together) questions[asked++] = 2 * w + 1;
    }
    for (uint32_t w = 0; w < wards; w++)
        if ((double)(scatter(w) >> 11) * 0x1p-53 >= together) questions[asked++] = 2 * w + 1;
    pthread_t ids[64];
    uint64_t answers[64], sum = 0;
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], NULL, nurse, &answers[t])) return 1;
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        sum += answers[t];
    }
    printf("%016llx\n", (unsigned long long)sum);
    free((void *)known);
    free(questions);
    return 0;
}
