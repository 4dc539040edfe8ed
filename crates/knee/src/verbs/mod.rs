//! The native verbs, one file each.

pub(crate) mod doctor;
pub(crate) mod drawing;
pub(crate) mod generate;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod mine;
pub(crate) mod place;
pub(crate) mod siblings;
pub(crate) mod workloads;
