//! Names of counters.

#![no_main]

use knee_meter::perf::{Request, split};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for name in split(text) {
        let _ = Request::parse(&name);
    }
});
