//! The file of regions, which programs of all kinds write.

#![no_main]

use std::io::Cursor;

use knee_region::{blank, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut file = blank(&[]);
    // Past its beginning, which is either right or refused.
    file.truncate(24);
    file.extend_from_slice(bytes);
    let _ = read(Cursor::new(&file));
    let _ = read(Cursor::new(bytes));
});
