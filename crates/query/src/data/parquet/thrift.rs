//! Thrift's compact protocol, as far as it takes to see that a structure is one.
//!
//! The parquet crate passes over lists that it does not know. Where their elements are booleans it needs no bytes for that,
//! so that nine bytes which claim 2^31 of them keep it busy for seconds. Footers and headers of pages have no such lists.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Deepest nesting, as in the crate.
const DEPTH: usize = 64;
/// What a file ends with: the length of its footer, and this.
const MAGIC: &[u8; 4] = b"PAR1";

/// The footer of a file of this size; none if it is no Parquet file at all.
pub(super) fn footer(file: &File, size: u64) -> io::Result<Option<Vec<u8>>> {
    let mut end = [0; 8];
    let Some(before) = size.checked_sub(end.len() as u64) else { return Ok(None) };
    file.read_exact_at(&mut end, before)?;
    let [length @ .., _, _, _, _] = end;
    let length = u32::from_le_bytes(length);
    match before.checked_sub(length.into()) {
        Some(begin) if end.ends_with(MAGIC) => {
            let mut footer = vec![0; length as usize];
            file.read_exact_at(&mut footer, begin)?;
            Ok(Some(footer))
        }
        _ => Ok(None),
    }
}

/// Whether bytes begin with a structure.
pub(super) fn is_structure(bytes: &[u8]) -> bool {
    structure(bytes, DEPTH).is_some()
}

/// Whether the structure that bytes begin with has a field of this number.
pub(super) fn has_field(bytes: &[u8], number: u64) -> bool {
    found(bytes, number).unwrap_or(false)
}

fn found(mut bytes: &[u8], wanted: u64) -> Option<bool> {
    let mut last = 0;
    loop {
        let (&field, rest) = bytes.split_first()?;
        let (difference, kind) = (field >> 4, field & 0x0f);
        if kind == 0 {
            return Some(false);
        }
        (last, bytes) = if difference == 0 {
            // Its lowest bit is the sign, which no field has.
            let (own, rest) = number(rest)?;
            (own >> 1, rest)
        } else {
            (last + u64::from(difference), rest)
        };
        if last == wanted {
            return Some(true);
        }
        bytes = value(kind, bytes, DEPTH)?;
    }
}

/// What follows a structure; none if it is not whole.
fn structure(mut bytes: &[u8], depth: usize) -> Option<&[u8]> {
    loop {
        let (&field, rest) = bytes.split_first()?;
        // The difference to the last field's number, or nothing and then the number in full.
        let (difference, kind) = (field >> 4, field & 0x0f);
        if kind == 0 {
            return Some(rest);
        }
        bytes = if difference == 0 { number(rest)?.1 } else { rest };
        bytes = value(kind, bytes, depth)?;
    }
}

fn value(kind: u8, bytes: &[u8], depth: usize) -> Option<&[u8]> {
    match kind {
        // A boolean is its own kind.
        1 | 2 => Some(bytes),
        3 => bytes.get(1..),
        4..=6 => Some(number(bytes)?.1),
        7 => bytes.get(8..),
        8 => {
            let (length, rest) = number(bytes)?;
            rest.get(usize::try_from(length).ok()?..)
        }
        9 | 10 => {
            let (&header, rest) = bytes.split_first()?;
            let (count, rest) = if header >> 4 == 15 { number(rest)? } else { ((header >> 4).into(), rest) };
            elements(count, &[header & 0x0f], rest, depth)
        }
        11 => match number(bytes)? {
            (0, rest) => Some(rest),
            (count, rest) => {
                let (&kinds, rest) = rest.split_first()?;
                elements(count, &[kinds >> 4, kinds & 0x0f], rest, depth)
            }
        },
        12 => structure(bytes, depth.checked_sub(1)?),
        13 => bytes.get(16..),
        _ => None,
    }
}

/// What follows so many elements, each of which has values of these kinds.
fn elements<'a>(count: u64, kinds: &[u8], mut bytes: &'a [u8], depth: usize) -> Option<&'a [u8]> {
    let depth = depth.checked_sub(1)?;
    if count > 0 && kinds.iter().all(|kind| matches!(kind, 1 | 2)) {
        return None;
    }
    for _ in 0..count {
        for kind in kinds {
            bytes = value(*kind, bytes, depth)?;
        }
    }
    Some(bytes)
}

/// A number, seven bits in each byte, the lowest first; and what follows it.
pub(super) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)? + 1;
    let (digits, rest) = bytes.split_at(length);
    Some((digits.iter().rev().fold(0, |number, digit| number << 7 | u64::from(digit & 0x7f)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_whole_and_have_no_lists_of_booleans() {
        // Two numbers, a text, a list of two structures, of which one has a field with its number in full, and a map.
        let whole = [
            0x15, 0x80, 0x01, 0x16, 0x02, 0x18, 2, b'a', b'b', 0x19, 0x2c, 0x00, 0x07, 0x14, 1, 2, 3, 4, 5, 6, 7, 8,
            0x00, 0x1b, 1, 0x81, 1, b'k', 0x00,
        ];
        assert!(is_structure(&whole));
        for end in 0..whole.len() {
            assert!(!is_structure(&whole[..end]), "{end} bytes");
        }
        assert!(is_structure(&[0x19, 0x02, 0x00]), "an empty list");
        assert!(!is_structure(&[0x19, 0x12, 0x00]), "a list of one boolean");
        assert!(!is_structure(&[0x19, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00]), "a list of many booleans");
        assert!(!is_structure(&[0x1b, 0x05, 0x12, 0x00]), "a map of booleans");
        assert!(!is_structure(&[0x1c; 99]), "too deep");
        assert!(!is_structure(&[0x19; 199]), "too deep");
    }
}
