//! Numbers as a table writes them: `85`, `0x30-0x4f, 0x60`.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;

/// A set of small numbers: models, steppings, parts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Numbers {
    text: String,
    ranges: Vec<RangeInclusive<u32>>,
}

impl Numbers {
    /// Whether `number` is one of them.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.ranges.iter().any(|range| range.contains(&number))
    }

    /// Whether some number is in both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let meets = |a: &RangeInclusive<u32>, b: &RangeInclusive<u32>| a.start() <= b.end() && b.start() <= a.end();
        self.ranges.iter().any(|mine| other.ranges.iter().any(|theirs| meets(mine, theirs)))
    }
}

impl TryFrom<String> for Numbers {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let ranges = text.split(',').map(|part| range(part.trim())).collect::<Option<Vec<_>>>();
        let ranges =
            ranges.ok_or_else(|| format!("{text:?} is not a list of numbers such as \"85\" or \"0x30-0x4f, 7\""))?;
        Ok(Self { text, ranges })
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn range(part: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (number(first.trim())?, number(last.trim())?);
    (first <= last).then_some(first..=last)
}

/// A decimal number, or a hexadecimal one after `0x`.
pub(super) fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Result<Numbers, String> {
        Numbers::try_from(text.to_owned())
    }

    #[test]
    fn ranges_and_single_numbers_are_read_in_both_notations() {
        let models = numbers("0x30-0x4f, 96, 0x70 - 0x71").unwrap();
        let found: Vec<u32> =
            [0x2f, 0x30, 0x4f, 0x50, 96, 97, 0x70, 0x71].into_iter().filter(|&n| models.contains(n)).collect();
        assert_eq!(found, [0x30, 0x4f, 96, 0x70, 0x71]);
        assert!(models.overlaps(&numbers("0x40-0x60").unwrap()));
        assert!(!models.overlaps(&numbers("0x50-0x5f").unwrap()));
    }

    #[test]
    fn what_is_no_list_of_numbers_is_refused() {
        for text in ["", "x", "9-3", "1,", "0xzz", "-1", "4294967296"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
