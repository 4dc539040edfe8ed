//! Any text as a query, of lineitem and of a table of extremes.

use std::sync::LazyLock;

use super::ask::ask;
use crate::data::{self, Source, Tpch};
use crate::field::Field;
use crate::kind::Kind;
use crate::plan::Plan;
use crate::sql;
use crate::table::{self, Chunk, Columns, Encoding, Placed, Table};

/// Both tables in each encoding.
static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let of = |name: &&str| {
        let encoding = Encoding::named(name).expect("it is one of its names");
        [lineitem(encoding), extremes(encoding)]
    };
    Encoding::NAMES.iter().flat_map(of).collect()
});

/// Reads a text as a query and asks it.
pub fn sql(text: &str) {
    let Ok(select) = sql::parse(text) else { return };
    // Before data is read, dictionaries are not known.
    let _ = Plan::new(&select, &source().fields());
    for table in &*TABLES {
        ask(&select, table);
    }
}

/// A bit more than one block of rows.
fn source() -> Tpch {
    Tpch::new("0.0004").expect("it is a scale")
}

fn lineitem(encoding: Encoding) -> Table {
    let source = source();
    let fields = source.fields();
    let columns: Vec<usize> = (0..fields.len()).collect();
    let chunks = data::read(&source, &columns).expect("lineitem can be generated");
    table::build(&fields, chunks, encoding, &Placed::default()).expect("there is memory")
}

/// Columns `a` to `g` with what types can just hold.
fn extremes(encoding: Encoding) -> Table {
    let huge = [i64::MIN, i64::MAX, 0, -1, 1, i64::MIN + 1, 1 << 62, 10];
    let far = [-4_371_587, 2_932_896, 0, -1, 1, 10_000, 10_001, 59];
    let small = [3, 0, 1, 2, 2, 1, 0, 3];
    let digits = [1 << 27, 0, 70_000, 4_095, 4_096, 65_535, (1 << 38) + 1, 5];
    let halves = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, f64::MAX, f64::MIN_POSITIVE, 0.5];
    let words = ["", "a", "b", "a\u{301}\n", "'", "\u{10ffff}", "z z", "B"].map(str::to_owned).to_vec();
    let columns = vec![
        (Kind::Integer, Columns::Numbers(huge.to_vec())),
        (Kind::Decimal(18), Columns::Numbers(huge.iter().rev().copied().collect())),
        (Kind::Date, Columns::Numbers(far.to_vec())),
        (Kind::Integer, Columns::Numbers(small.to_vec())),
        (Kind::Decimal(2), Columns::Numbers(digits.to_vec())),
        (Kind::Double, Columns::Doubles(halves.to_vec())),
        (Kind::Text, Columns::Texts((0..8).collect(), words)),
    ];
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let field = |(name, (kind, _)): (&&str, &(Kind, Columns))| Field {
        name: (*name).to_owned(),
        kind: *kind,
        dictionary: None,
    };
    let fields: Vec<Field> = names.iter().zip(&columns).map(field).collect();
    let chunk = Chunk::new(huge.len(), columns.into_iter().map(|(_, column)| column).collect());
    table::build(&fields, vec![chunk], encoding, &Placed::default()).expect("there is memory")
}
