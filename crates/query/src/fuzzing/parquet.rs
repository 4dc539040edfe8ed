//! Any bytes as a Parquet file.

use super::ask::{ask, questions};
use super::in_a_file;
use crate::data::{self, Parquet, Source};
use crate::table::{self, Encoding, Placed};

/// Most rows that are read. A few bytes can truly be any number of equal rows; a run refuses those that memory cannot hold.
const ROWS: u64 = 20_000;

/// Reads a file of these bytes, column by column, and asks for the extremes of each.
pub fn parquet(bytes: &[u8]) {
    in_a_file(bytes, |path| {
        let Ok(source) = Parquet::open(path) else { return };
        let (fields, _) = (source.fields(), source.input());
        if source.rows() > ROWS {
            return;
        }
        for (column, field) in fields.iter().enumerate() {
            if source.usable(column).is_err() {
                continue;
            }
            for part in 0..source.parts() {
                let _ = (source.bounds(part, column), source.is_full(part, column));
                if let [Ok(by_pages), Ok(one_by_one)] = source.both_ways(part, column) {
                    assert_eq!(by_pages, one_by_one, "{field:?}");
                }
            }
            let Ok(chunks) = data::read(&source, &[column]) else { continue };
            let fields = std::slice::from_ref(field);
            let table = table::build(fields, chunks, Encoding::Split, &Placed::default()).expect("there is memory");
            let holds =
                |morsel: usize| table.columns()[0].bounds_hold(table.morsel(morsel).codes(0, 0, table.rows_of(morsel)));
            assert!((0..table.morsels()).all(holds), "{field:?}");
            for select in questions(&table.fields()) {
                ask(&select, &table);
            }
        }
    });
}
