/* Works out freight tariffs: parses each tariff's formula into a tree, and evaluates the tree for a table of weights.
 *
 * The nodes of a tree lie in a buffer of the thread's own, or they are blocks from malloc that are freed one by one
 * after the last weight. The dial is the share of the formulas whose nodes come from malloc. The C library is told to
 * keep a single arena, so the threads that ask it for nodes wait for each other; a thread alone asks as often. */
#include "work.h"
#include <malloc.h>
#include <string.h>

enum { TEXT = 1200, NODES = 400, WEIGHTS = 40 };

struct Node {
    struct Node *left, *right;
    int64_t value;
    char kind;
    char source[1]; /* what the node was parsed from; longer in fact */
};

/* A number, a weight and an operator take blocks of different sizes. */
enum { NUMBER_SIZE = 176, WEIGHT_SIZE = 240, OPERATOR_SIZE = 304 };

struct Parser {
    const char *at;
    int from_malloc;
    size_t used;
    char *pool;
};

static uint32_t draw(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static char *write_formula(char *out, int depth, uint32_t *seed) {
    if (depth == 0) {
        if (draw(seed) % 3 == 0) {
            *out++ = 'w';
        } else {
            out += sprintf(out, "%u", draw(seed) % 900 + 1);
        }
        return out;
    }
    *out++ = '(';
    out = write_formula(out, depth - 1, seed);
    *out++ = "+-*&"[draw(seed) % 4];
    out = write_formula(out, depth - 1, seed);
    *out++ = ')';
    return out;
}

static struct Node *new_node(struct Parser *parser, char kind, size_t size) {
    struct Node *node;
    if (parser->from_malloc) {
        node = malloc(size);
        if (!node) exit(1);
    } else {
        node = (struct Node *)(parser->pool + parser->used);
        parser->used += size;
    }
    node->left = node->right = 0;
    node->value = 0;
    node->kind = kind;
    strncpy(node->source, parser->at, 24);
    return node;
}

static struct Node *parse(struct Parser *parser) {
    if (*parser->at == '(') {
        struct Node *whole = new_node(parser, 0, OPERATOR_SIZE);
        parser->at++;
        whole->left = parse(parser);
        whole->kind = *parser->at++;
        whole->right = parse(parser);
        parser->at++;
        return whole;
    }
    if (*parser->at == 'w') {
        struct Node *weight = new_node(parser, 'w', WEIGHT_SIZE);
        parser->at++;
        return weight;
    }
    struct Node *number = new_node(parser, 'n', NUMBER_SIZE);
    while (*parser->at >= '0' && *parser->at <= '9') number->value = number->value * 10 + (*parser->at++ - '0');
    return number;
}

static uint64_t price(const struct Node *node, uint64_t weight) {
    if (node->kind == 'n') return (uint64_t)node->value;
    if (node->kind == 'w') return weight;
    uint64_t a = price(node->left, weight), b = price(node->right, weight);
    switch (node->kind) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b % 1000003;
    default: return a & b;
    }
}

static void drop(struct Node *node) {
    if (!node) return;
    drop(node->left);
    drop(node->right);
    free(node);
}

static uint64_t tariffs(int thread) {
    static _Thread_local char text[TEXT];
    static _Thread_local char pool[NODES * OPERATOR_SIZE] __attribute__((aligned(64)));
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        uint32_t seed = (uint32_t)i * 2246822519u + 7;
        *write_formula(text, 6, &seed) = 0;
        struct Parser parser = {.at = text, .from_malloc = picked(i), .pool = pool};
        struct Node *tree = parse(&parser);
        for (uint64_t weight = 1; weight <= WEIGHTS; weight++) sum += price(tree, weight * 37) * (uint64_t)(i + 1);
        if (parser.from_malloc) drop(tree);
    }
    return sum;
}

int main(int argc, char **argv) {
    mallopt(M_ARENA_MAX, 1);
    return in_threads_only(argc, argv, tariffs);
}
