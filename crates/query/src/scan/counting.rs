//! The rows of a block that count, one by one, without a branch for each row that no processor could predict.

use crate::lanes::HIDDEN;

/// Rows and their groups.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// The group of each row; rows that do not count have one behind all others.
    groups: Vec<u16>,
    /// The rows that count.
    rows: Vec<u16>,
}

impl Counting {
    /// Takes the groups of a block, of which there are so many.
    pub(super) fn find(&mut self, groups: &[u16], combinations: usize) {
        assert!(combinations <= HIDDEN.into());
        self.groups.clear();
        self.groups.extend(groups.iter().map(|group| (*group).min(combinations as u16)));
        self.rows.resize(groups.len(), 0);
        let mut end = 0;
        for (row, group) in (0_u16..).zip(groups) {
            self.rows[end] = row;
            end += usize::from(*group != HIDDEN);
        }
        self.rows.truncate(end);
    }

    /// Calls `take` with each row that counts and its group.
    pub(super) fn each(&self, mut take: impl FnMut(usize, usize)) {
        self.rows.iter().for_each(|row| take((*row).into(), self.groups[usize::from(*row)].into()));
    }

    /// The same, and with hidden rows where it would take longer to leave them out.
    pub(super) fn each_or_hidden(&self, mut take: impl FnMut(usize, usize)) {
        if self.rows.len() < self.groups.len() / 2 {
            return self.each(take);
        }
        self.groups.iter().enumerate().for_each(|(row, group)| take(row, (*group).into()));
    }
}
