//! A morsel, block by block.

use super::counting::Counting;
use super::program::{Computed, Rows};
use super::sums::Made;
use super::{Scan, State};
use crate::lanes::{self, BLOCK, How};
use crate::table::MORSEL;

/// What a worker computes in.
#[derive(Debug)]
pub(crate) struct Scratch {
    mask: Vec<u16>,
    /// Masks inside of conditions.
    masks: Vec<Vec<u16>>,
    groups: Vec<u16>,
    counting: Counting,
    before: Computed,
    after: Computed,
    made: Made,
    values: Vec<f64>,
}

impl Scratch {
    pub(crate) fn new(scan: &Scan<'_>) -> Self {
        Self {
            mask: vec![0; BLOCK],
            masks: Vec::new(),
            groups: vec![0; BLOCK],
            counting: Counting::default(),
            before: scan.before.computed(),
            after: scan.after.computed(),
            made: Made::new(&scan.weighted),
            values: Vec::new(),
        }
    }
}

impl Scan<'_> {
    /// Adds the rows of a morsel to a state. `home` is the part of the morsel that lies on this worker's node.
    pub(crate) fn morsel(&self, morsel: usize, home: f64, scratch: &mut Scratch, state: &mut State) {
        let rows = self.table.rows_of(morsel);
        let mut doubles: Vec<_> =
            self.doubles.iter().map(|doubles| vec![doubles.none(); self.groups.combinations]).collect();
        let (mut tested, mut counted) = (0, 0);
        for from in (0..rows).step_by(BLOCK) {
            let block = Rows { table: self.table, morsel, from };
            tested += BLOCK.min(rows - from);
            if self.tested(block, rows - from, scratch, state) {
                counted += BLOCK.min(rows - from);
                self.block(block, scratch, state, &mut doubles);
            }
        }
        if !doubles.is_empty() {
            state.doubles.push((morsel, doubles));
        }
        let bytes = (tested * self.bytes.0 + counted * self.bytes.1) as u64;
        let local = (bytes as f64 * home) as u64;
        state.read = (state.read.0 + local, state.read.1 + bytes - local);
    }

    /// Tests the rows of a block, of which `rows` are there; whether any counts.
    fn tested(&self, block: Rows<'_>, rows: usize, scratch: &mut Scratch, state: &mut State) -> bool {
        debug_assert!(block.from + BLOCK <= MORSEL);
        self.before.run(self.isa, block, &mut scratch.before);
        let Scratch { mask, masks, before, .. } = scratch;
        let there = BLOCK.min(rows);
        let mut tested =
            super::filter::Tested { isa: self.isa, rows: block, there, computed: before, masks, overflow: false };
        tested.test(&self.test, How::Set, mask);
        state.overflow |= tested.overflow;
        if rows < BLOCK {
            mask[rows..].fill(0);
        }
        lanes::any(self.isa, mask)
    }

    /// Adds the rows of a block that count.
    fn block(&self, block: Rows<'_>, scratch: &mut Scratch, state: &mut State, doubles: &mut [Vec<f64>]) {
        let Scratch { mask, groups, counting, after, made, values, .. } = scratch;
        let steps = if self.groups.are_few() { self.groups.combinations + 2 } else { 2 };
        self.ahead(block, (0, steps));
        self.groups.of_rows(self.isa, block, groups);
        lanes::hide(self.isa, mask, groups);
        self.ahead(block, (1, steps));
        self.after.run(self.isa, block, after);
        if self.groups.are_few() {
            made.make(self.isa, block);
            for group in 0..self.groups.combinations {
                self.ahead(block, (group + 2, steps));
                let count = lanes::count(self.isa, groups, group as u16);
                if count > 0 {
                    state.counts[group] += u64::from(count);
                    self.group(block, (groups, group), (after, made), state);
                }
            }
        } else {
            counting.find(groups, self.groups.combinations);
            counting.each_or_hidden(|_, group| state.counts[group] += 1);
            let mut fits = true;
            for (wide, sums) in self.wide.iter().zip(&mut state.sums) {
                fits &= wide.scatter(counting, after, block, sums);
            }
            for (extreme, found) in self.extremes.iter().zip(&mut state.extremes) {
                fits &= extreme.scatter(counting, after, block, found);
            }
            state.overflow |= !fits;
        }
        for (aggregate, found) in self.doubles.iter().zip(doubles) {
            aggregate.compute(block, values);
            self.doubles_of(aggregate, groups, values, found);
        }
    }

    /// Asks for a part of the next block of the columns of which neither tests nor programs ask.
    fn ahead(&self, block: Rows<'_>, part: (usize, usize)) {
        for column in &self.rest {
            block.ahead(*column, part);
        }
    }

    /// Adds up one of few groups.
    fn group(
        &self,
        block: Rows<'_>,
        (groups, group): (&[u16], usize),
        (after, made): (&Computed, &Made),
        state: &mut State,
    ) {
        let own = (groups, group as u16);
        let terms = &mut state.terms[group * self.terms..][..self.terms];
        for weighted in &self.weighted {
            weighted.add_up(self.isa, own, after, made, block, terms);
        }
        for (wide, sums) in self.wide.iter().zip(&mut state.sums) {
            match wide.sum(self.isa, own, after, block).and_then(|sum| sums[group].checked_add(sum)) {
                Some(sum) => sums[group] = sum,
                None => state.overflow = true,
            }
        }
        for (extreme, found) in self.extremes.iter().zip(&mut state.extremes) {
            match extreme.find(self.isa, own, after, block) {
                Some(value) => found[group] = extreme.better(found[group], value),
                None => state.overflow = true,
            }
        }
    }

    fn doubles_of(&self, aggregate: &super::Doubles, groups: &[u16], values: &[f64], found: &mut [f64]) {
        if !self.groups.are_few() {
            return aggregate.scatter(groups, values, found);
        }
        for (group, found) in found.iter_mut().enumerate() {
            if lanes::count(self.isa, groups, group as u16) > 0 {
                *found = aggregate.join(*found, aggregate.find(self.isa, groups, group as u16, values));
            }
        }
    }
}
