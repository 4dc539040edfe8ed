//! A machine as hwloc's XML.

#![no_main]

use knee_machine::{Placement, Topology};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(machine) = Topology::from_hwloc_xml(text, "machine.xml") {
        let _ = "cores-close".parse::<Placement>().unwrap().order(&machine);
    }
});
