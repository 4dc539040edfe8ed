/* Too few tasks: computes the MinHash signatures of documents, as a search for near duplicates does.
 *
 * Threads take tasks from a queue until it is empty; a task is a run of documents. The dial is the number of tasks into
 * which all documents are divided, 0 for one to every 4 documents. Documents and tasks are equal, so with few of them
 * the threads differ by a whole task at the end, and some have none left. The lock of the queue is taken once a task. */
#include "work.h"

enum { TOKENS = 600, SHINGLE = 3, HASHES = 16, FINE = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long tasks, taken;

/* Return the number of the next task, or -1. */
static long take(void) {
    pthread_mutex_lock(&lock);
    long task = taken < tasks ? taken++ : -1;
    pthread_mutex_unlock(&lock);
    return task;
}

static uint32_t token(long document, int place) {
    uint32_t x = ((uint32_t)document * TOKENS + (uint32_t)place) * 0x9E3779B1u;
    return (x ^ x >> 15) % 5000;
}

/* The smallest value of each hash function over all runs of three tokens, added up. */
static uint64_t signature(long document) {
    uint32_t smallest[HASHES];
    for (int h = 0; h < HASHES; h++) smallest[h] = UINT32_MAX;
    uint64_t shingle = 0, sum = 0;
    for (int i = 0; i < TOKENS; i++) {
        shingle = (shingle << 13 | token(document, i)) & ((1ull << 13 * SHINGLE) - 1);
        uint32_t mixed = (uint32_t)((shingle * 0xD6E8FEB86659FD93u) >> 32);
        for (uint32_t h = 0; h < HASHES; h++) {
            uint32_t value = mixed * (2 * h + 1) ^ mixed >> 7;
            if (value < smallest[h]) smallest[h] = value;
        }
    }
    for (int h = 0; h < HASHES; h++) sum += smallest[h];
    return sum;
}

static uint64_t body(int thread) {
    (void)thread;
    uint64_t sum = 0;
    for (long task; (task = take()) >= 0;) {
        long begin = work * task / tasks, end = work * (task + 1) / tasks;
        for (long document = begin; document < end; document++) sum += signature(document);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    tasks = dial >= 1 ? (long)dial : (work + FINE - 1) / FINE;
    print_answer(in_threads(body));
    return 0;
}
