//! Any bytes as a dump, and as what a dump is made of.

use std::path::Path;

use serde_json::{Value, json};

use super::ask::{ask, questions};
use super::in_a_file;
use crate::dump::{Dump, forged};
use crate::table::Placed;

/// Most rows that are asked.
const ROWS: usize = 150_000;

/// Reads a dump and asks its table. The first byte says what the others are: a dump; a header's text and, behind a zero,
/// what its pieces repeat; or the same in a shorter form, of which most are sound.
pub fn dump(bytes: &[u8]) {
    match bytes {
        [0, whole @ ..] => in_a_file(whole, read),
        [1, rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
            let (header, body) = rest.split_at(end);
            in_a_file(&forged(header, body.get(1..).unwrap_or_default()), read);
        }
        [_, rest @ ..] => {
            let mut rest = rest;
            let header = header(&mut rest).to_string();
            in_a_file(&forged(header.as_bytes(), rest), read);
        }
        [] => {}
    }
}

fn read(path: &Path) {
    let Ok(dump) = Dump::open(path) else { return };
    let (fields, _, _) = (dump.fields(), dump.input(), dump.encoding());
    let columns: Vec<usize> = (0..fields.len()).collect();
    if dump.rows() > ROWS as u64 {
        return;
    }
    let Ok(table) = dump.read(&columns, 0..dump.morsels().expect("there are few"), &Placed::default()) else { return };
    for select in questions(&table.fields()) {
        ask(&select, &table);
    }
}

/// Takes bytes from the front; zeros where there are none.
fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (own, rest) = bytes.split_at(N.min(bytes.len()));
    let mut taken = [0; N];
    taken[..own.len()].copy_from_slice(own);
    *bytes = rest;
    taken
}

/// A number of any size in three bytes.
fn number(bytes: &mut &[u8]) -> i64 {
    let [shift, low, high] = take(bytes);
    i64::from(i16::from_le_bytes([low, high])) << (shift % 49)
}

fn header(bytes: &mut &[u8]) -> Value {
    let [columns, low, high, morsels] = take(bytes);
    // Some blocks of rows, maybe behind a whole morsel.
    let rows = u32::from_le_bytes([low, high & 0x1f, morsels & 1, 0]);
    let columns: Vec<Value> = (0..columns % 5).map(|at| column(at, bytes)).collect();
    json!({"input": "", "encoding": "", "rows": rows, "columns": columns, "checksums": []})
}

fn column(at: u8, bytes: &mut &[u8]) -> Value {
    let [kind, storage, words] = take(bytes);
    let (base, step, low, high) = (number(bytes), number(bytes), number(bytes), number(bytes));
    let text = kind % 5 == 4;
    let dictionary: Vec<String> = (0..words).map(|word| format!("{word:03}")).collect();
    let (low, high) = if text { (0, i64::from(words.saturating_sub(1))) } else { (low, high) };
    let kinds = [json!("Integer"), json!({"Decimal": words}), json!("Date"), json!("Double"), json!("Text")];
    let width = ["U8", "U16", "U32", "I32", "I64"].get(usize::from(storage % 8));
    json!({
        "name": format!("c{at}"),
        "kind": kinds[usize::from(kind % 5)],
        "dictionary": text.then_some(dictionary),
        "low": low,
        "high": high,
        "storage": match (width, storage % 8) {
            (Some(width), _) => json!({"Codes": {"width": width, "base": base, "step": step}}),
            (None, 7) => json!("Doubles"),
            (None, count) => json!({"Digits": {"count": count - 3, "base": base, "step": step}}),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a dump cannot be used that has this column, and pieces that repeat `body`.
    fn refused(rows: u64, columns: &str, body: &[u8]) -> Option<String> {
        let header = format!(r#"{{"input":"","encoding":"","rows":{rows},"columns":[{columns}],"checksums":[]}}"#);
        let mut reason = None;
        in_a_file(&forged(header.as_bytes(), body), |path| {
            let read = Dump::open(path).and_then(|dump| {
                dump.read(&(0..dump.fields().len()).collect::<Vec<_>>(), 0..dump.morsels()?, &Placed::default())
            });
            reason = read.err().map(|error| error.to_string());
        });
        reason
    }

    #[test]
    fn dumps_that_lie_are_refused() {
        let digits = r#"{"name":"a","kind":"Integer","dictionary":null,"low":0,"high":100000000,
            "storage":{"Digits":{"count":2,"base":0,"step":1}}}"#;
        assert_eq!(refused(9, digits, &[0xff, 0x0f]), None);
        assert!(refused(9, digits, &[0xff, 0x1f]).unwrap().contains("outside of its bounds"), "a digit of 13 bits");
        let text = |words: &str| {
            format!(
                r#"{{"name":"a","kind":"Text","dictionary":[{words}],"low":0,"high":0,
                "storage":{{"Codes":{{"width":"U8","base":0,"step":1}}}}}}"#
            )
        };
        assert_eq!(refused(9, &text(r#""word""#), &[]), None);
        assert_eq!(refused(0, &text(""), &[]), None);
        assert!(refused(9, &text(""), &[]).unwrap().contains("header"), "rows without a word");
        assert_eq!(refused(1_000_000, "", &[]), None);
        assert!(refused(u64::MAX, "", &[]).unwrap().contains("header"), "rows without an end");
    }
}
