//! Scan queries over one table, in SQL, at the speed of memory.
//!
//! A [`Table`] holds encoded columns in morsels that lie on nodes; a query is SQL text, bound to a table as a
//! [`Plan`]; a scan answers it in blocks of lanes. Sums of decimals are exact. The essays stand with the
//! rooms: `table` (how values are stored), `scan` (how shapes of expressions choose their kernels), `lanes` (instruction
//! sets).

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "codes and lanes are cut out of wider numbers; the bounds of columns say that nothing is lost"
)]

mod ahead;
mod answer;
mod data;
mod dump;
mod error;
mod field;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod kind;
mod known;
mod lanes;
mod load;
pub mod oracle;
pub mod parts;
mod plan;
#[cfg(test)]
mod rehearsals;
mod run;
mod scan;
pub mod sql;
mod stream;
mod table;
mod workload;

use knee_workload::Workload;

pub use answer::{Answer, Format};
pub use field::Field;
pub use kind::{Exact, Kind, Value};
pub use lanes::Isa;
pub use plan::Plan;
pub use stream::at_once;
pub use table::{Encoding, Table};

/// Every workload of this crate.
pub const WORKLOADS: &[&dyn Workload] = &[&workload::Query];
