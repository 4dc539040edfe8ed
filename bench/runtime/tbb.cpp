// oneTBB: task_group and parallel_invoke; loops by its static and its automatic partitioner.
#include <oneapi/tbb.h>

#include "side.h"

namespace {

class Pinner : public tbb::task_scheduler_observer {
  public:
    Pinner(tbb::task_arena &arena, const call &call) : tbb::task_scheduler_observer(arena), asked(call) { observe(true); }
    void on_scheduler_entry(bool) override { pin_self(&asked, tbb::this_task_arena::current_thread_index()); }

  private:
    const call &asked;
};

uint64_t fib(unsigned n) {
    if (n < 2) return n;
    uint64_t a, b;
    tbb::task_group group;
    group.run([&] { a = fib(n - 1); });
    b = fib(n - 2);
    group.wait();
    return a + b;
}

uint64_t fib_invoke(unsigned n) {
    if (n < 2) return n;
    uint64_t a, b;
    tbb::parallel_invoke([&] { a = fib_invoke(n - 1); }, [&] { b = fib_invoke(n - 2); });
    return a + b;
}

uint64_t sum(const node *tree) {
    if (!tree->left) return tree->value;
    uint64_t a, b;
    tbb::task_group group;
    group.run([&] { a = sum(tree->left); });
    b = sum(tree->right);
    group.wait();
    return tree->value + a + b;
}

template <class Work> void time(const call &asked, double per, int again, Work work) {
    timing taken = start_timing(&asked, per, again);
    while (next_sample(&taken))
        for (int i = 0; i < again; i++) work();
    print_timing(&taken);
}

void time_fib(const call &asked, uint64_t (*function)(unsigned)) {
    time(asked, FIB_SPAWNS, 1, [&] { expect(function(FIB_N) == FIB_VALUE, "fib"); });
}

void time_tree(const call &asked, int levels, int again) {
    const node *tree = balanced(levels);
    const uint64_t nodes = (uint64_t(1) << levels) - 1;
    time(asked, double(nodes), again, [&] { expect(sum(tree) == nodes, "tree"); });
}

template <class Partitioner> void time_loop(const call &asked, size_t iterations, int again, Partitioner partitioner) {
    const auto body = [](size_t index) { look_at(index); };
    time(asked, 1, again, [&] { tbb::parallel_for(size_t(0), iterations, body, partitioner); });
}

template <class Partitioner> void time_sum(const call &asked, Partitioner partitioner) {
    const double *numbers = new_numbers();
    using Range = tbb::blocked_range<size_t>;
    const auto part = [&](const Range &range, double so_far) { return so_far + add_up(numbers + range.begin(), range.size()); };
    time(asked, 1, 1, [&] {
        expect(tbb::parallel_reduce(Range(0, NUMBERS), 0.0, part, std::plus<double>(), partitioner) == NUMBERS, "sum");
    });
}

void time_wake(const call &asked, uint64_t alone_ns) {
    waking waits = start_waking(&asked, alone_ns);
    while (next_wake(&waits)) {
        tbb::task_group group;
        group.run([&] { mark(&waits.probe); });
        await_mark(&waits.probe);
        group.wait();
    }
    print_waking(&waits);
}

} // namespace

int main(int count, char **words) {
    const char *const tests[] = {"fib", "fib/invoke", "tree1023", "tree2M", "loop1000/static", "loop1000/auto",
                                 "loop100000/static", "loop100000/auto", "sum/static", "sum/auto", "wake1", "wake50",
                                 "idle", nullptr};
    const call asked = read_call("tbb", tests, count, words);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, size_t(asked.threads));
    tbb::task_arena arena(asked.threads);
    Pinner pinner(arena, asked);
    const auto is = [&](const char *test) { return asks_for(&asked, test); };
    arena.execute([&] {
        if (is("fib")) time_fib(asked, fib);
        if (is("fib/invoke")) time_fib(asked, fib_invoke);
        if (is("tree1023")) time_tree(asked, 10, 200);
        if (is("tree2M")) time_tree(asked, 21, 1);
        if (is("loop1000/static")) time_loop(asked, 1000, 1000, tbb::static_partitioner());
        if (is("loop1000/auto")) time_loop(asked, 1000, 1000, tbb::auto_partitioner());
        if (is("loop100000/static")) time_loop(asked, 100000, 20, tbb::static_partitioner());
        if (is("loop100000/auto")) time_loop(asked, 100000, 20, tbb::auto_partitioner());
        if (is("sum/static")) time_sum(asked, tbb::static_partitioner());
        if (is("sum/auto")) time_sum(asked, tbb::auto_partitioner());
        if (is("wake1")) time_wake(asked, 1000000);
        if (is("wake50")) time_wake(asked, 50000000);
        if (is("idle")) fib(FIB_N);
    });
    if (is("idle")) print_idle(&asked);
}
