//! The naive Fibonacci function, a join at each call: work for tests that only need some.

pub(crate) fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = knee_runtime::join(|| fib(n - 1), || fib(n - 2));
    a + b
}
