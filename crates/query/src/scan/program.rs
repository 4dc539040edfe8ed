//! Expressions as steps on arrays of lanes. Each sub-expression is computed once.

use super::slots::Slots;
use crate::lanes::{self, BLOCK, Isa, Lane};
use crate::plan::Number;
use crate::table::{Codes, DIGIT_BITS, Morsel, Storage, Table};

/// Steps in lanes of one width.
#[derive(Debug)]
pub(super) struct Program<L> {
    steps: Vec<Step<L>>,
    known: Vec<Number>,
    /// Columns whose next block is asked for.
    asked: Vec<usize>,
}

#[derive(Debug)]
enum Step<L> {
    /// A column times a factor, and a constant; or added to what the slot holds.
    Load {
        column: usize,
        factor: L,
        constant: Option<L>,
        slot: usize,
        /// Whether to ask for the next block, too.
        ahead: bool,
    },
    Fill {
        value: L,
        slot: usize,
    },
    /// A product, and a constant.
    Multiply {
        one: usize,
        other: usize,
        constant: L,
        slot: usize,
    },
    Add {
        one: usize,
        other: usize,
        slot: usize,
    },
}

/// Steps in all widths.
#[derive(Debug, Default)]
pub(super) struct Programs {
    pub(super) narrow: Program<u16>,
    pub(super) middle: Program<u32>,
    pub(super) wide: Program<u64>,
}

/// What they compute in a block.
#[derive(Debug)]
pub(super) struct Computed {
    pub(super) narrow: Slots<u16>,
    pub(super) middle: Slots<u32>,
    pub(super) wide: Slots<u64>,
}

/// Where to read codes: a block of a morsel's rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) morsel: Morsel<'a>,
    pub(super) from: usize,
    /// Where the next block most likely begins.
    pub(super) next: Option<(Morsel<'a>, usize)>,
}

impl<'a> Rows<'a> {
    pub(super) fn codes(&self, column: usize) -> Codes<'a> {
        self.morsel.codes(column, self.from, BLOCK)
    }

    pub(super) fn number(&self, column: usize, row: usize) -> i128 {
        self.morsel.number(column, self.from + row)
    }

    /// Asks for a part of a column's codes in the next block, while this one is worked on: what is read in one block
    /// is most likely read in the next one.
    pub(super) fn ahead(&self, column: usize, part: (usize, usize)) {
        if let Some((morsel, from)) = self.next {
            morsel.ahead(column, (from, BLOCK), part);
        }
    }
}

impl<L> Default for Program<L> {
    fn default() -> Self {
        Self { steps: Vec::new(), known: Vec::new(), asked: Vec::new() }
    }
}

impl<L: Lane> Program<L> {
    /// The slot that will hold an expression.
    pub(super) fn slot(&mut self, number: &Number, table: &Table) -> usize {
        if let Some(slot) = self.known.iter().position(|known| known == number) {
            return slot;
        }
        if number.linear().is_some() {
            let slot = self.new_slot(number);
            self.sum_of_columns(number, slot, table);
            return slot;
        }
        let step = if let Some((one, other, constant)) = product(number) {
            let (one, other) = (self.slot(one, table), self.slot(other, table));
            Step::Multiply { one, other, constant: L::of(constant), slot: self.new_slot(number) }
        } else {
            let Number::Add(one, other) = number else { unreachable!("what is no sum of columns has operands") };
            let (one, other) = (self.slot(one, table), self.slot(other, table));
            Step::Add { one, other, slot: self.new_slot(number) }
        };
        self.steps.push(step);
        self.known.len() - 1
    }

    fn new_slot(&mut self, number: &Number) -> usize {
        self.known.push(number.clone());
        self.known.len() - 1
    }

    fn sum_of_columns(&mut self, number: &Number, slot: usize, table: &Table) {
        let linear = number.linear().expect("what is no sum of columns has operands");
        let stored = |column: usize| table.columns()[column].storage.base_and_step().expect("it is exact");
        let base = |(column, factor): &(usize, i128)| factor.wrapping_mul(stored(*column).0.into());
        let constant = linear.terms.iter().map(base).fold(linear.constant, i128::wrapping_add);
        let mut constant = Some(L::of(constant));
        for (column, factor) in linear.terms {
            let factor = L::of(factor.wrapping_mul(stored(column).1.into()));
            let ahead = !self.asked.contains(&column);
            self.asked.extend(ahead.then_some(column));
            self.steps.push(Step::Load { column, factor, constant: constant.take(), slot, ahead });
        }
        if let Some(value) = constant {
            self.steps.push(Step::Fill { value, slot });
        }
    }

    pub(super) fn slots(&self) -> Slots<L> {
        Slots::new(self.known.len())
    }

    fn run(&self, isa: Isa, rows: Rows<'_>, slots: &mut Slots<L>) {
        for step in &self.steps {
            match *step {
                Step::Load { column, factor, constant, slot, ahead } => {
                    if ahead {
                        rows.ahead(column, (0, 1));
                    }
                    slots.write(slot, |_, out| load(isa, rows, column, factor, constant, out));
                }
                Step::Fill { value, slot } => slots.write(slot, |_, out| out.fill(value)),
                Step::Multiply { one, other, constant, slot } => {
                    slots.write(slot, |slots, out| {
                        lanes::multiply(isa, slots.get(one), slots.get(other), constant, out);
                    });
                }
                Step::Add { one, other, slot } => {
                    slots.write(slot, |slots, out| lanes::add(isa, slots.get(one), slots.get(other), out));
                }
            }
        }
    }
}

/// The factors of a product, and the constant that is added to it.
fn product(number: &Number) -> Option<(&Number, &Number, i128)> {
    match number {
        Number::Multiply(one, other) => Some((one, other, 0)),
        Number::Add(sum, constant) => match (&**sum, &**constant) {
            (Number::Multiply(one, other), Number::Constant(constant)) => Some((one, other, *constant)),
            _ => None,
        },
        _ => None,
    }
}

/// Codes times a factor, and a constant; or added to what is there.
pub(super) fn load<L: Lane>(isa: Isa, rows: Rows<'_>, column: usize, factor: L, constant: Option<L>, out: &mut [L]) {
    match rows.codes(column) {
        Codes::U8(codes) => lanes::load(isa, codes, factor, constant, out),
        Codes::U16(codes) => lanes::load(isa, codes, factor, constant, out),
        Codes::U32(codes) => lanes::load(isa, codes, factor, constant, out),
        Codes::I32(codes) => lanes::load(isa, codes, factor, constant, out),
        Codes::I64(codes) => lanes::load(isa, codes, factor, constant, out),
        Codes::Digits(digits, count) => {
            let mut constant = constant;
            for (digit, codes) in digits[..count].iter().enumerate() {
                let power = L::low(1 << (DIGIT_BITS as usize * digit));
                lanes::load(isa, codes, factor.times(power), constant.take(), out);
            }
        }
        Codes::Doubles(_) => unreachable!("doubles are not exact"),
    }
}

impl Programs {
    /// None yet, beside others that ask for the next block of these columns.
    pub(super) fn beside(asked: &[usize]) -> Self {
        let mut none = Self::default();
        none.narrow.asked.extend(asked);
        none.middle.asked.extend(asked);
        none.wide.asked.extend(asked);
        none
    }

    /// The columns of whose next block they, or those that they are beside, ask.
    pub(super) fn asked(&self) -> Vec<usize> {
        [&self.narrow.asked[..], &self.middle.asked, &self.wide.asked].concat()
    }

    pub(super) fn computed(&self) -> Computed {
        Computed { narrow: self.narrow.slots(), middle: self.middle.slots(), wide: self.wide.slots() }
    }

    pub(super) fn run(&self, isa: Isa, rows: Rows<'_>, computed: &mut Computed) {
        self.narrow.run(isa, rows, &mut computed.narrow);
        self.middle.run(isa, rows, &mut computed.middle);
        self.wide.run(isa, rows, &mut computed.wide);
    }
}

/// The largest code of a column.
pub(super) fn largest_code(table: &Table, column: usize) -> u128 {
    let column = &table.columns()[column];
    let (base, step) = column.storage.base_and_step().expect("it is exact");
    match column.storage {
        Storage::Codes { .. } | Storage::Digits { .. } => {
            ((column.bounds.high - i128::from(base)) / i128::from(step)).unsigned_abs()
        }
        Storage::Doubles => unreachable!("doubles are not exact"),
    }
}
