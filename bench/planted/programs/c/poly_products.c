/* Allocator: multiplies sparse polynomials, each a list of terms in the order of their exponents.
 *
 * A product of two polynomials is built by merging: the first is multiplied by one term of the second, and the list that
 * comes out is merged into the sum so far. A term is a block of its own, freed when its list has been used up. The dial
 * is the share of the products whose terms come from malloc; the terms of the others come from a list of free terms that
 * the thread keeps. The program keeps malloc to one arena, and a list has more terms than malloc's caches of threads
 * hold, so most calls take the arena's lock. */
#include <malloc.h>

#include "work.h"

enum { TERMS = 20, STOCK = 4 * TERMS * TERMS, MODULUS = 2147483647 };

struct Term {
    struct Term *next;
    uint64_t factor;
    int exponent;
};

/* Where terms come from: malloc, or the thread's own stock. */
struct Source {
    int fresh;
    struct Term *stock;
};

static struct Term *make(struct Source *source, uint64_t factor, int exponent) {
    struct Term *term = source->stock;
    if (source->fresh) {
        if (!(term = malloc(sizeof *term))) exit(1);
    } else {
        source->stock = term->next;
    }
    *term = (struct Term){.factor = factor, .exponent = exponent};
    return term;
}

static void drop(struct Source *source, struct Term *term) {
    if (source->fresh) {
        free(term);
    } else {
        term->next = source->stock;
        source->stock = term;
    }
}

static struct Term *draw(struct Source *source, uint64_t number) {
    struct Term *head = 0, **end = &head;
    uint64_t x = unit(number, 4);
    int exponent = 0;
    for (int i = 0; i < TERMS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        exponent += 1 + (int)(x >> 61);
        end = &(*end = make(source, x >> 34, exponent))->next;
    }
    return head;
}

static struct Term *times_term(struct Source *source, const struct Term *list, const struct Term *by) {
    struct Term *head = 0, **end = &head;
    for (; list; list = list->next)
        end = &(*end = make(source, list->factor * by->factor % MODULUS, list->exponent + by->exponent))->next;
    return head;
}

/* Merge the terms of both lists; a term that the other list has, too, is added to it and dropped. */
static struct Term *merge(struct Source *source, struct Term *a, struct Term *b) {
    struct Term *head = 0, **end = &head;
    while (a && b) {
        if (a->exponent == b->exponent) {
            struct Term *same = b;
            a->factor = (a->factor + b->factor) % MODULUS;
            b = b->next;
            drop(source, same);
        }
        struct Term **least = b && b->exponent < a->exponent ? &b : &a;
        *end = *least;
        *least = (*least)->next;
        end = &(*end)->next;
    }
    *end = a ? a : b;
    return head;
}

/* The value of a polynomial, by powers of x. */
static uint64_t value(const struct Term *list, uint64_t x) {
    uint64_t sum = 0;
    for (; list; list = list->next) {
        uint64_t result = list->factor, square = x;
        for (int exponent = list->exponent; exponent > 0; exponent /= 2) {
            if (exponent & 1) result = result * square % MODULUS;
            square = square * square % MODULUS;
        }
        sum = (sum + result) % MODULUS;
    }
    return sum;
}

static void drop_all(struct Source *source, struct Term *list) {
    while (list) {
        struct Term *next = list->next;
        drop(source, list);
        list = next;
    }
}

static uint64_t body(int thread) {
    struct Source source = {0};
    struct Term *stock = calloc(STOCK, sizeof *stock);
    uint64_t sum = 0;
    for (int i = 0; i < STOCK; i++) drop(&source, &stock[i]);
    for (long i = first(thread); i < first(thread + 1); i++) {
        source.fresh = picked((uint64_t)i);
        struct Term *a = draw(&source, (uint64_t)(2 * i)), *b = draw(&source, (uint64_t)(2 * i + 1)), *product = 0;
        for (struct Term *by = b; by; by = by->next) product = merge(&source, product, times_term(&source, a, by));
        for (uint64_t x = 2; x < 4; x++) sum += value(product, x) * x;
        drop_all(&source, a);
        drop_all(&source, b);
        drop_all(&source, product);
    }
    free(stock);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    mallopt(M_ARENA_MAX, 1);
    print_answer(in_threads(body));
    return 0;
}
