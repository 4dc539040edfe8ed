//! The file of regions, which programs of all kinds write.

#![no_main]

use std::io::Cursor;

use knee_region::format::{HEAD_BYTES, SLOT_BYTES};
use knee_region::{blank, read};
use libfuzzer_sys::fuzz_target;

/// What comes after it is checked by content.
const BEGINNING_BYTES: usize = 24;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(Cursor::new(bytes));
    let mut file = blank(&[]);
    file.resize(HEAD_BYTES + 8 * SLOT_BYTES, 0);
    // The input is a list of changes: where (two bytes), how many bytes, and these.
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
