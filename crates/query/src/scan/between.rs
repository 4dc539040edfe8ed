//! Conditions that are a few ranges of codes, or of differences of two columns' codes, as most are: tested first, as bits.

use super::filter::{RANGES, Test, codes};
use super::program::{Programs, Rows};
use super::read::Read;
use crate::lanes::{self, BLOCK, Bits, Code, Isa};
use crate::plan::{Filter, Number, Ranges};
use crate::table::{Codes, Column, Storage, Table, Width};

/// Rows whose code is in one of these ranges, both ends inside.
#[derive(Debug)]
pub(super) struct Between {
    of: Of,
    ranges: Vec<(u64, u64)>,
}

/// What is in the ranges.
#[derive(Debug)]
enum Of {
    /// The code of a column.
    Column(usize),
    /// The first column's code minus the second one's. Both have the same width, and so has the difference with its sign.
    Difference([usize; 2]),
}

/// Where differences are written; the bytes of a block's widest codes.
pub(super) type Differences = Box<[u64; BLOCK / 2]>;

impl Between {
    /// Takes all such conditions out of those that must hold. What the others compute goes into `programs`.
    pub(super) fn taken_from(filter: &Filter, table: &Table, programs: &mut Programs) -> (Vec<Self>, Test) {
        let parts = if let Filter::All(parts) = filter { &parts[..] } else { std::slice::from_ref(filter) };
        let (mut between, mut others) = (Vec::new(), Vec::new());
        for part in parts {
            if let Filter::Exact(number, ranges) = part
                && let Some(own) = Self::of_difference(number, ranges, table)
            {
                between.push(own);
                continue;
            }
            match Test::new(part, table, programs) {
                Test::Codes(column, ranges) if ranges.len() <= RANGES && is_stored_as_codes(table, column) => {
                    between.push(Self { of: Of::Column(column), ranges });
                }
                Test::Every => {}
                other => others.push(other),
            }
        }
        if others.iter().any(|part| matches!(part, Test::Never)) && !others.iter().any(Test::may_overflow) {
            // No row can pass, so none is read.
            return (Vec::new(), Test::Never);
        }
        let rest = if others.len() > 1 { Test::All(others) } else { others.pop().unwrap_or(Test::Every) };
        (between, rest)
    }

    /// A condition on one column less another one, of the same width and steps.
    fn of_difference(number: &Number, ranges: &Ranges, table: &Table) -> Option<Self> {
        // An overflow on the way is an error, though the sum of columns may be small.
        number.bounds(&|column| table.columns()[column].bounds)?;
        let linear = number.linear()?;
        let ([(one, 1), (other, -1)] | [(other, -1), (one, 1)]) = linear.terms[..] else { return None };
        let columns = [one, other];
        let [one, other] = columns.map(|column| &table.columns()[column]);
        let (Storage::Codes { width, base, step }, Storage::Codes { width: as_wide, base: from, step: same }) =
            (one.storage, other.storage)
        else {
            return None;
        };
        let (least, most): (i128, i128) = match width {
            Width::U16 => (i16::MIN.into(), i16::MAX.into()),
            Width::U32 | Width::I32 => (i32::MIN.into(), i32::MAX.into()),
            Width::U8 | Width::I64 => return None,
        };
        let [one, other] = [one, other].map(ends);
        if (width, step) != (as_wide, same) || one.0 - other.1 < least || one.1 - other.0 > most {
            return None;
        }
        let base = (i128::from(base) - i128::from(from)).checked_add(linear.constant)?;
        let ranges = codes(ranges, (i64::try_from(base).ok()?, step), (least, most));
        (ranges.len() <= RANGES).then_some(Self { of: Of::Difference(columns), ranges })
    }

    /// The columns that are read.
    pub(super) fn columns(&self) -> &[usize] {
        match &self.of {
            Of::Column(column) => std::slice::from_ref(column),
            Of::Difference(columns) => columns,
        }
    }

    /// Drops rows where it does not hold; whether any is left.
    pub(super) fn test(
        &self,
        isa: Isa,
        rows: Rows<'_>,
        read: &mut Read,
        bits: &mut Bits,
        differences: &mut Differences,
    ) -> bool {
        read.take(self.columns());
        self.columns().iter().for_each(|column| rows.ahead(*column, (0, 1)));
        match self.of {
            Of::Column(column) => match rows.codes(column) {
                Codes::U8(codes) => self.among(isa, codes, bits),
                Codes::U16(codes) => self.among(isa, codes, bits),
                Codes::U32(codes) => self.among(isa, codes, bits),
                Codes::I32(codes) => self.among(isa, codes, bits),
                Codes::I64(codes) => self.among(isa, codes, bits),
                other => unreachable!("these are tested as lanes: {other:?}"),
            },
            Of::Difference([one, other]) => match (rows.codes(one), rows.codes(other)) {
                (Codes::U16(one), Codes::U16(other)) => self.apart(isa, (one, other), bits, differences),
                (Codes::U32(one), Codes::U32(other)) => self.apart(isa, (one, other), bits, differences),
                (Codes::I32(one), Codes::I32(other)) => self.apart(isa, (one, other), bits, differences),
                others => unreachable!("these are tested as lanes: {others:?}"),
            },
        }
    }

    fn apart<C: Code>(
        &self,
        isa: Isa,
        (one, other): (&[C], &[C]),
        bits: &mut Bits,
        differences: &mut Differences,
    ) -> bool {
        let differences = &mut bytemuck::cast_slice_mut(&mut differences[..])[..BLOCK];
        lanes::minus(isa, one, other, differences);
        self.among(isa, differences, bits)
    }

    fn among<C: Code>(&self, isa: Isa, codes: &[C], bits: &mut Bits) -> bool {
        let range = |(low, high): (u64, u64)| (C::low(low), C::low(high).minus(C::low(low)));
        if let [own] = self.ranges[..] {
            let (low, span) = range(own);
            return lanes::between(isa, codes, low, span, bits);
        }
        let before = std::mem::replace(bits, [0; _]);
        for own in &self.ranges {
            let (mut own_bits, (low, span)) = (before, range(*own));
            lanes::between(isa, codes, low, span, &mut own_bits);
            bits.iter_mut().zip(own_bits).for_each(|(bits, own)| *bits |= own);
        }
        bits.iter().any(|bits| *bits != 0)
    }
}

/// Codes as digits have to be put together first.
fn is_stored_as_codes(table: &Table, column: usize) -> bool {
    matches!(table.columns()[column].storage, Storage::Codes { .. })
}

/// The smallest and the largest code that a column can have.
fn ends(column: &Column) -> (i128, i128) {
    let (base, step) = column.storage.base_and_step().expect("doubles have no codes");
    let code = |value: i128| (value - i128::from(base)).div_euclid(step.into());
    (code(column.bounds.low), code(column.bounds.high))
}

#[cfg(test)]
mod tests {
    use super::super::Scan;
    use super::*;
    use crate::field::Field;
    use crate::kind::Kind;
    use crate::plan::Plan;
    use crate::run::Lies;
    use crate::table::{self, Chunk, Columns, Encoding, Placed};

    const ROWS: usize = 5_000;

    /// Numbers from the first to the last one, with both of them, and both ends beside any other number.
    fn numbers((low, high, step): (i64, i64, i64), stride: usize) -> Vec<i64> {
        let steps = usize::try_from((high - low) / step).unwrap() + 1;
        let number = |row: usize| low + step * (row * stride % steps) as i64;
        (0..ROWS).map(|row| [low, high, number(row), number(row)][row / stride % 4]).collect()
    }

    #[test]
    fn two_columns_are_compared_whatever_their_codes_are() {
        // The ends and steps of two columns, and whether differences of their codes fit codes as wide, in `narrow`.
        let pairs = [
            ((8_036, 10_561, 1), (8_000, 10_500, 1), true),
            ((40_000, 72_767, 1), (39_000, 71_000, 1), true),
            ((40_000, 72_767, 1), (0, 32_767, 1), true),
            ((0, 32_768, 1), (0, 32_767, 1), false),
            ((0, 40_000, 1), (-900, 300, 1), false),
            ((70, 70_000_000, 10), (0, 90_000_001, 1), true),
            ((-3_000_000, 70_000_000, 10), (-5, 90_000_000, 5), true),
            ((-3_000_000, 70_000_000, 10), (0, 90_000_000, 10), true),
            ((0, 1 << 31, 1), (0, 1 << 20, 1), false),
            ((0, 5, 1), (0, 200, 1), false),
            ((0, 5, 1), (0, 2_000, 1), false),
        ];
        for ((one, other, as_bits), encoding) in pairs
            .into_iter()
            .flat_map(|pair| [Encoding::Narrow, Encoding::Plain, Encoding::Split].map(|own| (pair, own)))
        {
            let (a, b) = (numbers(one, 7), numbers(other, 11));
            let chunk = Chunk::new(ROWS, vec![Columns::Numbers(a.clone()), Columns::Numbers(b.clone())]);
            let fields = ["a", "b"].map(|name| Field { name: name.into(), kind: Kind::Integer, dictionary: None });
            let placed = Placed::default();
            let table = table::build(&fields, vec![chunk], encoding, &placed).unwrap();
            let expect = |condition: &str, holds: &dyn Fn(i64, i64) -> bool| {
                let text = format!("select count(*) from t where {condition}");
                let plan = Plan::new(&crate::sql::parse(&text).unwrap(), &table.fields()).unwrap();
                let rows = a.iter().zip(&b).filter(|(a, b)| holds(**a, **b)).count();
                for isa in Isa::all() {
                    let scan = Scan::new(&plan, &table, isa).unwrap();
                    let found = scan.serial(&Lies::AtHome).counts[0];
                    assert_eq!(found, rows as u64, "{condition}: {one:?}, {other:?}, {encoding:?}, {isa:?}");
                    if encoding == Encoding::Narrow && condition == "a < b" {
                        assert_eq!(scan.between.len(), usize::from(as_bits), "{one:?}, {other:?}");
                    }
                }
            };
            expect("a < b", &|a, b| a < b);
            expect("a <= b", &|a, b| a <= b);
            expect("b > a", &|a, b| b > a);
            expect("a >= b", &|a, b| a >= b);
            expect("a = b", &|a, b| a == b);
            expect("a <> b", &|a, b| a != b);
            expect("a - b <= 12", &|a, b| a - b <= 12);
            expect("a + 7 < b", &|a, b| a + 7 < b);
            expect("b - a between -20 and 300", &|a, b| (-20..=300).contains(&(b - a)));
            expect("a < b and a > 300", &|a, b| a < b && a > 300);
            expect("a < b or a > 300", &|a, b| a < b || a > 300);
            expect("a > b and (a < 9000 or a > 9500 and a < 10000)", &|a, b| {
                a > b && (a < 9_000 || a > 9_500 && a < 10_000)
            });
        }
    }

    #[test]
    fn an_overflow_on_the_way_is_no_difference() {
        let columns = [0, 1].map(|at| Columns::Numbers((at..at + 400).collect()));
        let fields = ["a", "b"].map(|name| Field { name: name.into(), kind: Kind::Integer, dictionary: None });
        let placed = Placed::default();
        let table = table::build(&fields, vec![Chunk::new(400, columns.into())], Encoding::Narrow, &placed).unwrap();
        let between = |condition: &str| {
            let select = crate::sql::parse(&format!("select count(*) from t where {condition}")).unwrap();
            let plan = Plan::new(&select, &table.fields()).unwrap();
            Scan::new(&plan, &table, Isa::best()).unwrap().between.len()
        };
        assert_eq!(between("a * 100 - a * 99 < b"), 1);
        let (large, less) = ("9".repeat(38), format!("{}8", "9".repeat(37)));
        assert_eq!(between(&format!("a * {large} - a * {less} < b")), 0);
    }
}
