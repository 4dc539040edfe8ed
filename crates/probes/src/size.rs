//! Sizes in bytes, and counts from calculations.

pub use knee_workload::size::{of, parse, text};

/// A number of things, from a calculation: 0 for what is below.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, which saturates")]
#[must_use]
pub(crate) fn count(number: f64) -> usize {
    number.round() as usize
}
