//! Numbers that kernels share: random ones for their inputs, and those that are given as parameters.

use std::ops::RangeInclusive;

use knee_workload::{Args, Error, Param};

/// A parameter that is a whole number.
pub(crate) const fn number(name: &'static str, summary: &'static str, default: &'static str) -> Param {
    Param::new(name, summary, default)
}

/// The random number of an index (splitmix64): inputs are filled in parallel, and equal for any number of workers.
pub(crate) fn random(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The random number of an index from -1 up to but not including 1; each seed has numbers of its own.
pub(crate) fn signed_unit(seed: u64, index: usize) -> f64 {
    let bits = random(random(seed) ^ index as u64) >> 11;
    bits as f64 / 2_f64.powi(52) - 1.0
}

/// The value of a parameter that is halved repeatedly.
pub(crate) fn power_of_two(args: &Args, name: &str, range: RangeInclusive<u64>) -> Result<usize, Error> {
    let number = args.number(name, range)?;
    if number.is_power_of_two() {
        return Ok(usize::try_from(number).expect("inside the range"));
    }
    let error = Error::new(format!("bad argument: {name} '{number}'; expected a power of two"));
    Err(error.hint(format!("use {}", number.next_power_of_two())))
}

#[cfg(test)]
mod tests {
    use super::signed_unit;

    #[test]
    fn random_numbers_spread_over_their_range_and_differ_between_seeds() {
        let numbers: Vec<f64> = (0..10_000).map(|index| signed_unit(1, index)).collect();
        assert!(numbers.iter().all(|number| (-1.0..1.0).contains(number)));
        assert!((numbers.iter().sum::<f64>() / 1e4).abs() < 0.02);
        assert!((numbers.iter().map(|number| number * number).sum::<f64>() / 1e4 - 1.0 / 3.0).abs() < 0.02);
        assert!((0..100).all(|index| signed_unit(2, index).to_bits() != numbers[index].to_bits()));
    }
}
