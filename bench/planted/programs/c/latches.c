// Order entry against a row store: each transaction prices the lines of an order and posts them to rows of the store.
//
//     latches THREADS DIAL WORK
//
// Every row has a latch in its header word, taken by compare and swap for as long as the row is changed. The lines of an
// order are posted to the stock rows of its warehouse and, for DIAL of them, to the row of the district, which all
// orders share. WORK is the number of orders.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STOCK_ROWS = 4096, MAX_LINES = 60, TIERS = 8, MAX_THREADS = 64 };

typedef struct {
    _Alignas(64) atomic_uint latch;
    uint32_t version;
    uint64_t quantity, amount;
    uint64_t by_tier[TIERS];
} Row;

typedef struct {
    uint32_t item, quantity;
} Line;

typedef struct {
    uint32_t warehouse, customer, lines;
    Line line[MAX_LINES];
} Order;

static Row stock[STOCK_ROWS], district;
static atomic_long next_order;
static long orders;
static double shared;

static void relax(void) {
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

static void latch(Row *row) {
    for (;;) {
        unsigned free = 0;
        if (atomic_compare_exchange_weak_explicit(&row->latch, &free, 1, memory_order_acquire, memory_order_relaxed))
            return;
        while (atomic_load_explicit(&row->latch, memory_order_relaxed)) relax();
    }
}

static void unlatch(Row *row) {
    row->version++;
    atomic_store_explicit(&row->latch, 0, memory_order_release);
}

static uint32_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void enter(Order *order, long number) {
    uint64_t state = number * 0x9e3779b97f4a7c15u;
    order->warehouse = draw(&state) % STOCK_ROWS;
    order->customer = draw(&state) % 3000;
    order->lines = MAX_LINES - draw(&state) % 10;
    for (uint32_t i = 0; i < order->lines; i++) {
        order->line[i].item = draw(&state) % 100000;
        order->line[i].quantity = 1 + draw(&state) % 10;
    }
}

// The price of a line: list price, volume rebate, the customer's rebate and tax, each rounded to cents.
static uint64_t price(const Line *line, uint32_t customer) {
    uint64_t cents = 100 + (uint64_t)line->item * 2654435761u % 9973;
    uint64_t gross = cents * line->quantity;
    for (uint32_t step = 1; step < line->quantity; step++) gross -= gross * step / (1000 + step * customer % 97);
    gross -= gross * (customer % 50) / 1000;
    return gross + gross * 825 / 10000;
}

static void post(Row *row, const Order *order, uint32_t first, uint32_t last) {
    if (first == last) return;
    latch(row);
    for (uint32_t i = first; i < last; i++) {
        uint64_t amount = price(&order->line[i], order->customer);
        row->quantity += order->line[i].quantity;
        row->amount += amount;
        row->by_tier[amount % TIERS] += amount;
    }
    unlatch(row);
}

static void *clerk(void *unused) {
    (void)unused;
    Order order;
    long number;
    while ((number = atomic_fetch_add_explicit(&next_order, 1, memory_order_relaxed)) < orders) {
        enter(&order, number);
        uint32_t own = order.lines - (uint32_t)(order.lines * shared + 0.5);
        post(&stock[order.warehouse], &order, 0, own);
        post(&district, &order, own, order.lines);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    shared = atof(argv[2]);
    orders = atol(argv[3]);
    if (threads < 1 || threads > MAX_THREADS) return 2;
    pthread_t ids[MAX_THREADS];
    for (int t = 0; t < threads; t++) pthread_create(&ids[t], NULL, clerk, NULL);
    for (int t = 0; t < threads; t++) pthread_join(ids[t], NULL);
    uint64_t quantity = district.quantity, tiers[TIERS] = {0};
    for (int r = 0; r <= STOCK_ROWS; r++) {
        const Row *row = r < STOCK_ROWS ? &stock[r] : &district;
        if (r < STOCK_ROWS) quantity += row->quantity;
        for (int i = 0; i < TIERS; i++) tiers[i] += row->by_tier[i];
    }
    printf("%llu", (unsigned long long)quantity);
    for (int i = 0; i < TIERS; i++) printf(" %llu", (unsigned long long)tiers[i]);
    printf("\n");
    return 0;
}
