//! A scan on four simulated sockets of 18 cores: what it costs to interleave its table, or to leave it on one node.
//!
//! Virtual time knows how far a byte is, and nothing of memory channels that are full: on a real machine one node has a
//! quarter of the channels, too.

use knee_machine::Topology;
use knee_runtime::{Arrangement, Costs, Layout, Neighbours, Pool, Rehearsal, Steal};

use crate::field::Bounds;
use crate::kind::Kind;
use crate::lanes::Isa;
use crate::plan::Plan;
use crate::run::Lies;
use crate::scan::Scan;
use crate::sql;
use crate::table::{Column, MORSEL, Placed, Storage, Table, Width};

const WORKERS: usize = 72;
/// Sixteen for each worker.
const MORSELS: usize = 16 * WORKERS;

fn pool(steal: Steal, strict: bool) -> Pool {
    let machine = Topology::from_synthetic("pack:4 [numa] l3:1 core:18 pu:1").unwrap();
    let cpus: Vec<u32> = (0..WORKERS as u32).collect();
    let builder = Pool::builder().workers(WORKERS).neighbours(Neighbours::on(&machine, &cpus)).steal(steal);
    builder.strict(strict).ignore_places(steal == Steal::Random).seed(7).rehearse(Costs::default()).build().unwrap()
}

/// A table of one column of bytes.
fn table(layout: Layout) -> Table {
    let storage = Storage::Codes { width: Width::U8, base: 0, step: 1 };
    let column = Column::new("a".into(), Kind::Integer, None, Bounds { low: 0, high: 255 }, storage);
    let arrangement = Arrangement::new(layout, &[0, 1, 2, 3]).huge(true).pretend(true);
    Table::write(vec![column], MORSELS * MORSEL, &Placed::new(arrangement, 1), &|_, _, _| ()).unwrap()
}

fn scanned(layout: Layout, steal: Steal, strict: bool) -> Rehearsal {
    let (pool, table) = (pool(steal, strict), table(layout));
    let plan = Plan::new(&sql::parse("select sum(a) from t").unwrap(), &table.fields()).unwrap();
    let scan = Scan::new(&plan, &table, Isa::Portable).unwrap();
    let found = pool.rehearse(|| scan.parallel(&pool, &Lies::AtHome)).1;
    assert_eq!(found.local_bytes + found.remote_bytes, (MORSELS * MORSEL) as u64);
    found
}

fn at_home(found: &Rehearsal) -> f64 {
    found.local_bytes as f64 / (found.local_bytes + found.remote_bytes) as f64
}

#[test]
fn blocks_are_read_at_home_and_other_layouts_cost_what_distance_costs() {
    let mut spans = Vec::new();
    for (name, layout, steal, strict) in [
        ("blocked, strict", Layout::Blocked, Steal::Near, true),
        ("blocked, near", Layout::Blocked, Steal::Near, false),
        ("blocked, random", Layout::Blocked, Steal::Random, false),
        ("interleaved, near", Layout::Interleaved, Steal::Near, false),
        ("one node, near", Layout::Node(0), Steal::Near, false),
        ("one node, strict", Layout::Node(0), Steal::Near, true),
    ] {
        let found = scanned(layout, steal, strict);
        println!("{name}: {:.4} at home, {} ns", at_home(&found), found.span_ns);
        spans.push((at_home(&found), found.span_ns as f64));
    }
    let [strict, near, random, interleaved, one, alone] = spans[..] else { unreachable!("there are six") };
    assert!(strict.0 >= 0.99 && near.0 >= 0.95, "{strict:?} {near:?}");
    assert!((0.2..0.35).contains(&interleaved.0) && random.0 < 0.5 && one.0 < 0.5, "{spans:?}");
    assert!(near.1 * 1.3 < interleaved.1 && near.1 * 1.3 < one.1, "distance costs nothing: {spans:?}");
    assert!(alone.0 > 0.99 && alone.1 > 3.0 * near.1, "18 workers do the work of 72: {spans:?}");
}
