//! A placement with its qualifiers, and a memory policy.

#![no_main]

use std::sync::LazyLock;

use knee_machine::{MemoryPolicy, Placement, Topology};
use libfuzzer_sys::fuzz_target;

static MACHINE: LazyLock<Topology> =
    LazyLock::new(|| Topology::from_synthetic("pack:2 numa:1 l3:2 core:4 pu:2").unwrap());

fuzz_target!(|text: &str| {
    if let Ok(placement) = text.parse::<Placement>() {
        assert_eq!(placement.to_string().parse::<Placement>().unwrap(), placement);
        for threads in [1, 7, usize::MAX] {
            let _ = placement.cpus(&MACHINE, threads);
        }
    }
    let _ = text.parse::<MemoryPolicy>();
});
