/* OpenMP, by gcc or by clang (-DSIDE says which): tasks for recursion, loops shared out at once (static) or on the way
   (guided). */
#include "side.h"

#include <omp.h>

static uint64_t fib(unsigned n) {
    if (n < 2) return n;
    uint64_t a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static uint64_t sum(const struct node *tree) {
    if (!tree->left) return tree->value;
    uint64_t a, b;
#pragma omp task shared(a)
    a = sum(tree->left);
    b = sum(tree->right);
#pragma omp taskwait
    return tree->value + a + b;
}

static void time_fib(const struct call *call) {
    struct timing timing = start_timing(call, FIB_SPAWNS, 1);
    while (next_sample(&timing)) expect(fib(FIB_N) == FIB_VALUE, "fib");
    print_timing(&timing);
}

static void time_tree(const struct call *call, int levels, int again) {
    const struct node *tree = balanced(levels);
    const uint64_t nodes = ((uint64_t)1 << levels) - 1;
    struct timing timing = start_timing(call, (double)nodes, again);
    while (next_sample(&timing))
        for (int i = 0; i < again; i++) expect(sum(tree) == nodes, "tree");
    print_timing(&timing);
}

static void time_static(const struct call *call, size_t iterations, int again) {
    struct timing timing = start_timing(call, 1, again);
    while (next_sample(&timing))
        for (int i = 0; i < again; i++) {
#pragma omp parallel for schedule(static)
            for (size_t index = 0; index < iterations; index++) look_at(index);
        }
    print_timing(&timing);
}

static void time_guided(const struct call *call, size_t iterations, int again) {
    struct timing timing = start_timing(call, 1, again);
    while (next_sample(&timing))
        for (int i = 0; i < again; i++) {
#pragma omp parallel for schedule(guided)
            for (size_t index = 0; index < iterations; index++) look_at(index);
        }
    print_timing(&timing);
}

static void time_sum(const struct call *call) {
    const double *numbers = new_numbers();
    struct timing timing = start_timing(call, 1, 1);
    while (next_sample(&timing)) {
        double all = 0;
#pragma omp parallel reduction(+ : all)
        {
            const size_t share = NUMBERS / (size_t)omp_get_num_threads(), first = share * (size_t)omp_get_thread_num();
            const int last = omp_get_thread_num() + 1 == omp_get_num_threads();
            all += add_up(numbers + first, last ? NUMBERS - first : share);
        }
        expect(all == NUMBERS, "sum");
    }
    print_timing(&timing);
}

static void time_wake(const struct call *call, uint64_t alone_ns) {
    struct waking waking = start_waking(call, alone_ns);
    while (next_wake(&waking)) {
#pragma omp parallel
        {
            if (omp_get_thread_num() == 1) mark(&waking.probe);
            if (omp_get_thread_num() == 0) await_mark(&waking.probe);
        }
    }
    print_waking(&waking);
}

int main(int count, char **words) {
    const char *const tests[] = {"fib",  "tree1023", "tree2M", "loop1000/static", "loop1000/guided", "loop100000/static",
                                 "loop100000/guided", "sum", "wake1", "wake50", "idle", NULL};
    const struct call call = read_call(SIDE, tests, count, words);
    omp_set_dynamic(0);
    omp_set_num_threads(call.threads);
#pragma omp parallel
    pin_self(&call, omp_get_thread_num());

    if (asks_for(&call, "loop1000/static")) time_static(&call, 1000, 1000);
    if (asks_for(&call, "loop1000/guided")) time_guided(&call, 1000, 1000);
    if (asks_for(&call, "loop100000/static")) time_static(&call, 100000, 20);
    if (asks_for(&call, "loop100000/guided")) time_guided(&call, 100000, 20);
    if (asks_for(&call, "sum")) time_sum(&call);
    if (asks_for(&call, "wake1")) time_wake(&call, 1000000);
    if (asks_for(&call, "wake50")) time_wake(&call, 50000000);
#pragma omp parallel
#pragma omp master
    {
        if (asks_for(&call, "fib")) time_fib(&call);
        if (asks_for(&call, "tree1023")) time_tree(&call, 10, 200);
        if (asks_for(&call, "tree2M")) time_tree(&call, 21, 1);
        if (asks_for(&call, "idle")) fib(FIB_N);
    }
    if (asks_for(&call, "idle")) print_idle(&call);
    return 0;
}
