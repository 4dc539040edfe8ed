/* Decoy for memory and caches: follows random links through 1.5 MiB, of which each thread has an equal part.
 *
 * There is no dial. The whole does not fit into an L2 cache of 1 MiB, but half of it does, so two threads gain more
 * than twice: the program is clean. The answer is the number of links that were followed. */
#include "work.h"

enum { NODES = (3 << 19) / LINE };

struct Node {
    struct Node *next;
    char rest[LINE - sizeof(struct Node *)];
};

static struct Node nodes[NODES];

/* Link a thread's nodes into one ring in random order (Sattolo's shuffle). */
static void link_ring(struct Node *from, long count) {
    long *order = malloc((size_t)count * sizeof *order);
    for (long i = 0; i < count; i++) order[i] = i;
    for (long i = count - 1; i > 0; i--) {
        long other = (long)(unit((uint64_t)i, 3) % (uint64_t)i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (long i = 0; i < count; i++) from[i].next = &from[order[i]];
    free(order);
}

static uint64_t body(int thread) {
    long begin = (long)NODES * thread / threads, count = (long)NODES * (thread + 1) / threads - begin;
    link_ring(nodes + begin, count);
    struct Node *node = nodes + begin;
    uint64_t followed = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        for (int step = 0; step < 1000; step++) node = node->next;
        followed += node != 0 ? 1000 : 0;
    }
    return followed;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
