//! The dump of a table, with checksums as it has them and with the right ones.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| knee_query::fuzzing::dump(bytes));
