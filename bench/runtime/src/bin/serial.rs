//! No runtime at all: the base that the others are held against.

use std::hint::black_box;

use knee_bench_runtime::{Call, Node, add_up, pin_self};

fn fib(n: u32) -> u64 {
    if n < 2 { u64::from(n) } else { fib(n - 1) + fib(n - 2) }
}

fn sum(node: &Node) -> u64 {
    match &node.children {
        Some((left, right)) => node.value + sum(left) + sum(right),
        None => node.value,
    }
}

fn each(iterations: usize) {
    for index in 0..iterations {
        black_box(index);
    }
}

fn main() {
    let call = Call::read("serial", &["fib", "tree1023", "tree2M", "loop1000", "loop100000", "sum"]);
    pin_self(&call.cpus, 0);
    match call.test.as_str() {
        "fib" => call.fib(27, fib),
        "tree1023" => call.tree(10, 200, sum),
        "tree2M" => call.tree(21, 1, sum),
        "loop1000" => call.empty_loop(1000, 1000, each),
        "loop100000" => call.empty_loop(100_000, 20, each),
        _ => call.sum(add_up),
    }
}
