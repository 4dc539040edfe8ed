//! A dump: the encoded columns of a whole table in a file, so that the next start neither decodes nor encodes.
//!
//! ```text
//! magic  version  length of the header  header (JSON)  checksum of the header      padded to 4096 bytes
//! morsel 0: piece of column 0, piece of column 1, ...                              each padded to 64 bytes
//! morsel 1: ...
//! ```
//!
//! Pieces stand in the file as in memory, so that each worker reads its own morsels into placed memory; a mapped file
//! could not be placed. The header holds what the dump is of, and a checksum (xxh3) of each piece. Codes are compared with
//! the bounds of their columns as well, and digits with theirs, since sums are exact only inside of those.

#[cfg(any(test, fuzzing))]
mod forged;
mod header;
mod read;
mod write;

#[cfg(any(test, fuzzing))]
pub(crate) use forged::forged;
pub(crate) use read::Dump;
pub(crate) use write::write;

/// The first bytes of a dump.
const MAGIC: &[u8; 8] = b"kneetabl";
/// The version of all that follows, and of the rules by which sources are read: what an older one kept may be refused now.
pub(crate) const VERSION: u32 = 2;
/// Bytes in front of the header.
const FRONT: usize = 8 + 4 + 8;
/// Pieces begin at a multiple of this.
const PAGE: u64 = 4096;
/// Largest header that is read.
const LONGEST: u64 = 256 << 20;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::field::Field;
    use crate::kind::Kind;
    use crate::table::{self, Chunk, Columns, Encoding, MORSEL, Placed, Table};

    fn table(encoding: Encoding) -> Table {
        let field = |(name, kind): (&str, Kind)| Field { name: name.into(), kind, dictionary: None };
        let fields = [("wide", Kind::Decimal(2)), ("word", Kind::Text), ("half", Kind::Double)].map(field);
        let rows = MORSEL + 5;
        let words = ["b", "a"].map(str::to_owned).to_vec();
        let columns = vec![
            Columns::Numbers((0..rows as i64).map(|row| row * 77_777 % 999_983 - 300).collect()),
            Columns::Texts((0..rows as u32).map(|row| row % 2).collect(), words),
            Columns::Doubles((0..rows).map(|row| row as f64 / 2.0).collect()),
        ];
        table::build(&fields, vec![Chunk::new(rows, columns)], encoding, &Placed::default()).unwrap()
    }

    #[test]
    fn what_was_written_is_read_and_a_changed_byte_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        for encoding in [Encoding::Plain, Encoding::Narrow, Encoding::Split] {
            let (table, path) = (table(encoding), folder.path().join("t.knee"));
            write(&table, "a test", "any", &path).unwrap();
            let dump = Dump::open(&path).unwrap();
            assert_eq!((dump.input(), dump.encoding(), dump.rows()), ("a test", "any", table.rows() as u64));
            let back = dump.read(&[2, 0], 0..2, &Placed::default()).unwrap();
            for row in [0, 1, 65_535] {
                assert_eq!(back.morsel(0).number(1, row), table.morsel(0).number(0, row), "{encoding:?}");
                assert_eq!(back.morsel(0).double(0, row).to_bits(), table.morsel(0).double(2, row).to_bits());
            }
            assert_eq!(back.morsel(1).number(1, 4), table.morsel(1).number(0, 4));
            let last = dump.read(&[0], 1..9, &Placed::default()).unwrap();
            assert_eq!((last.rows(), last.morsel(0).number(0, 4)), (5, table.morsel(1).number(0, 4)), "{encoding:?}");
            let whole = fs::read(&path).unwrap();
            // In the magic, the version, the header, and a piece.
            for at in [0, 9, 40, whole.len() - 10] {
                let mut changed = whole.clone();
                changed[at] ^= 1;
                fs::write(&path, changed).unwrap();
                let read = Dump::open(&path).and_then(|dump| dump.read(&[0, 1, 2], 0..2, &Placed::default()));
                assert!(read.is_err(), "{encoding:?}: byte {at}");
            }
            fs::write(&path, &whole[..whole.len() - 1]).unwrap();
            assert!(Dump::open(&path).is_err(), "{encoding:?}: cut short");
        }
    }
}
