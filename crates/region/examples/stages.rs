//! Two stages, marked as regions: filling a table, which one thread does, and summing it, which several do.
//!
//! Usage: `knee run -- target/release/examples/stages N THREADS`

fn main() {
    let mut words = std::env::args().skip(1).map_while(|word| word.parse::<usize>().ok());
    let (Some(n), Some(threads @ 1..)) = (words.next(), words.next()) else {
        eprintln!("usage: stages N THREADS");
        std::process::exit(2);
    };
    let table = fill(n);
    let _sum = knee_region::enter("sum");
    let total: u32 = std::thread::scope(|scope| {
        let shares = table.chunks(n.div_ceil(threads).max(1));
        let team: Vec<_> = shares.map(|share| scope.spawn(|| count(share))).collect();
        team.into_iter().map(|thread| thread.join().expect("counting does not fail")).sum()
    });
    println!("{total}");
}

/// Fibonacci numbers modulo 2^32: each needs the two before it.
fn fill(n: usize) -> Vec<u32> {
    let _fill = knee_region::enter("fill");
    let numbers = std::iter::successors(Some((1_u32, 1_u32)), |(one, next)| Some((*next, one.wrapping_add(*next))));
    numbers.map(|(one, _)| one).take(n).collect()
}

fn count(share: &[u32]) -> u32 {
    // A region that is entered often is looked up only once with the macro.
    let _share = knee_region::region!("share");
    share.iter().map(|number| number.count_ones()).sum()
}
