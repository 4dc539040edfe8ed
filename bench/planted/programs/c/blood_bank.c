/* A blood bank: threads match requests to bags, by blood group, age, and antigens, and book the bags.
 *
 * Stock is guarded by a lock of our own, a flag that is tested until it is free; its holder does not sleep. The dial is
 * the share of the requests that come from surgery: such a one compares its antigens with those of the bags while stock
 * is locked, lest a bag is promised twice; others compare with a printed list, which is the same for all, and lock only
 * to book. Comparing costs the same. Threads that wait for stock use their cpu to wait: spinning. */
#include <stdatomic.h>
#include <stdbool.h>

#include "work.h"

#define BAGS 384
#define ANTIGENS 12

typedef struct {
    _Alignas(LINE) atomic_bool taken;
} Flag;

static Flag stock_flag;
static struct { _Alignas(LINE) uint64_t booked; uint64_t requests; } ledger;
static uint32_t printed[BAGS][2];

static void acquire(Flag *flag) {
    for (;;) {
        if (!atomic_exchange_explicit(&flag->taken, true, memory_order_acquire)) return;
        while (atomic_load_explicit(&flag->taken, memory_order_relaxed)) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    }
}

static void release(Flag *flag) { atomic_store_explicit(&flag->taken, false, memory_order_release); }

/* The best bag for a request: fewest antigens that differ, then the oldest. */
static uint64_t compare(uint64_t request) {
    uint32_t antigens = (uint32_t)(request >> 32), best = UINT32_MAX;
    for (int bag = 0; bag < BAGS; bag++) {
        uint32_t differing = antigens ^ printed[bag][0], penalty = 0;
        for (int k = 0; k < ANTIGENS; k++) penalty += (differing >> k & 1) * (k + 3 + (penalty >> 3));
        uint32_t score = penalty * 4096 + printed[bag][1] % 4096;
        if (score < best) best = score;
    }
    return best * (request | 1);
}

static uint64_t serve(int thread) {
    uint64_t own = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        uint64_t request = unit((uint64_t)i, 12);
        bool surgery = picked((uint64_t)i);
        uint64_t bag = 0;
        if (!surgery) bag = compare(request);
        acquire(&stock_flag);
        if (surgery) bag = compare(request);
        ledger.booked += bag;
        ledger.requests++;
        release(&stock_flag);
        own += bag >> 20;
    }
    return own;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (int bag = 0; bag < BAGS; bag++) {
        uint64_t x = unit(900000u + bag, 5);
        printed[bag][0] = (uint32_t)x;
        printed[bag][1] = (uint32_t)(x >> 32);
    }
    uint64_t sum = in_threads(serve);
    print_answer(sum + ledger.booked + ledger.requests);
    return 0;
}
