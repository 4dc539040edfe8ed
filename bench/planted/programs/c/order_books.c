/* Decoy. An exchange: each thread matches the orders of its own symbols in books that have a mutex each.
 *
 * The dial is the share of fills that lock and unlock the book around each single field, where others lock it once per
 * order. No book is ever used by two threads at a time, so nobody waits: it makes millions of lock calls and looks like
 * a program with a lock problem, but it scales well at every dial. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SYMBOLS = 240, LEVELS = 16 };

struct Book {
    _Alignas(128) pthread_mutex_t lock;
    uint64_t bids[LEVELS], asks[LEVELS], volume, turnover, trades;
};

static struct Book books[SYMBOLS];
static int threads;
static long orders;
static double dial;

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static void add(struct Book *book, uint64_t *field, uint64_t amount, int single) {
    if (single) pthread_mutex_lock(&book->lock);
    *field += amount;
    if (single) pthread_mutex_unlock(&book->lock);
}

static void match(struct Book *book, uint64_t order) {
    uint64_t r = mix(order), quantity = 1 + r % 100, price = r >> 32 & 1023;
    int single = (double)(mix(r) >> 11) * 0x1p-53 < dial;
    if (!single) pthread_mutex_lock(&book->lock);
    int level = (int)(price % LEVELS);
    add(book, r >> 63 ? &book->bids[level] : &book->asks[level], quantity, single);
    for (int fill = 0; fill < 8; fill++) {
        uint64_t part = mix(r + (uint64_t)fill) % quantity;
        for (int k = 0; k < 16; k++) part = mix(part + price);
        part &= 127;
        add(book, &book->volume, part, single);
        add(book, &book->turnover, part * price, single);
    }
    add(book, &book->trades, 1, single);
    if (!single) pthread_mutex_unlock(&book->lock);
}

static void *trade(void *given) {
    int me = (int)(intptr_t)given;
    for (long i = 0; i < orders; i++)
        for (int s = me; s < SYMBOLS; s += threads) match(&books[s], (uint64_t)(i * SYMBOLS + s + 1));
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    orders = atol(argv[3]);
    for (int s = 0; s < SYMBOLS; s++) pthread_mutex_init(&books[s].lock, 0);
    pthread_t ids[64];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, trade, (void *)(intptr_t)t)) return 1;
    for (int t = 0; t < threads; t++) pthread_join(ids[t], 0);
    uint64_t sum = 0;
    for (int s = 0; s < SYMBOLS; s++) {
        sum = sum * 31 + books[s].volume + books[s].turnover * 3 + books[s].trades;
        for (int l = 0; l < LEVELS; l++) sum = sum * 31 + books[s].bids[l] + 5 * books[s].asks[l];
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
