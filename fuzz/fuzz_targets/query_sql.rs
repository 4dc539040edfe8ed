//! A query in SQL: read, bound to tables in each encoding, and answered as by the plain loop.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| knee_query::fuzzing::sql(text));
