//! Conditions in terms of codes and lanes.

use super::doubles::{self, Free};
use super::many::Many;
use super::program::{Computed, Programs, Rows};
use super::read::Read;
use super::slots::Slots;
use crate::field::Bounds;
use crate::lanes::{self, BLOCK, Code, How, Isa, Lane, YES};
use crate::plan::{Filter, Floating, Number, Ranges};
use crate::sql::Comparison;
use crate::table::{Codes, DIGIT_BITS, Storage, Table, Width};

/// Ranges beyond which a table is looked up instead, where codes have at most two bytes.
pub(super) const RANGES: usize = 3;

/// A condition, ready to be tested in blocks.
#[derive(Debug)]
pub(super) enum Test {
    Every,
    Never,
    /// Codes in ranges.
    Codes(usize, Vec<(u64, u64)>),
    /// Codes in many ranges.
    Many(usize, Many),
    /// Codes that a table allows.
    Table(usize, Vec<u16>),
    /// Lanes in ranges.
    Of16(usize, Vec<(i64, i64)>),
    Of32(usize, Vec<(i64, i64)>),
    Of64(usize, Vec<(i64, i64)>),
    /// Row by row in 128 bits, with the columns that are read.
    Rows(Number, Ranges, Vec<usize>),
    /// Likewise with the columns that are read.
    Floats((Floating, Comparison, Floating), Vec<usize>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
}

impl Test {
    pub(super) fn new(filter: &Filter, table: &Table, programs: &mut Programs) -> Self {
        let mut each = |parts: &[Filter]| parts.iter().map(|part| Self::new(part, table, programs)).collect();
        match filter {
            Filter::Every => Self::Every,
            Filter::All(parts) => Self::All(each(parts)),
            Filter::Any(parts) => Self::Any(each(parts)),
            Filter::Not(inner) => Self::Not(Box::new(Self::new(inner, table, programs))),
            Filter::Floats(left, how, right) => {
                let mut columns = Vec::new();
                filter.columns(&mut columns);
                Self::Floats((left.clone(), *how, right.clone()), columns)
            }
            Filter::Exact(Number::Column(column), ranges) => of_column(*column, ranges, table),
            Filter::Exact(number, ranges) => of_number(number, ranges, table, programs),
        }
    }
}

impl Test {
    /// Whether a number that is tested may need more than 128 bits.
    pub(super) fn may_overflow(&self) -> bool {
        match self {
            Self::Rows(..) => true,
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::may_overflow),
            Self::Not(inner) => inner.may_overflow(),
            _ => false,
        }
    }

    /// The columns of whose next block it asks.
    pub(super) fn asked(&self) -> Vec<usize> {
        match self {
            Self::Codes(column, _) | Self::Many(column, _) | Self::Table(column, _) => vec![*column],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::asked).collect(),
            Self::Not(inner) => inner.asked(),
            _ => Vec::new(),
        }
    }
}

/// A column's codes. Only what no code can be is left out of the ranges, never what no row has.
fn of_column(column: usize, ranges: &Ranges, table: &Table) -> Test {
    let storage = table.columns()[column].storage;
    let (base, step) = storage.base_and_step().expect("doubles are compared as such");
    let (least, most) = match storage {
        Storage::Codes { width: Width::U8, .. } => (0, u8::MAX.into()),
        Storage::Codes { width: Width::U16, .. } => (0, u16::MAX.into()),
        Storage::Codes { width: Width::U32, .. } => (0, u32::MAX.into()),
        Storage::Codes { width: Width::I32, .. } => (i32::MIN.into(), i32::MAX.into()),
        Storage::Codes { width: Width::I64, .. } => (i64::MIN.into(), i64::MAX.into()),
        Storage::Digits { count, .. } => return of_digits(column, count, ranges, table),
        Storage::Doubles => unreachable!("doubles are compared as such"),
    };
    let codes = codes(ranges, (base, step), (least, most));
    if codes.len() > RANGES && most <= u16::MAX.into() {
        let mut allowed = vec![0; usize::try_from(most).expect("at most two bytes") + 1];
        for (low, high) in codes {
            allowed[low as usize..=high as usize].fill(YES);
        }
        return Test::Table(column, allowed);
    }
    of_codes(column, codes, table)
}

fn of_codes(column: usize, codes: Vec<(u64, u64)>, table: &Table) -> Test {
    let own = &table.columns()[column];
    let step = own.storage.base_and_step().map_or(1, |(_, step)| step.unsigned_abs());
    let of = own.bounds.high.abs_diff(own.bounds.low) / u128::from(step) + 1;
    match Many::new(codes, of) {
        Ok(many) => Test::Many(column, many),
        Err(codes) if codes.is_empty() => Test::Never,
        Err(codes) => Test::Codes(column, codes),
    }
}

/// Ranges of numbers as codes, as far as there are codes.
pub(super) fn codes(ranges: &Ranges, (base, step): (i64, i64), (least, most): (i128, i128)) -> Vec<(u64, u64)> {
    let (base, step) = (i128::from(base), i128::from(step));
    let code = |&(low, high): &(i128, i128)| {
        // Rounded towards the inside.
        let low = low.saturating_sub(base).saturating_add(step - 1).div_euclid(step).max(least);
        let high = high.saturating_sub(base).div_euclid(step).min(most);
        (low <= high).then_some((low as u64, high as u64))
    };
    ranges.list().iter().filter_map(code).collect()
}

/// Digits are put together again when they are tested.
fn of_digits(column: usize, count: usize, ranges: &Ranges, table: &Table) -> Test {
    let stored = table.columns()[column].storage.base_and_step().expect("digits are exact");
    let most = (1_i128 << (DIGIT_BITS as usize * (count - 1) + 16)) - 1;
    of_codes(column, codes(ranges, stored, (0, most)), table)
}

fn of_number(number: &Number, ranges: &Ranges, table: &Table, programs: &mut Programs) -> Test {
    let bounds = number.bounds(&|column| table.columns()[column].bounds);
    // Only what no lane can hold is left out of the ranges.
    let within = |least: i64, most: i64| -> Vec<(i64, i64)> {
        let inside = ranges.and(&Ranges::between(least.into(), most.into()));
        inside.list().iter().map(|(low, high)| (*low as i64, *high as i64)).collect()
    };
    match bounds.map_or(u128::MAX, Bounds::largest) {
        0..=0x7fff => Test::Of16(programs.narrow.slot(number, table), within(i16::MIN.into(), i16::MAX.into())),
        0x8000..=0x7fff_ffff => {
            Test::Of32(programs.middle.slot(number, table), within(i32::MIN.into(), i32::MAX.into()))
        }
        0x8000_0000..=0x7fff_ffff_ffff_ffff => {
            Test::Of64(programs.wide.slot(number, table), within(i64::MIN, i64::MAX))
        }
        _ => {
            let mut columns = Vec::new();
            number.columns(&mut columns);
            Test::Rows(number.clone(), ranges.clone(), columns)
        }
    }
}

/// Tests one range.
type Range<'a> = dyn Fn(u64, u64, How, &mut [u16]) + 'a;

/// What a test reads and writes in.
pub(super) struct Tested<'a> {
    pub(super) isa: Isa,
    pub(super) rows: Rows<'a>,
    /// How many rows of the block are there.
    pub(super) there: usize,
    pub(super) computed: &'a Computed,
    /// A mask for each level of nesting, made when it is first needed.
    pub(super) masks: &'a mut Vec<Vec<u16>>,
    /// Arrays in which doubles are computed.
    pub(super) free: &'a mut Free,
    pub(super) read: &'a mut Read,
    /// Whether a number needed more than 128 bits.
    pub(super) overflow: bool,
}

impl Tested<'_> {
    /// Tests a block.
    pub(super) fn test(&mut self, test: &Test, how: How, mask: &mut [u16]) {
        match test {
            Test::Every => match how {
                How::Set | How::Or => mask.fill(YES),
                How::And => {}
            },
            Test::Never => match how {
                How::Set | How::And => mask.fill(0),
                How::Or => {}
            },
            Test::Codes(column, ranges) => self.codes(*column, (ranges, None), how, mask),
            Test::Many(column, many) => self.codes(*column, (&many.ranges, Some(many)), how, mask),
            Test::Table(column, allowed) => {
                self.read.take(&[*column]);
                self.rows.ahead(*column, (0, 1));
                match self.rows.codes(*column) {
                    Codes::U8(codes) => lanes::table(self.isa, codes, allowed, how, mask),
                    Codes::U16(codes) => lanes::table(self.isa, codes, allowed, how, mask),
                    other => unreachable!("codes have at most two bytes: {other:?}"),
                }
            }
            Test::Of16(slot, ranges) => self.lanes(&self.computed.narrow, *slot, ranges, how, mask),
            Test::Of32(slot, ranges) => self.lanes(&self.computed.middle, *slot, ranges, how, mask),
            Test::Of64(slot, ranges) => self.lanes(&self.computed.wide, *slot, ranges, how, mask),
            Test::Rows(number, ranges, columns) => {
                self.read.take(columns);
                let (rows, there) = (self.rows, self.there);
                let value = |row: usize| number.value(&|column| rows.number(column, row));
                each_row(how, mask, |row| {
                    let value = value(row);
                    self.overflow |= value.is_none() && row < there;
                    value.is_some_and(|value| ranges.contains(value))
                });
            }
            Test::Floats((left, comparison, right), columns) => {
                self.read.take(columns);
                self.floats((left, *comparison, right), how, mask);
            }
            Test::All(parts) if how != How::Or => self.each(parts, how, How::And, mask),
            Test::Any(parts) if how != How::And => self.each(parts, how, How::Or, mask),
            Test::All(_) | Test::Any(_) => self.apart(how, mask, |tested, own| tested.test(test, How::Set, own)),
            Test::Not(inner) => self.apart(how, mask, |tested, own| {
                tested.test(inner, How::Set, own);
                lanes::invert(tested.isa, own);
            }),
        }
    }

    fn floats(&mut self, (left, comparison, right): (&Floating, Comparison, &Floating), how: How, mask: &mut [u16]) {
        let left = doubles::floats(self.isa, left, self.rows, self.free);
        let right = doubles::floats(self.isa, right, self.rows, self.free);
        let below = |one: &[f64], other: &[f64], flip: u16, mask: &mut [u16]| {
            lanes::floats_below(self.isa, one, other, flip, how, mask);
        };
        match comparison {
            Comparison::Equal => lanes::floats_equal(self.isa, &left, &right, 0, how, mask),
            Comparison::NotEqual => lanes::floats_equal(self.isa, &left, &right, YES, how, mask),
            Comparison::Less => below(&left, &right, 0, mask),
            Comparison::LessOrEqual => below(&right, &left, YES, mask),
            Comparison::Greater => below(&right, &left, 0, mask),
            Comparison::GreaterOrEqual => below(&left, &right, YES, mask),
        }
        doubles::back(left, self.free);
        doubles::back(right, self.free);
    }

    fn each(&mut self, parts: &[Test], first: How, rest: How, mask: &mut [u16]) {
        for (at, part) in parts.iter().enumerate() {
            self.test(part, if at == 0 { first } else { rest }, mask);
            let left = &parts[at + 1..];
            // Numbers that need more than 128 bits are an error in whatever order conditions and rows are.
            let overflow = || left.iter().any(Test::may_overflow);
            if rest == How::And && !left.is_empty() && !lanes::any(self.isa, mask) && !overflow() {
                return;
            }
        }
    }

    /// Tests into a mask of its own, which then meets the other one.
    fn apart(&mut self, how: How, mask: &mut [u16], test: impl FnOnce(&mut Self, &mut [u16])) {
        let mut own = self.masks.pop().unwrap_or_else(|| vec![0; BLOCK]);
        test(self, &mut own);
        lanes::combine(self.isa, &own, how, mask);
        self.masks.push(own);
    }

    fn codes(&mut self, column: usize, (ranges, many): (&[(u64, u64)], Option<&Many>), how: How, mask: &mut [u16]) {
        let isa = self.isa;
        self.read.take(&[column]);
        self.rows.ahead(column, (0, 1));
        macro_rules! ranges {
            ($codes:expr) => {
                if many.is_none_or(|many| !self.looked_up($codes, many, how, mask)) {
                    self.ranges(how, ranges, mask, &|low, high, how, mask| within(isa, $codes, low, high, how, mask));
                }
            };
        }
        match self.rows.codes(column) {
            Codes::U8(codes) => ranges!(codes),
            Codes::U16(codes) => ranges!(codes),
            Codes::U32(codes) => ranges!(codes),
            Codes::I32(codes) => ranges!(codes),
            Codes::I64(codes) => ranges!(codes),
            Codes::Digits(digits, count) => {
                let mut together = vec![0_u64; BLOCK];
                let mut constant = Some(0);
                for (digit, codes) in digits[..count].iter().enumerate() {
                    lanes::load(isa, codes, 1_u64 << (DIGIT_BITS as usize * digit), constant.take(), &mut together);
                }
                let codes = &together[..];
                ranges!(codes);
            }
            Codes::Doubles(_) => unreachable!("doubles are compared as such"),
        }
    }

    /// Tests many ranges, if few enough rows are between the lowest and the highest of them.
    fn looked_up<C: Code>(&mut self, codes: &[C], many: &Many, how: How, mask: &mut [u16]) -> bool {
        let (isa, (low, high)) = (self.isa, many.ends());
        let mut own = self.masks.pop().unwrap_or_else(|| vec![0; BLOCK]);
        within(isa, codes, low, high, How::Set, &mut own);
        if how == How::And {
            // Rows that do not count any more need not be looked up.
            lanes::combine(isa, mask, How::And, &mut own);
        }
        let inside = lanes::rows(isa, &own);
        let is_worth_it = many.is_worth_it(inside);
        if is_worth_it {
            if inside > 0 {
                for (lane, code) in own.iter_mut().zip(codes).filter(|(lane, _)| **lane != 0) {
                    *lane = if many.has(code.wide()) { YES } else { 0 };
                }
            }
            lanes::combine(isa, &own, how, mask);
        }
        self.masks.push(own);
        is_worth_it
    }

    fn lanes<L: Lane + Code>(
        &mut self,
        slots: &Slots<L>,
        slot: usize,
        ranges: &[(i64, i64)],
        how: How,
        mask: &mut [u16],
    ) {
        let (isa, codes) = (self.isa, slots.get(slot));
        let ranges: Vec<_> = ranges.iter().map(|(low, high)| (*low as u64, *high as u64)).collect();
        self.ranges(how, &ranges, mask, &|low, high, how, mask| within(isa, codes, low, high, how, mask));
    }

    /// Any of some ranges.
    fn ranges(&mut self, how: How, ranges: &[(u64, u64)], mask: &mut [u16], one: &Range<'_>) {
        match (ranges, how) {
            ([], How::Or) => {}
            ([], How::Set | How::And) => mask.fill(0),
            ([(low, high)], _) => one(*low, *high, how, mask),
            (_, How::Or) => ranges.iter().for_each(|(low, high)| one(*low, *high, How::Or, mask)),
            (_, How::Set) => {
                mask.fill(0);
                for (low, high) in ranges {
                    one(*low, *high, How::Or, mask);
                }
            }
            (_, How::And) => self.apart(how, mask, |tested, own| tested.ranges(How::Set, ranges, own, one)),
        }
    }
}

fn within<C: Code>(isa: Isa, codes: &[C], low: u64, high: u64, how: How, mask: &mut [u16]) {
    lanes::range(isa, codes, C::low(low), C::low(high).minus(C::low(low)), how, mask);
}

fn each_row(how: How, mask: &mut [u16], mut counts: impl FnMut(usize) -> bool) {
    for (row, lane) in mask.iter_mut().enumerate() {
        let own = if counts(row) { YES } else { 0 };
        match how {
            How::Set => *lane = own,
            How::And => *lane &= own,
            How::Or => *lane |= own,
        }
    }
}

/// Compares doubles as DuckDB does: not-a-number is equal to itself and larger than anything else.
pub(crate) fn floats(left: f64, how: Comparison, right: f64) -> bool {
    let order = left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()));
    match how {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}
