//! A Parquet file. The target makes its own examples, in the directory that `KNEE_EXAMPLES` names.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        if let Some(directory) = std::env::var_os("KNEE_EXAMPLES") {
            knee_query::fuzzing::write_parquet(Path::new(&directory)).expect("examples can be written");
        }
    },
    |bytes: &[u8]| knee_query::fuzzing::parquet(bytes)
);
