/* Decoy for a sleeping lock: keeps small sorted lists with a mutex in every node, locked hand over hand.
 *
 * There is no dial. A unit enters keys into a list and then looks some up; each step to the next node takes one lock and
 * releases another, some hundred times a unit. The list and its nodes belong to the thread, so no lock is ever found
 * taken and no line moves: the program is clean. */
#include <stdalign.h>

#include "work.h"

enum { KEYS = 24, LOOKUPS = 16 };

struct Node {
    alignas(LINE / 2) pthread_mutex_t lock;
    struct Node *next;
    uint32_t key, found;
};

struct List {
    alignas(LINE) struct Node nodes[KEYS + 1];
};

static struct List lists[MOST_THREADS];

/* Return the last node with a smaller key, with its lock held. */
static struct Node *before(struct Node *head, uint32_t key) {
    struct Node *node = head;
    pthread_mutex_lock(&node->lock);
    while (node->next != 0 && node->next->key < key) {
        struct Node *next = node->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&node->lock);
        node = next;
    }
    return node;
}

static void enter(struct Node *head, struct Node *node, uint32_t key) {
    struct Node *place = before(head, key);
    node->key = key;
    node->found = 0;
    node->next = place->next;
    place->next = node;
    pthread_mutex_unlock(&place->lock);
}

static uint64_t look_up(struct Node *head, uint32_t key) {
    struct Node *place = before(head, key);
    uint64_t result = place->next != 0 ? place->next->key + ++place->next->found : 0;
    pthread_mutex_unlock(&place->lock);
    return result;
}

static uint64_t body(int thread) {
    struct Node *nodes = lists[thread].nodes;
    uint64_t sum = 0;
    for (int i = 0; i <= KEYS; i++) pthread_mutex_init(&nodes[i].lock, 0);
    for (long i = first(thread); i < first(thread + 1); i++) {
        nodes[0].next = 0;
        for (int k = 1; k <= KEYS; k++) enter(nodes, nodes + k, (uint32_t)(unit((uint64_t)(i * KEYS + k), 2) >> 40));
        for (int k = 0; k < LOOKUPS; k++) sum += look_up(nodes, (uint32_t)(unit((uint64_t)(i + k), 3) >> 40));
    }
    return sum;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, body); }
