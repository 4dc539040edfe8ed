//! A file of labels, and what is counted by each of them.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| knee_mining::fuzzing::labels(text));
