//! Data that knows where it lies.

pub(crate) mod regions;
