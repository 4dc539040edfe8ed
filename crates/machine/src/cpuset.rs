//! Sets of cpus (or nodes) by number, in the kernel's list notation: `0-3,8`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;

/// No Linux kernel numbers cpus beyond this; a larger number in a list is a typing error, not a machine.
const HIGHEST: u32 = 1 << 16;

/// A set of cpus or nodes, in ascending order. Its text form is the kernel's (`0-3,8`), its JSON form a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CpuSet(BTreeSet<u32>);

impl CpuSet {
    /// The members in ascending order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// From the kernel's mask notation: hexadecimal words of 32 bits with commas, the highest first.
    ///
    /// # Errors
    /// [`Error::CpuList`] when a word is no hexadecimal number.
    pub fn from_mask(text: &str) -> Result<Self, Error> {
        let word = |digits: &str| {
            u32::from_str_radix(digits.trim(), 16).map_err(|_| Error::CpuList {
                text: text.into(),
                reason: format!("'{digits}' is not a word of a mask"),
            })
        };
        let words = text.trim().rsplit(',').map(word).collect::<Result<Vec<_>, _>>()?;
        if words.len() > HIGHEST as usize / 32 {
            return Err(Error::CpuList {
                text: text.chars().take(40).collect(),
                reason: "a mask of that length".into(),
            });
        }
        let bits =
            |(base, word): (u32, u32)| (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| base + bit);
        Ok((0..).step_by(32).zip(words).flat_map(bits).collect())
    }

    /// From hwloc's notation: words of 32 bits in hexadecimal with `0x`, the highest first, empty for 0.
    ///
    /// # Errors
    /// [`Error::CpuList`] when a word is no hexadecimal number, or the set is infinite (`0xf...f`).
    pub fn from_hwloc(text: &str) -> Result<Self, Error> {
        let plain = |word: &str| {
            let digits = word.trim().trim_start_matches("0x");
            if digits.is_empty() { "0".to_owned() } else { digits.to_owned() }
        };
        Self::from_mask(&text.split(',').map(plain).collect::<Vec<_>>().join(","))
    }

    /// In hwloc's notation.
    #[must_use]
    pub fn to_hwloc(&self) -> String {
        let Some(last) = self.0.last() else { return "0x0".into() };
        let word = |base: u32| (0..32).filter(|bit| self.contains(base + bit)).fold(0u32, |word, bit| word | 1 << bit);
        (0..=last / 32).rev().map(|at| format!("0x{:08x}", word(at * 32))).collect::<Vec<_>>().join(",")
    }

    /// Whether every member is in `other` too.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `cpu` is a member.
    #[must_use]
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.contains(&cpu)
    }

    /// The smallest member.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.0.first().copied()
    }

    /// The members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    /// The members of `self` that are not in the other set.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).copied().collect())
    }
}

impl Extend<u32> for CpuSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, cpus: I) {
        self.0.extend(cpus);
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        Self(cpus.into_iter().collect())
    }
}

/// An ordered cpu list, as a person writes one: the order is kept, `4,0-2` stays 4, 0, 1, 2.
///
/// # Errors
/// [`Error::CpuList`] when an item is no number or range, a range runs backwards, or a cpu comes twice.
pub fn parse_ordered(text: &str) -> Result<Vec<u32>, Error> {
    let refuse = |reason: String| Error::CpuList { text: text.into(), reason };
    let mut cpus = Vec::new();
    for item in text.trim().split(',').filter(|item| !item.trim().is_empty()) {
        let (from, to) = item.split_once('-').unwrap_or((item, item));
        let number = |digits: &str| {
            let parsed = digits.trim().parse::<u32>();
            parsed.ok().filter(|&n| n < HIGHEST).ok_or_else(|| refuse(format!("'{digits}' is not a cpu number")))
        };
        let (from, to) = (number(from)?, number(to)?);
        if from > to {
            return Err(refuse(format!("{item} runs backwards")));
        }
        cpus.extend(from..=to);
    }
    let distinct: BTreeSet<_> = cpus.iter().collect();
    if distinct.len() < cpus.len() {
        return Err(refuse("a cpu comes twice".into()));
    }
    Ok(cpus)
}

impl FromStr for CpuSet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse_ordered(text).map(|cpus| cpus.into_iter().collect())
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut members = self.iter().peekable();
        let mut separator = "";
        while let Some(from) = members.next() {
            let mut to = from;
            while members.peek() == Some(&(to + 1)) {
                to += 1;
                members.next();
            }
            if from == to {
                write!(f, "{separator}{from}")?;
            } else {
                write!(f, "{separator}{from}-{to}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_ordered_list_keeps_its_order() {
        assert_eq!(parse_ordered("4,0-2").unwrap(), [4, 0, 1, 2]);
    }

    #[test]
    fn a_mask_has_its_highest_word_first() {
        assert_eq!(CpuSet::from_mask("1,80000003\n").unwrap().to_string(), "0-1,31-32");
        assert!(CpuSet::from_mask("xyz").is_err());
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_reason() {
        for (text, reason) in [
            ("0-", "'' is not a cpu number"),
            ("3-1", "3-1 runs backwards"),
            ("1,1", "a cpu comes twice"),
            ("x", "'x' is not a cpu number"),
            ("-1", "'' is not a cpu number"),
            ("99999999", "'99999999' is not a cpu number"),
        ] {
            assert!(parse_ordered(text).unwrap_err().to_string().ends_with(reason), "{text}");
        }
    }

    proptest! {
        #[test]
        fn text_and_set_are_two_forms_of_one_thing(cpus in prop::collection::btree_set(0u32..300, 0..40)) {
            let set: CpuSet = cpus.into_iter().collect();
            prop_assert_eq!(set.to_string().parse::<CpuSet>().unwrap(), set);
        }
    }
}
