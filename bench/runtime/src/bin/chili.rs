//! chili: heartbeats. It publishes the first closure and runs the second, and only at a join, so that the probe for
//! wakes joins while it waits. The thread that forks is its first worker.

use std::num::NonZero;
use std::time::Duration;

use chili::{Config, Scope, ThreadPool};
use knee_bench_runtime::{Call, Node, Probe, add_up, pin_others, pin_self};

const LEAF: usize = 1 << 16;

fn fib(scope: &mut Scope<'_>, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = scope.join(|scope| fib(scope, n - 1), |scope| fib(scope, n - 2));
    a + b
}

fn sum(scope: &mut Scope<'_>, node: &Node) -> u64 {
    let Some((left, right)) = &node.children else { return node.value };
    let (a, b) = scope.join(|scope| sum(scope, left), |scope| sum(scope, right));
    node.value + a + b
}

fn fold(scope: &mut Scope<'_>, numbers: &[f64]) -> f64 {
    if numbers.len() <= LEAF {
        return add_up(numbers);
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    let (a, b) = scope.join(|scope| fold(scope, left), |scope| fold(scope, right));
    a + b
}

fn wake(scope: &mut Scope<'_>, probe: &Probe) {
    scope.join(
        |_| probe.mark(),
        |scope| {
            probe.wait(|| {
                scope.join(|_| (), |_| ());
            });
        },
    );
}

fn main() {
    let call = Call::read("chili", &["fib", "tree1023", "tree2M", "sum", "wake1", "wake50", "idle"]);
    let pool = ThreadPool::with_config(Config { thread_count: NonZero::new(call.threads), ..Config::default() });
    pin_others(&call.cpus, call.threads);
    pin_self(&call.cpus, 0);
    if call.test == "idle" {
        return call.idle(|| {
            fib(&mut pool.scope(), 27);
        });
    }
    let scope = &mut pool.scope();
    match call.test.as_str() {
        "fib" => call.fib(27, |n| fib(scope, n)),
        "tree1023" => call.tree(10, 200, |node| sum(scope, node)),
        "tree2M" => call.tree(21, 1, |node| sum(scope, node)),
        "sum" => call.sum(|numbers| fold(scope, numbers)),
        "wake1" => call.wake(Duration::from_millis(1), |probe| wake(scope, probe)),
        _ => call.wake(Duration::from_millis(50), |probe| wake(scope, probe)),
    }
}
