//! Sums of products of 16-bit numbers.
//!
//! A sum over an expression is a sum over its products: SUM(a + b × c) = SUM(a) + SUM(b × c). In each product one factor is
//! the *number*, a column as digits of 12 bits, and the others together are the *weight*, which has to fit 16 bits. As
//! value = base + step × Σ 2^12k × digit k,
//!
//! SUM(weight × value) = base × SUM(weight) + step × Σ 2^12k × SUM(weight × digit k).
//!
//! A weight that lies far from zero is moved there: SUM(weight × digit) = SUM((weight − m) × digit) + m × SUM(digit).
//! Each sum on the right side is one term, shared by all aggregates that need it: two digits of Q1's prices meet the weights
//! 1, 1 − discount and (1 − discount) × (1 + tax) − m in six terms.

use super::program::{Computed, Programs, Rows, largest_code};
use crate::field::Bounds;
use crate::lanes::{self, Dots, Isa, MOST_AT_ONCE};
use crate::plan::Number;
use crate::table::{Codes, DIGIT_BITS, Storage, Table, Width};

/// Rows between which it takes long to empty 32 bits again and again.
const FEW: usize = lanes::BLOCK / 8;

/// The largest number of a lane of 16 bits.
const LARGEST: u128 = i16::MAX as u128;

/// A weight, and the lists of numbers that it meets.
#[derive(Debug)]
pub(super) struct Weighted {
    /// The slot of the weights; none where each is 1.
    weight: Option<usize>,
    /// No weight is larger.
    largest: u128,
    lists: Vec<List>,
}

/// Numbers to be multiplied with a weight.
#[derive(Debug)]
struct List {
    what: Listed,
    /// The term that holds their sum.
    term: usize,
    /// Rows after which 32 bits may overflow.
    flush: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listed {
    /// The weight itself is added up.
    One,
    /// A digit of (code − `base`) of a column.
    Digit { column: usize, base: i64, digit: u32, last: bool },
}

/// How an aggregate's sum comes from terms: Σ factor × term + `count` × rows.
#[derive(Debug, Default)]
pub(super) struct Recipe {
    terms: Vec<(usize, i128)>,
    count: i128,
}

impl Recipe {
    pub(super) fn value(&self, terms: &[i128], count: i128) -> i128 {
        // It wraps in between only where the bounds of the whole say that the sum fits.
        let term = |(term, factor): &(usize, i128)| terms[*term].wrapping_mul(*factor);
        self.terms.iter().map(term).fold(count.wrapping_mul(self.count), i128::wrapping_add)
    }
}

/// What is added to `weighted`, if the whole expression can be had this way.
struct Draft<'a> {
    table: &'a Table,
    programs: &'a mut Programs,
    weighted: &'a mut Vec<Weighted>,
    terms: &'a mut usize,
}

/// The recipe of a sum; none if it needs wider lanes.
pub(super) fn recipe(
    number: &Number,
    table: &Table,
    programs: &mut Programs,
    weighted: &mut Vec<Weighted>,
    terms: &mut usize,
) -> Option<Recipe> {
    let products = number.products()?;
    // Asked before anything is added.
    let plans: Vec<Product> = products.into_iter().map(|product| Product::of(product, table)).collect::<Option<_>>()?;
    let mut draft = Draft { table, programs, weighted, terms };
    let mut recipe = Recipe::default();
    for plan in &plans {
        draft.add(plan, &mut recipe)?;
    }
    Some(recipe)
}

/// A product with its factors in their roles.
struct Product {
    constant: i128,
    weight: Option<Weight>,
    /// The number as a sum of columns, each with a factor, and a constant.
    columns: Vec<(usize, i128)>,
    plus: i128,
}

impl Product {
    fn of((constant, mut factors): (i128, Vec<Number>), table: &Table) -> Option<Self> {
        if factors.is_empty() {
            return Some(Self { constant, weight: None, columns: Vec::new(), plus: 1 });
        }
        let bounds = |number: &Number| number.bounds(&|column| table.columns()[column].bounds);
        let wide = |number: &Number| bounds(number).is_none_or(|bounds| bounds.largest() > LARGEST);
        let mut wides = factors.iter().enumerate().filter(|(_, factor)| wide(factor)).map(|(at, _)| at);
        let at = match (wides.next(), wides.next()) {
            (_, Some(_)) => return None,
            (Some(at), None) => at,
            // The last column alone, so that first factors, which other sums may share, are the weight.
            (None, None) => factors.iter().rposition(|factor| matches!(factor, Number::Column(_))).unwrap_or(0),
        };
        let number = factors.remove(at).linear()?;
        let most = |(column, _): &(usize, i128)| Some(digits(table, *column)?.into_iter().map(|(_, most)| most).max());
        let most = number.terms.iter().map(most).collect::<Option<Vec<_>>>()?.into_iter().flatten().max().unwrap_or(1);
        let weight = match factors.into_iter().reduce(Number::multiply) {
            None => Dots::flush(1, most).map(|_| None)?,
            Some(weight) => Some(Weight::of(weight, most, &bounds)?),
        };
        Some(Self { constant, weight, columns: number.terms, plus: number.constant })
    }
}

/// What the numbers of a product are multiplied with.
struct Weight {
    number: Number,
    /// No weight is larger.
    largest: u128,
    /// What was taken from it.
    taken: i128,
}

impl Weight {
    /// A weight of numbers up to `most`. One that lies far from zero, as (100 - discount) × (100 + tax) does, is moved
    /// there if few rows can be added up in 32 bits, and at least twice as many afterwards. It is not for nothing: the
    /// numbers have to be added up without weights, too.
    fn of(number: Number, most: u128, bounds: &impl Fn(&Number) -> Option<Bounds>) -> Option<Self> {
        let Bounds { low, high } = bounds(&number)?;
        let largest = Bounds { low, high }.largest();
        let taken = i128::midpoint(low, high);
        let moved = Bounds { low: low - taken, high: high - taken }.largest();
        let rows = |largest: u128| Dots::flush(largest, most).unwrap_or(0);
        if rows(largest) < FEW && rows(moved) >= 2 * rows(largest).max(1) {
            return Some(Self { number: number.add(Number::Constant(-taken)), largest: moved, taken });
        }
        (rows(largest) > 0).then_some(Self { number, largest, taken: 0 })
    }
}

/// The digits of a column's codes, and the largest value of each; none if there are too many.
fn digits(table: &Table, column: usize) -> Option<Vec<(Listed, u128)>> {
    let (base, largest) = code_base(table, column);
    let list = |digit: u32, last: bool| Listed::Digit { column, base, digit, last };
    let low = (1 << DIGIT_BITS) - 1;
    match table.columns()[column].storage {
        Storage::Digits { count, .. } => {
            let count = count as u32;
            let of = |digit: u32| {
                let last = digit + 1 == count;
                (list(digit, last), if last { largest >> (DIGIT_BITS * digit) } else { low })
            };
            Some((0..count).map(of).collect())
        }
        Storage::Codes { .. } if largest <= LARGEST => Some(vec![(list(0, true), largest)]),
        Storage::Codes { .. } => {
            let bits = u128::BITS - largest.leading_zeros();
            let count = bits.div_ceil(DIGIT_BITS);
            let of = |digit: u32| {
                let last = digit + 1 == count;
                (list(digit, last), if last { largest >> (DIGIT_BITS * digit) } else { low })
            };
            (count <= 3).then(|| (0..count).map(of).collect())
        }
        Storage::Doubles => None,
    }
}

/// What is taken from codes before they become digits, and the largest of what is left. Plain codes may be negative.
fn code_base(table: &Table, column: usize) -> (i64, u128) {
    let Bounds { low, high } = table.columns()[column].bounds;
    let plain = table.columns()[column].storage.base_and_step() == Some((0, 1));
    match table.columns()[column].storage {
        Storage::Codes { width: Width::I32 | Width::I64, .. } if plain && low < 0 => {
            (i64::try_from(low).expect("it is a value"), (high - low).unsigned_abs())
        }
        _ => (0, largest_code(table, column)),
    }
}

impl Draft<'_> {
    fn add(&mut self, product: &Product, recipe: &mut Recipe) -> Option<()> {
        self.weighted(product.weight.as_ref(), product.constant, product, recipe)?;
        match product.weight.as_ref().map_or(0, |weight| weight.taken) {
            0 => Some(()),
            taken => self.weighted(None, product.constant.checked_mul(taken)?, product, recipe),
        }
    }

    /// Adds constant × SUM(weight × numbers of a product) to a recipe.
    fn weighted(
        &mut self,
        weight: Option<&Weight>,
        constant: i128,
        product: &Product,
        recipe: &mut Recipe,
    ) -> Option<()> {
        self.term(weight, Listed::One, 1, constant.checked_mul(product.plus)?, recipe)?;
        for (column, factor) in &product.columns {
            let (base, step) = self.table.columns()[*column].storage.base_and_step()?;
            let factor = constant.checked_mul(*factor)?;
            let scaled = factor.checked_mul(step.into())?;
            // Value = base + step × (taken + Σ digits).
            let taken = code_base(self.table, *column).0;
            let constant = i128::from(base) + i128::from(step) * i128::from(taken);
            self.term(weight, Listed::One, 1, factor.checked_mul(constant)?, recipe)?;
            for (listed, most) in digits(self.table, *column)? {
                let Listed::Digit { digit, .. } = listed else { unreachable!("they are digits") };
                self.term(weight, listed, most, scaled.checked_mul(1 << (DIGIT_BITS * digit))?, recipe)?;
            }
        }
        Some(())
    }

    /// Adds factor × SUM(weight × listed) to a recipe.
    fn term(
        &mut self,
        weight: Option<&Weight>,
        what: Listed,
        most: u128,
        factor: i128,
        recipe: &mut Recipe,
    ) -> Option<()> {
        if factor == 0 {
            return Some(());
        }
        if weight.is_none() && what == Listed::One {
            recipe.count = recipe.count.checked_add(factor)?;
            return Some(());
        }
        let slot = weight.map(|weight| self.programs.narrow.slot(&weight.number, self.table));
        let largest = weight.map_or(1, |weight| weight.largest);
        let at = self.weighted.iter().position(|weighted| weighted.weight == slot).unwrap_or_else(|| {
            self.weighted.push(Weighted { weight: slot, largest, lists: Vec::new() });
            self.weighted.len() - 1
        });
        let weighted = &mut self.weighted[at];
        let known = weighted.lists.iter().find(|list| list.what == what).map(|list| list.term);
        let term = if let Some(term) = known {
            term
        } else {
            let flush = Dots::flush(weighted.largest, most)?;
            weighted.lists.push(List { what, term: *self.terms, flush });
            *self.terms += 1;
            *self.terms - 1
        };
        match recipe.terms.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = known.checked_add(factor)?,
            None => recipe.terms.push((term, factor)),
        }
        Some(())
    }
}

/// Digits of a block that are not stored as such, made once for all weights that they meet.
#[derive(Debug, Default)]
pub(super) struct Made {
    lists: Vec<(Listed, Vec<u16>)>,
    ones: Vec<u16>,
}

impl Made {
    pub(super) fn new(weighted: &[Weighted]) -> Self {
        let mut made = Self { lists: Vec::new(), ones: vec![1; lanes::BLOCK] };
        for list in weighted.iter().flat_map(|weighted| &weighted.lists) {
            if list.what != Listed::One && made.lists.iter().all(|(known, _)| *known != list.what) {
                made.lists.push((list.what, vec![0; lanes::BLOCK]));
            }
        }
        made
    }

    /// Makes the digits of a block.
    pub(super) fn make(&mut self, isa: Isa, rows: Rows<'_>) {
        for (what, out) in &mut self.lists {
            let Listed::Digit { column, base, digit, last } = *what else { continue };
            let (shift, mask) = (DIGIT_BITS * digit, if last { u16::MAX } else { (1 << DIGIT_BITS) - 1 });
            match rows.codes(column) {
                Codes::U8(codes) => lanes::digit(isa, codes, 0, shift, mask, out),
                Codes::U16(codes) if last && digit == 0 => _ = codes,
                Codes::U16(codes) => lanes::digit(isa, codes, 0, shift, mask, out),
                Codes::U32(codes) => lanes::digit(isa, codes, 0, shift, mask, out),
                Codes::I32(codes) => lanes::digit(isa, codes, base as i32, shift, mask, out),
                Codes::I64(codes) => lanes::digit(isa, codes, base as u64, shift, mask, out),
                Codes::Digits(..) => {}
                Codes::Doubles(_) => unreachable!("doubles have no digits"),
            }
        }
    }

    fn list<'a>(&'a self, what: Listed, rows: Rows<'a>) -> &'a [u16] {
        let Listed::Digit { column, digit, last, .. } = what else { return &self.ones };
        match rows.codes(column) {
            Codes::Digits(digits, _) => digits[digit as usize],
            Codes::U16(codes) if last && digit == 0 => codes,
            _ => &self.lists.iter().find(|(known, _)| *known == what).expect("each was made").1,
        }
    }
}

impl Weighted {
    /// Adds the sums of at most [`lanes::MOST_GROUPS`] groups of a block to their terms, of which each group has `each`.
    pub(super) fn add_up(
        &self,
        isa: Isa,
        (groups, own): (&[u16], &[u16]),
        (computed, made): (&Computed, &Made),
        rows: Rows<'_>,
        (terms, each): (&mut [i128], usize),
    ) {
        let weights = self.weight.map(|slot| computed.narrow.get(slot));
        for lists in self.lists.chunks(MOST_AT_ONCE) {
            let flush = lists.iter().map(|list| list.flush).min().expect("chunks are not empty");
            let mut numbers: [&[u16]; MOST_AT_ONCE] = [&[]; MOST_AT_ONCE];
            for (numbers, list) in numbers.iter_mut().zip(lists) {
                *numbers = made.list(list.what, rows);
            }
            let what = Dots { groups, own, weights, flush };
            for (group, sums) in own.iter().zip(lanes::dots(isa, what, &numbers[..lists.len()])) {
                for (list, sum) in lists.iter().zip(sums) {
                    terms[usize::from(*group) * each + list.term] += i128::from(sum);
                }
            }
        }
    }
}
