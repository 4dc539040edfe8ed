//! Masks and groups: which rows count, and where.

use super::{Code, HIDDEN, YES, for_each_isa};

/// What becomes of a mask that another one meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Set,
    And,
    Or,
}

/// Groups that are counted at once.
const ASIDE: usize = 4;

for_each_isa! {
    /// Rows whose code is one of `low..=low + span`.
    pub(crate) fn range<C: Code>(codes: &[C], low: C, span: C, how: How, mask: &mut [u16]) {
        let hit = |code: &C| if code.is_within(low, span) { YES } else { 0 };
        match how {
            How::Set => mask.iter_mut().zip(codes).for_each(|(mask, code)| *mask = hit(code)),
            How::And => mask.iter_mut().zip(codes).for_each(|(mask, code)| *mask &= hit(code)),
            How::Or => mask.iter_mut().zip(codes).for_each(|(mask, code)| *mask |= hit(code)),
        }
    }

    /// Whether all codes are some of `low..=low + span`.
    pub(crate) fn all_within<C: Code>(codes: &[C], low: C, span: C) -> bool {
        codes.iter().fold(true, |all, code| all & code.is_within(low, span))
    }

    /// Rows whose code has `YES` in a table.
    pub(crate) fn table<C: Code>(codes: &[C], table: &[u16], how: How, mask: &mut [u16]) {
        let hit = |code: &C| table.get(code.wide() as usize).copied().unwrap_or(0);
        match how {
            How::Set => mask.iter_mut().zip(codes).for_each(|(mask, code)| *mask = hit(code)),
            How::And => mask.iter_mut().zip(codes).for_each(|(mask, code)| *mask &= hit(code)),
            How::Or => mask.iter_mut().zip(codes).for_each(|(mask, code)| *mask |= hit(code)),
        }
    }

    /// Joins a mask with another one.
    pub(crate) fn combine(other: &[u16], how: How, mask: &mut [u16]) {
        match how {
            How::Set => mask.copy_from_slice(other),
            How::And => mask.iter_mut().zip(other).for_each(|(mask, other)| *mask &= other),
            How::Or => mask.iter_mut().zip(other).for_each(|(mask, other)| *mask |= other),
        }
    }

    /// Whether any row counts. All lanes are read, since looking at each for an end takes longer.
    pub(crate) fn any(mask: &[u16]) -> bool {
        mask.iter().fold(0, |all, lane| all | lane) != 0
    }

    /// How many rows of a block count.
    pub(crate) fn rows(mask: &[u16]) -> usize {
        // Lanes of 16 bits hold more than the rows of a block.
        mask.iter().map(|lane| lane & 1).sum::<u16>().into()
    }

    /// The other rows.
    pub(crate) fn invert(mask: &mut [u16]) {
        for mask in mask {
            *mask = !*mask;
        }
    }

    /// Rows that do not count get the group [`HIDDEN`].
    pub(crate) fn hide(mask: &[u16], groups: &mut [u16]) {
        for (group, mask) in groups.iter_mut().zip(mask) {
            *group |= !mask & HIDDEN;
        }
    }

    /// Rows that count get the group 0, and the others [`HIDDEN`].
    pub(crate) fn hide_or_first(mask: &[u16], groups: &mut [u16]) {
        for (group, mask) in groups.iter_mut().zip(mask) {
            *group = !mask & HIDDEN;
        }
    }

    /// How many rows of a block are in each of the first groups, which are counted side by side.
    pub(crate) fn count(groups: &[u16], counts: &mut [u32]) {
        if let [count] = counts {
            *count = groups.iter().map(|own| u16::from(*own == 0)).sum::<u16>().into();
            return;
        }
        for (at, counts) in counts.chunks_mut(ASIDE).enumerate() {
            let first = (ASIDE * at) as u16;
            // Lanes of 16 bits hold more than the rows of a block.
            let mut found = [0_u16; ASIDE];
            for own in groups {
                for (group, found) in (first..).zip(&mut found) {
                    *found += u16::from(*own == group);
                }
            }
            counts.iter_mut().zip(found).for_each(|(count, found)| *count = found.into());
        }
    }
}
