//! forte: lazy heartbeats by the cpu's tick counter. It publishes the first closure and runs the second, and only at a
//! join, so that the probe for wakes joins while it waits. The thread that forks is its first worker.

use std::time::Duration;

use forte::{ThreadPool, Worker};
use knee_bench_runtime::{Call, Node, Probe, add_up, pin_others, pin_self};

const LEAF: usize = 1 << 16;
static POOL: ThreadPool = ThreadPool::new();

fn fib(worker: &Worker, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = worker.join(|worker| fib(worker, n - 1), |worker| fib(worker, n - 2));
    a + b
}

fn scoped(worker: &Worker, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let mut a = 0;
    let b = worker.scope(|scope| {
        scope.spawn(|worker: &Worker| a = scoped(worker, n - 1));
        scoped(worker, n - 2)
    });
    a + b
}

fn sum(worker: &Worker, node: &Node) -> u64 {
    let Some((left, right)) = &node.children else { return node.value };
    let (a, b) = worker.join(|worker| sum(worker, left), |worker| sum(worker, right));
    node.value + a + b
}

fn fold(worker: &Worker, numbers: &[f64]) -> f64 {
    if numbers.len() <= LEAF {
        return add_up(numbers);
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    let (a, b) = worker.join(|worker| fold(worker, left), |worker| fold(worker, right));
    a + b
}

fn wake(worker: &Worker, probe: &Probe) {
    worker.join(
        |_| probe.mark(),
        |worker| {
            probe.wait(|| {
                worker.join(|_| (), |_| ());
            });
        },
    );
}

fn main() {
    let call = Call::read("forte", &["fib", "tree1023", "tree2M", "scope", "sum", "wake1", "wake50", "idle"]);
    POOL.resize_to(call.threads - 1);
    pin_others(&call.cpus, call.threads);
    pin_self(&call.cpus, 0);
    if call.test == "idle" {
        return call.idle(|| {
            POOL.with_worker(|worker| fib(worker, 27));
        });
    }
    POOL.with_worker(|worker| match call.test.as_str() {
        "fib" => call.fib(27, |n| fib(worker, n)),
        "tree1023" => call.tree(10, 200, |node| sum(worker, node)),
        "tree2M" => call.tree(21, 1, |node| sum(worker, node)),
        "scope" => call.fib(22, |n| scoped(worker, n)),
        "sum" => call.sum(|numbers| fold(worker, numbers)),
        "wake1" => call.wake(Duration::from_millis(1), |probe| wake(worker, probe)),
        _ => call.wake(Duration::from_millis(50), |probe| wake(worker, probe)),
    });
}
