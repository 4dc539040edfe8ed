//! A morsel, block by block.

use super::between::Differences;
use super::counting::Counting;
use super::doubles::{Free, back, floats};
use super::filter::{Test, Tested};
use super::program::{Computed, Rows};
use super::read::Read;
use super::sums::Made;
use super::{Scan, State};
use crate::lanes::{self, BLOCK, Bits, How, MOST_GROUPS, YES};
use crate::table::{Gathered, MORSEL, Morsel};

/// Most rows of a block that are brought together with those of other blocks. Of more, it takes longer than to go through
/// all rows of the block, and nearly all cache lines are read anyway.
const FEW: usize = BLOCK / 8;

/// What a worker computes in.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// Rows that count.
    bits: Bits,
    /// The same as lanes, where many count.
    mask: Vec<u16>,
    differences: Differences,
    /// Rows of a morsel's blocks in which few count, and their codes.
    far: Vec<u16>,
    gathered: Gathered,
    /// Masks inside of conditions.
    masks: Vec<Vec<u16>>,
    groups: Vec<u16>,
    /// Rows of each group, where there are few.
    counts: Vec<u32>,
    /// The groups that have rows, where there are few.
    present: Vec<u16>,
    counting: Counting,
    before: Computed,
    after: Computed,
    made: Made,
    /// Arrays in which doubles are computed.
    free: Free,
    read: Read,
}

impl Scratch {
    pub(crate) fn new(scan: &Scan<'_>) -> Self {
        Self {
            bits: lanes::first(0),
            mask: vec![0; BLOCK],
            differences: Box::new([0; _]),
            far: Vec::with_capacity(BLOCK),
            gathered: Gathered::default(),
            masks: Vec::new(),
            groups: vec![0; BLOCK],
            counts: vec![0; if scan.groups.are_few() { scan.groups.combinations } else { 0 }],
            present: Vec::new(),
            counting: Counting::default(),
            before: scan.before.computed(),
            after: scan.after.computed(),
            made: Made::new(&scan.weighted),
            free: Free::new(),
            read: Read::new(scan.table),
        }
    }
}

impl Scan<'_> {
    /// Adds the rows of a morsel to a state. `home` is the part of the morsel that lies on this worker's node.
    pub(crate) fn morsel(&self, morsel: usize, home: f64, scratch: &mut Scratch, state: &mut State) {
        let rows = if let Test::Never = self.test { 0 } else { self.table.rows_of(morsel) };
        let mut doubles: Vec<_> =
            self.doubles.iter().map(|doubles| vec![doubles.none(); self.groups.combinations]).collect();
        let mut bytes = 0;
        let own = self.table.morsel(morsel);
        let after = (morsel + 1 < self.table.morsels()).then(|| (self.table.morsel(morsel + 1), 0));
        for from in (0..rows).step_by(BLOCK) {
            let next = if from + BLOCK < MORSEL { Some((own, from + BLOCK)) } else { after };
            let block = Rows { morsel: own, from, next };
            let there = BLOCK.min(rows - from);
            let counting = self.tested(block, there, scratch, state);
            if counting > FEW {
                scratch.read.take(&self.counted);
                self.block(block, scratch, state, &mut doubles);
            } else if counting > 0 {
                bytes += self.keep(block, scratch);
                if scratch.far.len() + FEW > BLOCK {
                    self.far(own, scratch, state, &mut doubles);
                }
            }
            bytes += there * scratch.read.bytes();
        }
        self.far(own, scratch, state, &mut doubles);
        if !doubles.is_empty() {
            state.doubles.push((morsel, doubles));
        }
        let bytes = bytes as u64;
        let local = (bytes as f64 * home) as u64;
        state.read = (state.read.0 + local, state.read.1 + bytes - local);
    }

    /// Tests the rows of a block, of which `there` are there; how many count.
    fn tested(&self, block: Rows<'_>, there: usize, scratch: &mut Scratch, state: &mut State) -> usize {
        debug_assert!(block.from + BLOCK <= MORSEL);
        let Scratch { bits, differences, mask, read, .. } = scratch;
        *bits = lanes::first(there);
        read.begin();
        let any = self.between.iter().all(|one| one.test(self.isa, block, read, bits, differences));
        if !any && !self.may_overflow {
            return 0;
        }
        if let Test::Every = self.test {
            let counting = lanes::ones(self.isa, bits);
            if counting > FEW {
                lanes::spread(self.isa, bits, mask);
            }
            return counting;
        }
        self.tested_as_lanes(block, there, scratch, state);
        lanes::ones(self.isa, &scratch.bits)
    }

    /// Tests what is tested as lanes.
    fn tested_as_lanes(&self, block: Rows<'_>, there: usize, scratch: &mut Scratch, state: &mut State) {
        self.before.run(self.isa, block, &mut scratch.before);
        let Scratch { bits, mask, masks, before, free, read, .. } = scratch;
        read.take(&self.first);
        let (isa, overflow) = (self.isa, false);
        let how = if self.between.is_empty() { How::Set } else { How::And };
        if how == How::And {
            lanes::spread(isa, bits, mask);
        }
        let mut tested = Tested { isa, rows: block, there, computed: before, masks, free, read, overflow };
        tested.test(&self.test, how, mask);
        state.overflow |= tested.overflow;
        mask[there..].fill(0);
        *bits = lanes::bits(isa, mask);
    }

    /// Keeps the few rows of a block that count, and asks for their codes; how many bytes are read for it, of columns that
    /// tests have not read anyway.
    fn keep(&self, block: Rows<'_>, scratch: &mut Scratch) -> usize {
        let Scratch { far, read, .. } = scratch;
        let own = far.len();
        lanes::few(self.isa, &scratch.bits, block.from as u16, far);
        let others = self.counted.iter().filter(|column| !read.has(**column));
        others.map(|column| block.morsel.ask(*column, &far[own..])).sum()
    }

    /// Adds the rows that were kept, brought together as one block.
    fn far(&self, morsel: Morsel<'_>, scratch: &mut Scratch, state: &mut State, doubles: &mut [Vec<f64>]) {
        if scratch.far.is_empty() {
            return;
        }
        let mut gathered = std::mem::take(&mut scratch.gathered);
        for column in &self.counted {
            gathered.take(self.table, morsel, *column, &scratch.far);
        }
        let (there, rest) = scratch.mask.split_at_mut(scratch.far.len());
        there.fill(YES);
        rest.fill(0);
        scratch.far.clear();
        let block = Rows { morsel: gathered.morsel(self.table), from: 0, next: None };
        self.block(block, scratch, state, doubles);
        scratch.gathered = gathered;
    }

    /// Adds the rows of a block that count.
    fn block(&self, block: Rows<'_>, scratch: &mut Scratch, state: &mut State, doubles: &mut [Vec<f64>]) {
        let Scratch { mask, groups, counts, present, counting, after, made, free, .. } = scratch;
        let steps = if self.groups.are_few() { 2 + counts.len().div_ceil(MOST_GROUPS) } else { 2 };
        self.ahead(block, (0, steps));
        self.groups.of_rows(self.isa, block, mask, groups);
        self.ahead(block, (1, steps));
        self.after.run(self.isa, block, after);
        if self.groups.are_few() {
            lanes::count(self.isa, groups, counts);
            state.counts.iter_mut().zip(&*counts).for_each(|(all, count)| *all += u64::from(*count));
            present.clear();
            present.extend((0..).zip(&*counts).filter(|(_, count)| **count > 0).map(|(group, _)| group));
            made.make(self.isa, block);
            let mut some = present.chunks(MOST_GROUPS);
            for step in 2..steps {
                self.ahead(block, (step, steps));
                if let Some(some) = some.next() {
                    self.some(block, (groups, some), (after, made), state);
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
            let values = floats(self.isa, aggregate.value(), block, free);
            self.doubles_of(aggregate, (groups, present), &values, found);
            back(values, free);
        }
    }

    /// Asks for a part of the next block of the columns of which neither tests nor programs ask.
    fn ahead(&self, block: Rows<'_>, part: (usize, usize)) {
        for column in &self.rest {
            block.ahead(*column, part);
        }
    }

    /// Adds up some of few groups.
    fn some(
        &self,
        block: Rows<'_>,
        (groups, some): (&[u16], &[u16]),
        (after, made): (&Computed, &Made),
        state: &mut State,
    ) {
        for weighted in &self.weighted {
            weighted.add_up(self.isa, (groups, some), (after, made), block, (&mut state.terms, self.terms));
        }
        for group in some {
            self.group(block, (groups, *group), after, state);
        }
    }

    /// Adds up what no sums of products are.
    fn group(&self, block: Rows<'_>, own: (&[u16], u16), after: &Computed, state: &mut State) {
        let group = usize::from(own.1);
        for (wide, sums) in self.wide.iter().zip(&mut state.sums) {
            match wide.sum(self.isa, own, after, block) {
                Some(sum) => sums[group] = sums[group].and(sum),
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

    fn doubles_of(
        &self,
        aggregate: &super::Doubles,
        (groups, present): (&[u16], &[u16]),
        values: &[f64],
        found: &mut [f64],
    ) {
        if !self.groups.are_few() {
            return aggregate.scatter(groups, values, found);
        }
        for group in present {
            let found = &mut found[usize::from(*group)];
            *found = aggregate.join(*found, aggregate.find(self.isa, groups, *group, values));
        }
    }
}
