//! A machine as hwloc's synthetic description.

#![no_main]

use knee_machine::{Placement, Topology};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(machine) = Topology::from_synthetic(text) {
        let _ = "sockets-spread".parse::<Placement>().unwrap().order(&machine);
    }
});
