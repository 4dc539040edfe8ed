/* Bioinformatics: families of short reads are aligned to a reference by a pool of threads with a queue of tasks, each
 * task a family.
 *
 * The dial is the share of all reads that belong to the last three families, one of them with eight tenths of that.
 * The reads and the total work stay the same, but one thread is left with the largest family at the end while the rest
 * of the pool has nothing to do: imbalance. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ = 40, WINDOW = 60, FAMILY = 20, REFERENCE = 1 << 14 };

struct Task {
    struct Task *next;
    long first, end;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct Task *head, **tail;
    int closed;
    uint64_t score;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, &pool.head, 0, 0};

static char reference[REFERENCE];

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* Smith and Waterman's score of a read with errors against the window that it came from. */
static int align(long number) {
    uint64_t r = mix((uint64_t)number + 1);
    const char *window = reference + r % (REFERENCE - WINDOW);
    char read[READ];
    memcpy(read, window + (r >> 20) % (WINDOW - READ), READ);
    for (int i = 0; i < 5; i++) read[(r >> (24 + 6 * i)) % READ] = "ACGT"[r >> (50 + 2 * i) & 3];
    int row[WINDOW + 1] = {0}, best = 0;
    for (int i = 0; i < READ; i++) {
        int diagonal = 0;
        for (int j = 1; j <= WINDOW; j++) {
            int score = diagonal + (read[i] == window[j - 1] ? 2 : -1);
            diagonal = row[j];
            if (row[j] - 2 > score) score = row[j] - 2;
            if (row[j - 1] - 2 > score) score = row[j - 1] - 2;
            row[j] = score > 0 ? score : 0;
            if (row[j] > best) best = row[j];
        }
    }
    return best;
}

static void submit(long first, long end) {
    struct Task *task = malloc(sizeof *task);
    *task = (struct Task){0, first, end};
    pthread_mutex_lock(&pool.lock);
    *pool.tail = task;
    pool.tail = &task->next;
    pthread_cond_signal(&pool.more);
    pthread_mutex_unlock(&pool.lock);
}

static void *work_off(void *unused) {
    uint64_t score = 0;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.head && !pool.closed) pthread_cond_wait(&pool.more, &pool.lock);
        struct Task *task = pool.head;
        if (!task) break;
        pool.head = task->next;
        if (!pool.head) pool.tail = &pool.head;
        pthread_mutex_unlock(&pool.lock);
        for (long i = task->first; i < task->end; i++) score += mix((uint64_t)(align(i) + i));
        free(task);
        pthread_mutex_lock(&pool.lock);
    }
    pool.score += score;
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    long reads = atol(argv[3]), large = (long)(atof(argv[2]) * (double)reads), small = reads - large;
    for (int i = 0; i < REFERENCE; i++) reference[i] = "ACGT"[mix((uint64_t)i + 77) & 3];
    pthread_t ids[64];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, work_off, 0)) return 1;
    for (long i = 0; i < small; i += FAMILY) submit(i, i + FAMILY < small ? i + FAMILY : small);
    if (large > 0) {
        submit(small, small + large / 10);
        submit(small + large / 10, small + large / 10 * 2);
        submit(small + large / 10 * 2, reads);
    }
    pthread_mutex_lock(&pool.lock);
    pool.closed = 1;
    pthread_cond_broadcast(&pool.more);
    pthread_mutex_unlock(&pool.lock);
    for (int t = 0; t < threads; t++) pthread_join(ids[t], 0);
    printf("%016llx\n", (unsigned long long)pool.score);
    return 0;
}
