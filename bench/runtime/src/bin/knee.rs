//! Our side. All but `idle` is timed inside the pool, as for rayon.

use std::hint::black_box;
use std::time::Duration;

use knee_bench_runtime::{Call, Node, Probe, add_up};
use knee_runtime::{Pool, join, parallel_for, reduce, scope};

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn scoped(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let mut a = 0;
    let b = scope(|scope| {
        scope.spawn(|_| a = scoped(n - 1));
        scoped(n - 2)
    });
    a + b
}

fn sum(node: &Node) -> u64 {
    let Some((left, right)) = &node.children else { return node.value };
    let (a, b) = join(|| sum(left), || sum(right));
    node.value + a + b
}

fn each(iterations: usize) {
    parallel_for(0..iterations, |index| {
        black_box(index);
    });
}

fn wake(probe: &Probe) {
    join(|| probe.wait(|| ()), || probe.mark());
}

fn main() {
    let tests = ["fib", "tree1023", "tree2M", "loop1000", "loop100000", "scope", "sum", "wake1", "wake50", "idle"];
    let call = Call::read("knee", &tests);
    let cpus: Vec<u32> = call.cpus.iter().map(|&cpu| u32::try_from(cpu).expect("a cpu's number")).collect();
    let pool = Pool::builder().workers(call.threads);
    let pool = if cpus.is_empty() { pool } else { pool.cpus(&cpus) }.build().expect("a pool");
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
        "sum" => call.sum(|numbers| reduce(numbers, add_up, |a, b| a + b)),
        "wake1" => call.wake(Duration::from_millis(1), wake),
        _ => call.wake(Duration::from_millis(50), wake),
    });
}
