//! Lines that ask for parts of a count and lines that answer them, with the right checksums. The target makes its own
//! examples, in the directory that `KNEE_EXAMPLES` names.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        if let Some(directory) = std::env::var_os("KNEE_EXAMPLES") {
            knee_mining::fuzzing::write_parts(Path::new(&directory)).expect("examples can be written");
        }
    },
    |text: &str| knee_mining::fuzzing::parts(text)
);
