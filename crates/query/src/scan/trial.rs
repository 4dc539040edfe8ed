//! Random queries on random tables: every encoding and instruction set against the plain loop.

use proptest::prelude::*;

use super::{Scan, State};
use crate::answer::Answer;
use crate::field::{Bounds, Field};
use crate::kind::Kind;
use crate::lanes::Isa;
use crate::oracle;
use crate::plan::Plan;
use crate::run::Lies;
use crate::sql::{self, Comparison, Condition, Constant, Function, Order, Output, Scalar, Select};
use crate::table::{self, Chunk, Column, Columns, Encoding, Placed, Storage, Table, Width};

/// Columns of many kinds: small, wide, negative and extreme numbers, dates, texts, doubles.
const FIELDS: [(&str, Kind, i64, i64, i64); 10] = [
    ("small", Kind::Integer, 0, 9, 1),
    ("price", Kind::Decimal(2), 90_000, 10_494_950, 1),
    ("discount", Kind::Decimal(2), 0, 10, 1),
    ("quantity", Kind::Decimal(2), 100, 5_000, 100),
    ("day", Kind::Date, 8_036, 10_561, 1),
    ("later", Kind::Date, 8_036, 10_561, 1),
    ("signed", Kind::Decimal(1), -70_000, 30_000, 10),
    ("huge", Kind::Integer, i64::MIN / 4, i64::MAX / 4, 1),
    ("mode", Kind::Text, 0, 6, 1),
    ("weight", Kind::Double, 0, 1_000, 1),
];

fn fields() -> Vec<Field> {
    FIELDS.iter().map(|(name, kind, ..)| Field { name: (*name).into(), kind: *kind, dictionary: None }).collect()
}

/// Numbers that follow from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Some rows. A tenth of the values are the smallest or the largest.
fn chunk(rows: usize, random: &mut Random) -> Chunk {
    let column = |(_, kind, low, high, step): &(&str, Kind, i64, i64, i64)| {
        let steps = high.abs_diff(*low) / step.unsigned_abs() + 1;
        let mut value = || match random.below(20) {
            0 => *low,
            1 => low + (steps as i64 - 1) * step,
            _ => low.wrapping_add((random.below(steps) as i64).wrapping_mul(*step)),
        };
        match kind {
            Kind::Double => Columns::Doubles((0..rows).map(|_| value() as f64 / 8.0).collect()),
            Kind::Text => {
                let words = ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"];
                Columns::Texts((0..rows).map(|_| value() as u32).collect(), words.map(str::to_owned).to_vec())
            }
            _ => Columns::Numbers((0..rows).map(|_| value()).collect()),
        }
    };
    Chunk::new(rows, FIELDS.iter().map(column).collect())
}

fn built(sizes: &[usize], seed: u64, encoding: Encoding) -> Table {
    placed(sizes, seed, encoding, knee_runtime::Arrangement::default())
}

fn placed(sizes: &[usize], seed: u64, encoding: Encoding, arrangement: knee_runtime::Arrangement) -> Table {
    let mut random = Random(seed);
    let chunks = sizes.iter().map(|rows| chunk(*rows, &mut random)).collect();
    let placed = Placed::new(arrangement, 1);
    table::build(&fields(), chunks, encoding, &placed).unwrap()
}

fn number() -> impl Strategy<Value = Scalar> {
    let column = prop::sample::select(vec!["small", "price", "discount", "quantity", "signed"]);
    let column = column.prop_map(|name| Scalar::Column(name.into()));
    let constant = (-1_000_i128..1_000, 0_u8..3);
    let constant = constant.prop_map(|(digits, scale)| Scalar::Constant(Constant::Number { digits, scale }));
    let leaf = prop_oneof![3 => column, 1 => constant];
    leaf.prop_recursive(3, 6, 2, |inner| {
        (0..3_u8, inner.clone(), inner).prop_map(|(op, one, other)| {
            let (one, other) = (Box::new(one), Box::new(other));
            match op {
                0 => Scalar::Add(one, other),
                1 => Scalar::Subtract(one, other),
                _ => Scalar::Multiply(one, other),
            }
        })
    })
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    prop::sample::select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
}

/// A double, or a number that becomes one.
fn floating() -> impl Strategy<Value = Scalar> {
    let column = prop::sample::select(vec!["weight", "weight", "small", "signed", "price"]);
    let column = column.prop_map(|name| Scalar::Column(name.into()));
    let constant = (-1_000_i128..1_000, 0_u8..3);
    let constant = constant.prop_map(|(digits, scale)| Scalar::Constant(Constant::Number { digits, scale }));
    (0..4_u8, prop_oneof![3 => column, 1 => constant]).prop_map(|(op, other)| {
        let (one, other) = (Box::new(Scalar::Column("weight".into())), Box::new(other));
        match op {
            0 => Scalar::Add(one, other),
            1 => Scalar::Subtract(one, other),
            2 => Scalar::Multiply(one, other),
            _ => *other,
        }
    })
}

fn compared() -> impl Strategy<Value = Condition> {
    let constant = |digits, scale| Scalar::Constant(Constant::Number { digits, scale });
    let column = |name: &str| Scalar::Column(name.into());
    prop_oneof![
        (number(), comparison(), number()).prop_map(|(one, how, other)| Condition::Compare(one, how, other)),
        (comparison(), 0..12_000_000_i128)
            .prop_map(move |(how, price)| { Condition::Compare(column("price"), how, constant(price, 2)) }),
        (comparison(), 8_000..10_600_i32).prop_map(move |(how, day)| {
            Condition::Compare(column("day"), how, Scalar::Constant(Constant::Date(day)))
        }),
        comparison().prop_map(move |how| Condition::Compare(column("day"), how, column("later"))),
        (comparison(), any::<i64>())
            .prop_map(move |(how, huge)| { Condition::Compare(column("huge"), how, constant(huge.into(), 0)) }),
        (comparison(), prop::sample::select(vec!["", "AIR", "MAIL", "N", "TRUCK", "Z"])).prop_map(
            move |(how, mode)| {
                Condition::Compare(column("mode"), how, Scalar::Constant(Constant::Text(mode.into())))
            }
        ),
        (comparison(), 0..1_000_i128)
            .prop_map(move |(how, weight)| { Condition::Compare(column("weight"), how, constant(weight, 1)) }),
        prop::collection::vec(0..50_i128, 1..9).prop_map(move |list| {
            let equal = |digits| Condition::Compare(column("quantity"), Comparison::Equal, constant(digits, 0));
            Condition::Or(list.into_iter().map(equal).collect())
        }),
        (prop::sample::select(vec!["price", "huge", "day", "signed"]), any::<u64>(), 9..400_u64)
            .prop_map(|(name, seed, count)| listed(name, seed, count)),
        (floating(), comparison(), floating()).prop_map(|(one, how, other)| Condition::Compare(one, how, other)),
    ]
}

/// A long list of a column's values, all over its range or near its smallest or its largest one.
fn listed(name: &str, seed: u64, count: u64) -> Condition {
    let (_, kind, low, high, step) = FIELDS.iter().find(|field| field.0 == name).expect("it is one of them");
    let mut random = Random(seed);
    let steps = high.abs_diff(*low) / step.unsigned_abs() + 1;
    let near = [steps, steps.min(500)][random.below(2) as usize];
    let from = [0, steps - near][random.below(2) as usize];
    let others: Vec<u64> = (0..count).map(|_| random.below(near)).collect();
    let equal = |at: u64| {
        let value = low.wrapping_add(((from + at) as i64).wrapping_mul(*step));
        let constant = match kind {
            Kind::Date => Constant::Date(value as i32),
            kind => Constant::Number { digits: value.into(), scale: kind.scale().unwrap_or(0) },
        };
        Condition::Compare(Scalar::Column(name.into()), Comparison::Equal, Scalar::Constant(constant))
    };
    Condition::Or([0, near - 1].into_iter().chain(others).map(equal).collect())
}

fn condition() -> impl Strategy<Value = Condition> {
    compared().prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Condition::And),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Condition::Or),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

fn aggregate() -> impl Strategy<Value = Output> {
    use Function::{Avg, Count, Max, Min, Sum};
    let exact = (prop::sample::select(vec![Sum, Sum, Avg, Min, Max]), number());
    let other = prop::sample::select(vec!["day", "mode", "huge", "weight"]);
    prop_oneof![
        6 => exact.prop_map(|(function, number)| Output::Aggregate(function, Some(number))),
        1 => Just(Output::Aggregate(Count, None)),
        2 => (prop::sample::select(vec![Min, Max]), other).prop_map(|(function, name)| {
            Output::Aggregate(function, Some(Scalar::Column(name.into())))
        }),
        1 => Just(Output::Aggregate(Sum, Some(Scalar::Column("weight".into())))),
        1 => (prop::sample::select(vec![Min, Max]), floating())
            .prop_map(|(function, value)| Output::Aggregate(function, Some(value))),
        1 => Just(Output::Aggregate(Sum, Some(Scalar::Column("huge".into())))),
    ]
}

fn select() -> impl Strategy<Value = Select> {
    let keys = prop::sample::subsequence(vec!["small", "discount", "mode", "day", "quantity"], 0..3);
    let filter = prop::option::of(condition());
    (keys, filter, prop::collection::vec(aggregate(), 1..5), any::<bool>(), prop::option::of(0..9_u64)).prop_map(
        |(keys, filter, aggregates, descending, limit)| {
            let keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
            let outputs = keys.iter().map(|key| Output::Key(key.clone())).chain(aggregates);
            let outputs: Vec<_> = outputs.enumerate().map(|(at, output)| (output, format!("c{at}"))).collect();
            let order = vec![Order { output: outputs.len() - 1, descending }];
            let keys = keys.into_iter().map(Into::into).collect();
            Select { table: "t".into(), outputs, filter, keys, order, limit }
        },
    )
}

fn answered(plan: &Plan, table: &Table, isa: Isa) -> Answer {
    let scan = Scan::new(plan, table, isa).unwrap();
    let state: State = scan.serial(&Lies::AtHome);
    state.answer(plan, &scan).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_way_gives_the_answer_of_the_plain_loop(
        select in select(),
        sizes in prop::sample::select(vec![
            vec![], vec![1], vec![0, 2_047], vec![2_048], vec![1_000, 1_049], vec![5_000, 1],
        ]),
        seed in any::<u64>(),
    ) {
        let mut exact: Option<Answer> = None;
        for encoding in Encoding::NAMES.iter().filter_map(|name| Encoding::named(name)) {
            let table = built(&sizes, seed, encoding);
            let Ok(plan) = Plan::new(&select, &table.fields()) else { continue };
            if Scan::new(&plan, &table, Isa::Portable).is_err() {
                // Too many groups.
                continue;
            }
            let Ok(expected) = oracle::answer(&plan, &table) else {
                for isa in Isa::all() {
                    let scan = Scan::new(&plan, &table, isa).unwrap();
                    prop_assert!(scan.serial(&Lies::AtHome).answer(&plan, &scan).is_err(), "{:?}: an overflow is not seen", encoding);
                }
                continue;
            };
            if let Some(exact) = &exact {
                prop_assert!(exact.is_close(&expected), "{encoding:?} stores other values");
            }
            let mut same: Option<Answer> = None;
            for isa in Isa::all() {
                let answer = answered(&plan, &table, isa);
                prop_assert!(answer.is_close(&expected), "{:?} {:?}: {:?}, not {:?}", encoding, isa, answer, expected);
                if let Some(same) = &same {
                    prop_assert_eq!(same, &answer, "{:?}: instruction sets differ", encoding);
                }
                same = Some(answer);
            }
            exact = Some(expected);
        }
    }
}

#[test]
fn more_than_one_morsel_is_read() {
    // Of many rows, of a few in each block, and of so few that blocks have none.
    let shares =
        ["day < later", "small = 3", "small = 3 and quantity = 11", "day < later and signed = 3 and small = 3"];
    let encodings = [Encoding::Plain, Encoding::Narrow, Encoding::Split];
    for (share, encoding) in shares.into_iter().flat_map(|share| encodings.map(|encoding| (share, encoding))) {
        let what = "mode, count(*), sum(price * discount), min(day), sum(weight), avg(huge)";
        let select = sql::parse(&format!("select {what} from t where {share} group by mode")).unwrap();
        let table = built(&[66_000, 3, 70_000], 7, encoding);
        let plan = Plan::new(&select, &table.fields()).unwrap();
        let expected = oracle::answer(&plan, &table).unwrap();
        let pool = knee_runtime::Pool::builder().workers(3).build().unwrap();
        for isa in Isa::all() {
            let scan = Scan::new(&plan, &table, isa).unwrap();
            let serial = scan.serial(&Lies::AtHome).answer(&plan, &scan).unwrap();
            let parallel = scan.parallel(&pool, &Lies::AtHome).answer(&plan, &scan).unwrap();
            assert!(serial.is_close(&expected), "{serial:?}, not {expected:?}");
            assert_eq!(serial, parallel, "doubles are added in one order");
        }
    }
}

#[test]
fn no_morsel_lies_on_two_nodes() {
    use knee_runtime::{Arrangement, Layout};
    for encoding in [Encoding::Plain, Encoding::Narrow, Encoding::Split] {
        for morsels in [3, 4, 9] {
            let arrangement = Arrangement::new(Layout::Blocked, &[0, 1, 2, 3]).huge(true).pretend(true);
            let homes = placed(&[morsels * table::MORSEL - 5], 3, encoding, arrangement).homes();
            // Not even where pages are larger than morsels, or morsels no multiple of them.
            let blocks =
                (0..4).map(|node| (Some(node), node as usize * morsels / 4..(node as usize + 1) * morsels / 4));
            assert_eq!(homes, blocks.collect::<Vec<_>>(), "{encoding:?}");
        }
    }
}

#[test]
fn partial_answers_of_parts_join_to_the_whole_one() {
    use crate::answer::Partial;
    let texts = [
        "select mode, count(*), sum(price * discount), avg(price), min(mode), max(day) from t where day < later group by mode",
        "select small, min(huge), max(signed), sum(small * quantity), max(weight) from t group by small order by small",
        "select count(*), sum(price), min(mode), avg(weight) from t where small < 0",
    ];
    for select in texts.map(|text| sql::parse(text).unwrap()) {
        let whole = {
            let table = joined(&[(300, 11), (1, 12), (5_000, 13)], Encoding::Narrow);
            let plan = Plan::new(&select, &table.fields()).unwrap();
            answered(&plan, &table, Isa::Portable)
        };
        let plan = Plan::new(&select, &fields()).unwrap();
        let mut all = Partial::default();
        for (rows, seed) in [(5_000, 13), (300, 11), (1, 12)] {
            let table = joined(&[(rows, seed)], Encoding::Split);
            let plan = Plan::new(&select, &table.fields()).unwrap();
            let scan = Scan::new(&plan, &table, Isa::Portable).unwrap();
            let part = scan.serial(&Lies::AtHome).partial(&scan).unwrap();
            assert!(part.is_of(&plan));
            all.add(part, &plan).unwrap();
        }
        let answer = Answer::new(&plan, all.rows(&plan).unwrap());
        assert!(answer.is_close(&whole), "{answer:?}, not {whole:?}");
    }
}

/// A table of chunks, each of some rows that follow from a seed.
fn joined(chunks: &[(usize, u64)], encoding: Encoding) -> Table {
    let chunks = chunks.iter().map(|(rows, seed)| chunk(*rows, &mut Random(*seed))).collect();
    let placed = Placed::default();
    table::build(&fields(), chunks, encoding, &placed).unwrap()
}

#[test]
fn in_what_order_rows_are_added_up_does_not_matter() {
    let (least, most) = (i64::MIN, i64::MAX);
    let select = sql::parse("select sum(a * b) from t").unwrap();
    let field = |name: &str| Field { name: name.into(), kind: Kind::Integer, dictionary: None };
    let fields = [field("a"), field("b")];
    // 2^126 twice is beyond 128 bits, until the third product takes nearly as much away.
    for others in [[least, least, most], [least, most, least], [most, least, least]] {
        let chunk = Chunk::new(3, vec![Columns::Numbers(vec![least; 3]), Columns::Numbers(others.to_vec())]);
        let placed = Placed::default();
        let table = table::build(&fields, vec![chunk], Encoding::Narrow, &placed).unwrap();
        let plan = Plan::new(&select, &table.fields()).unwrap();
        let expected =
            vec![vec![crate::kind::Value::Number(crate::kind::Exact { digits: (1 << 126) + (1 << 63), scale: 0 })]];
        assert_eq!(oracle::answer(&plan, &table).unwrap().rows, expected, "{others:?}");
        assert_eq!(answered(&plan, &table, Isa::Portable).rows, expected, "{others:?}");
    }
}

#[test]
fn memory_is_asked_for_before_a_scan_and_not_again() {
    let bounds = Bounds { low: 0, high: 59_999 };
    let key = Storage::Codes { width: Width::U16, base: 0, step: 1 };
    let columns = vec![
        Column::new("a".into(), Kind::Integer, None, bounds, key),
        Column::new("b".into(), Kind::Double, None, Bounds { low: 0, high: 0 }, Storage::Doubles),
    ];
    let placed = Placed::default();
    let table = Table::write(columns, 64 * table::MORSEL, &placed, &|_, _, _| ()).unwrap();
    let select = sql::parse("select a, sum(b) from t group by a").unwrap();
    let mut plan = Plan::new(&select, &table.fields()).unwrap();
    // Of so many, each with a value for each group in each morsel, no machine has the memory: some 3 TB.
    plan.aggregates = vec![plan.aggregates[0].clone(); 100_000];
    // What was prepared is made again later, when less may be left.
    let scan = Scan::new(&plan, &table, Isa::Portable).unwrap();
    let refused = scan.check_memory(1).unwrap_err().to_string();
    assert!(refused.starts_with("the aggregates of 60000 groups need about 29296"), "{refused}");
}

#[test]
fn conditions_that_no_row_is_left_for_are_not_counted_as_read() {
    let table = built(&[3_000], 1, Encoding::Plain);
    let bytes = |columns: &[&str]| -> u64 {
        let of = |name: &&str| table.bytes_of(FIELDS.iter().position(|field| field.0 == *name).unwrap());
        3_000 * columns.iter().map(of).sum::<usize>() as u64
    };
    let read = |condition: &str| {
        let select = sql::parse(&format!("select sum(discount) from t where {condition}")).unwrap();
        let plan = Plan::new(&select, &fields()).unwrap();
        Scan::new(&plan, &table, Isa::best()).unwrap().serial(&Lies::AtHome).read
    };
    assert_eq!(read("small >= 0 and price > 0"), (bytes(&["small", "price", "discount"]), 0));
    // No row of the first condition is left for the second, nor for what is summed.
    assert_eq!(read("small > 9 and price > 0"), (bytes(&["small"]), 0));
    assert_eq!(read("small > 99999999999999999999 and price > 0"), (0, 0), "no code can be so large");
    // What the tests leave out is read all the same where rows count.
    assert_eq!(read("small > 9 and discount >= 0 or price > 0"), (bytes(&["small", "price", "discount"]), 0));
    assert_eq!(read("small > 9 and weight > 0"), (bytes(&["small"]), 0));
    // Sums of columns are computed where a row is left of the ranges, and before all other conditions.
    assert_eq!(read("small > 9 and price + quantity > 0"), (bytes(&["small"]), 0));
    let all = bytes(&["small", "price", "quantity", "discount"]);
    assert_eq!(read("price + quantity > 0 and small >= 0"), (all, 0));
    assert_eq!(read("(small > 9 or small < -9) and price + quantity > 0"), (bytes(&["small"]), 0));
    assert_eq!(read("(small > 9 or price < 0) and price + quantity > 0"), (bytes(&["small", "price", "quantity"]), 0));
    assert_eq!(read("small > 9 and day < later"), (bytes(&["small"]), 0));
    assert_eq!(read("day < later and small >= 0"), (bytes(&["day", "later", "small", "discount"]), 0));
}
