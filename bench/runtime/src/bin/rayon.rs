//! rayon: joins on a Chase-Lev deque, workers pinned by a start handler. All but `idle` is timed inside the pool.

use std::hint::black_box;
use std::time::Duration;

use knee_bench_runtime::{Call, Node, Probe, add_up, pin_self};
use rayon::prelude::*;

const LEAF: usize = 1 << 16;

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn scoped(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let mut a = 0;
    let b = rayon::scope(|scope| {
        scope.spawn(|_| a = scoped(n - 1));
        scoped(n - 2)
    });
    a + b
}

fn sum(node: &Node) -> u64 {
    let Some((left, right)) = &node.children else { return node.value };
    let (a, b) = rayon::join(|| sum(left), || sum(right));
    node.value + a + b
}

fn each(iterations: usize) {
    (0..iterations).into_par_iter().for_each(|index| {
        black_box(index);
    });
}

fn wake(probe: &Probe) {
    rayon::join(|| probe.wait(|| ()), || probe.mark());
}

fn main() {
    let tests = ["fib", "tree1023", "tree2M", "loop1000", "loop100000", "scope", "sum", "wake1", "wake50", "idle"];
    let call = Call::read("rayon", &tests);
    let cpus = call.cpus.clone();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(call.threads)
        .start_handler(move |worker| pin_self(&cpus, worker))
        .build()
        .expect("a pool");
    if call.test == "idle" {
        return call.idle(|| {
            pool.install(|| fib(27));
        });
    }
    pool.install(|| match call.test.as_str() {
        "fib" => call.fib(27, fib),
        "tree1023" => call.tree(10, 200, sum),
        "tree2M" => call.tree(21, 1, sum),
        "loop1000" => call.empty_loop(1000, 1000, each),
        "loop100000" => call.empty_loop(100_000, 20, each),
        "scope" => call.fib(22, scoped),
        "sum" => call.sum(|numbers| numbers.par_chunks(LEAF).map(add_up).sum()),
        "wake1" => call.wake(Duration::from_millis(1), wake),
        _ => call.wake(Duration::from_millis(50), wake),
    });
}
