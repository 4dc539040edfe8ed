//! The file of regions, which any program may write.

#![no_main]

use std::io::Cursor;

use knee_region::format::{HEAD_BYTES, SLOT_BYTES};
use knee_region::{blank, read};
use libfuzzer_sys::fuzz_target;

/// Bytes of the head that must be right; a file with others is refused.
const BEGINNING_BYTES: usize = 24;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(Cursor::new(bytes));
    let mut file = blank(&[]);
    file.resize(HEAD_BYTES + 8 * SLOT_BYTES, 0);
    // The input is a list of changes: an offset (two bytes), a length (one byte), and the new bytes.
    let mut changes = bytes;
    while let [low, high, length, rest @ ..] = changes {
        let (new, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        let places = &mut file[BEGINNING_BYTES..];
        let at = usize::from(u16::from_le_bytes([*low, *high])) % (places.len() - new.len());
        places[at..][..new.len()].copy_from_slice(new);
        changes = rest;
    }
    let _ = read(Cursor::new(&file));
});
