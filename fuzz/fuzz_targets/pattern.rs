//! A pattern by name, as a list of edges with or without labels, or as graph6.

#![no_main]

use knee_mining::pattern::{Labelled, Pattern};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Labelled::parse(text);
    let _ = Pattern::parse(text);
});
