//! A user's own table of events.

#![no_main]

use knee_meter::events::Table;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Table::parse(text, "mine.toml");
});
