//! The dump of a graph, of which no checksum is compared here.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| knee_mining::fuzzing::dump(bytes));
