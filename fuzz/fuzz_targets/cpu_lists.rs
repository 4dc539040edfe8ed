//! Lists and masks of cpus, as the kernel, hwloc and users write them.

#![no_main]

use knee_machine::{CpuSet, cpuset};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(set) = text.parse::<CpuSet>() {
        assert_eq!(set.to_string().parse::<CpuSet>().unwrap(), set);
    }
    let _ = CpuSet::from_mask(text);
    if let Ok(set) = CpuSet::from_hwloc(text) {
        assert_eq!(CpuSet::from_hwloc(&set.to_hwloc()).unwrap(), set);
    }
    let _ = cpuset::parse_ordered(text);
});
