//! Edges in `NumPy`'s format `.npy`: a two-dimensional array of integers, of which each row is an edge.
//!
//! *A simple file format for `NumPy` arrays* (NEP 1): a magic text, the version, the length of a header, the header (a
//! dictionary in Python's notation), the values.

use rayon::prelude::*;

use crate::graph::EdgeList;

/// What such files begin with.
pub(super) const BEGIN: &[u8] = b"\x93NUMPY";

/// Number of edges that a file says it has, if it is as long as that.
pub(super) fn edges(file: &[u8]) -> u64 {
    Array::of(file).map_or(0, |array| array.rows as u64)
}

/// Reads a file.
pub(super) fn parse(file: &[u8]) -> Result<EdgeList, String> {
    let array = Array::of(file)?;
    if array.rows == 0 {
        return Err("it holds no edge".into());
    }
    let pairs = match array.value.bytes {
        1 => array.pairs::<1>(),
        2 => array.pairs::<2>(),
        4 => array.pairs::<4>(),
        _ => array.pairs::<8>(),
    };
    pairs.map(EdgeList::from_pairs)
}

/// Two columns of integers. There are as many bytes as they need.
struct Array<'a> {
    rows: usize,
    value: Value,
    by_columns: bool,
    bytes: &'a [u8],
}

/// How an integer is stored.
struct Value {
    /// 1, 2, 4 or 8.
    bytes: usize,
    signed: bool,
    big_endian: bool,
}

impl<'a> Array<'a> {
    fn of(file: &'a [u8]) -> Result<Self, String> {
        let cut = "it is cut off in its header";
        let (version, rest) = file.strip_prefix(BEGIN).and_then(|rest| rest.split_at_checked(2)).ok_or(cut)?;
        let digits = match version[0] {
            1 => 2,
            2 | 3 => 4,
            other => return Err(format!("it has version {other} of the format; knee reads 1 to 3")),
        };
        let (length, rest) = rest.split_at_checked(digits).ok_or(cut)?;
        let length = length.iter().rev().fold(0, |length, digit| length << 8 | usize::from(*digit));
        let (header, bytes) = rest.split_at_checked(length).ok_or(cut)?;
        let header = std::str::from_utf8(header).map_err(|_| "its header is not text")?;
        let value = Value::of(field(header, "descr")?)?;
        let by_columns = field(header, "fortran_order")?.starts_with("True");
        let rows = rows(field(header, "shape")?)?;
        let needed = rows as u128 * 2 * value.bytes as u128;
        if bytes.len() as u128 != needed {
            let have = bytes.len();
            return Err(format!("its values are {have} bytes instead of {needed}, as its {rows} rows need"));
        }
        Ok(Self { rows, value, by_columns, bytes })
    }

    /// The rows, whose values have `BYTES` bytes.
    fn pairs<const BYTES: usize>(&self) -> Result<Vec<(u64, u64)>, String> {
        let (next_row, next_column) = if self.by_columns { (BYTES, self.rows * BYTES) } else { (2 * BYTES, BYTES) };
        let (at, big_endian) = (|row, column| row * next_row + column * next_column, self.value.big_endian);
        let number = |at: usize| {
            let mut wide = [0; 8];
            wide[..BYTES].copy_from_slice(&self.bytes[at..at + BYTES]);
            if big_endian {
                wide[..BYTES].reverse();
            }
            u64::from_le_bytes(wide)
        };
        let pair = |row| (number(at(row, 0)), number(at(row, 1)));
        let rows = (0..self.rows).into_par_iter();
        if self.value.signed {
            let unused = 64 - 8 * BYTES;
            let number = |raw: u64| (raw << unused).cast_signed() >> unused;
            let negative = |row| <[u64; 2]>::from(pair(row)).into_iter().map(number).find(|number| *number < 0);
            if let Some((row, number)) = rows.clone().find_map_first(|row| negative(row).map(|number| (row, number))) {
                return Err(format!("row {row}, counted from 0: {number} is not a vertex number"));
            }
        }
        Ok(rows.map(pair).collect())
    }
}

impl Value {
    /// Reads `NumPy`'s name of it, such as `'<i8'`.
    fn of(field: &str) -> Result<Self, String> {
        let unusable = |name: &str| format!("its values are {name}; vertex numbers are integers of 1 to 8 bytes");
        let mut quoted = field.splitn(3, '\'');
        let (Some(""), Some(name), Some(_)) = (quoted.next(), quoted.next(), quoted.next()) else {
            return Err(unusable("records"));
        };
        let (big_endian, signed, bytes) = match name.as_bytes() {
            [b'|', kind, b'1'] => (false, kind, 1),
            [end @ (b'<' | b'>'), kind, bytes @ (b'1' | b'2' | b'4' | b'8')] => (*end == b'>', kind, bytes - b'0'),
            _ => return Err(unusable(&shown(name))),
        };
        let signed = match signed {
            b'i' => true,
            b'u' => false,
            _ => return Err(unusable(&shown(name))),
        };
        Ok(Self { bytes: bytes.into(), signed, big_endian })
    }
}

/// What follows a name in the header.
fn field<'a>(header: &'a str, name: &str) -> Result<&'a str, String> {
    let value = header.split_once(&format!("'{name}'")).and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    value.map(str::trim_start).ok_or_else(|| format!("its header has no '{name}'"))
}

/// The first of two numbers in brackets, if the second is 2.
fn rows(shape: &str) -> Result<usize, String> {
    let inner = shape.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(shape, |(inner, _)| inner);
    // Python 2 marked some numbers by an L.
    let number = |word: &str| word.trim().trim_end_matches('L').parse().ok();
    match inner.split(',').map(number).collect::<Vec<Option<usize>>>()[..] {
        [Some(rows), Some(2)] => Ok(rows),
        _ => Err(format!("its shape is ({}); edges are rows of two numbers, of shape (m, 2)", shown(inner))),
    }
}

/// At most 40 characters of a header, for an error.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as `numpy.save` writes it.
    fn file(descr: &str, order: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [BEGIN, &[1, 0], &length, header.as_bytes(), bytes].concat()
    }

    fn reason(file: &[u8]) -> String {
        assert_eq!(edges(file), Array::of(file).map_or(0, |array| array.rows as u64));
        parse(file).unwrap_err()
    }

    #[test]
    fn integers_of_every_size_in_either_order_are_edges() {
        // (7, 1), (1, 5), (5, 5)
        let (rows, columns) = ([7_u8, 1, 1, 5, 5, 5], [7_u8, 1, 5, 1, 5, 5]);
        for (bytes, kind, end) in [1, 2, 4, 8]
            .into_iter()
            .flat_map(|bytes| ["i", "u"].map(|kind| ["<", ">", "|"].map(|end| (bytes, kind, end))))
            .flatten()
        {
            if end == "|" && bytes > 1 {
                continue;
            }
            for (order, values) in [("False", rows), ("True", columns)] {
                let value = |value: u8| {
                    let mut wide = vec![0; bytes];
                    wide[if end == ">" { bytes - 1 } else { 0 }] = value;
                    wide
                };
                let values = values.map(value).concat();
                let file = file(&format!("'{end}{kind}{bytes}'"), order, "(3, 2)", &values);
                let list = parse(&file).unwrap();
                assert_eq!((list.names, list.edges, list.loops), (vec![1, 5, 7], vec![(0, 1), (0, 2)], 1));
                assert_eq!(edges(&file), 3);
            }
        }
    }

    #[test]
    fn every_version_is_read() {
        let header = "{'shape':(1L,2L),'fortran_order':False,'descr':'<u2'}";
        let length = u8::try_from(header.len()).unwrap();
        for (version, length) in [(1, &[length, 0][..]), (2, &[length, 0, 0, 0]), (3, &[length, 0, 0, 0])] {
            let file = [BEGIN, &[version, 0], length, header.as_bytes(), &[1, 1, 0, 1]].concat();
            assert_eq!(parse(&file).unwrap().names, [256, 257]);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (descr, shape, bytes, expected) in [
            ("'<f8'", "(1, 2)", 16, "its values are <f8; vertex numbers are integers of 1 to 8 bytes"),
            ("'|b1'", "(1, 2)", 2, "its values are |b1; vertex numbers are integers of 1 to 8 bytes"),
            ("'|i4'", "(1, 2)", 8, "its values are |i4; vertex numbers are integers of 1 to 8 bytes"),
            ("[('a', '<i4')]", "(1, 2)", 8, "its values are records; vertex numbers are integers of 1 to 8 bytes"),
            ("'<i4'", "(2,)", 8, "its shape is (2,); edges are rows of two numbers, of shape (m, 2)"),
            ("'<i4'", "(2, 3)", 24, "its shape is (2, 3); edges are rows of two numbers, of shape (m, 2)"),
            ("'<i4'", "()", 4, "its shape is (); edges are rows of two numbers, of shape (m, 2)"),
            ("'<i4'", "(-1, 2)", 8, "its shape is (-1, 2); edges are rows of two numbers, of shape (m, 2)"),
            ("'<i4'", "(2, 2)", 15, "its values are 15 bytes instead of 16, as its 2 rows need"),
            ("'<i4'", "(2, 2)", 17, "its values are 17 bytes instead of 16, as its 2 rows need"),
            (
                "'<i8'",
                "(18446744073709551615, 2)",
                16,
                "its values are 16 bytes instead of 295147905179352825840, as its 18446744073709551615 rows need",
            ),
            ("'<i4'", "(0, 2)", 0, "it holds no edge"),
        ] {
            assert_eq!(reason(&file(descr, "False", shape, &vec![0; bytes])), expected);
        }
        let negative = file("'<i2'", "False", "(2, 2)", &[1, 0, 2, 0, 3, 0, 0xfe, 0xff]);
        assert_eq!(reason(&negative), "row 1, counted from 0: -2 is not a vertex number");
        for (header, expected) in [
            (&b"\x93NUMPY"[..], "it is cut off in its header"),
            (b"\x93NUMPY\x01\x00\xff", "it is cut off in its header"),
            (b"\x93NUMPY\x01\x00\x02\x00{", "it is cut off in its header"),
            (b"\x93NUMPY\x04\x00", "it has version 4 of the format; knee reads 1 to 3"),
            (b"\x93NUMPY\x01\x00\x02\x00{}", "its header has no 'descr'"),
            (b"\x93NUMPY\x01\x00\x02\x00\xff\xff", "its header is not text"),
        ] {
            assert_eq!(reason(header), expected);
        }
    }
}
