//! Event counts of a program's threads in its regions.

use std::collections::BTreeMap;

use knee_meter::perf::{Counted, Marks, Raw};
use knee_region::{Reading, Use};

/// What its threads counted in a region, as counters of a phase, and notes about them. A name that one of the threads
/// could not count has no value.
pub(super) fn counted(region: &str, uses: &[&Use], marks: &Marks) -> (Vec<(String, u64)>, Vec<String>) {
    let mut sums: BTreeMap<String, Result<Counted, String>> = BTreeMap::new();
    for one in uses.iter().filter(|one| one.calls > 0) {
        let raw = |Reading { count, enabled_ns, running_ns }| Raw { count, enabled_ns, running_ns };
        for (name, more) in marks.sums(&one.counts.map(raw)) {
            let sum = sums.entry(format!("thread_{name}")).or_insert(Ok(Counted { value: 0.0, share: None }));
            *sum = match (&*sum, more) {
                (Ok(sum), Ok(more)) => Ok(together(*sum, more)),
                (Err(reason), _) => Err(reason.clone()),
                (_, Err(reason)) => Err(reason),
            };
        }
    }
    let (mut values, mut unsure) = (Vec::new(), Vec::new());
    for (name, sum) in sums {
        match sum {
            Ok(Counted { value, share }) => {
                unsure.extend(share.map(|share| {
                    let percent = 100.0 * share;
                    format!("region {region}: {name} is scaled up: counted for {percent:.0} % of its time at least")
                }));
                values.push((name, whole(value)));
            }
            Err(reason) => unsure.push(format!("region {region}: {name}: {reason}")),
        }
    }
    (values, unsure)
}

fn together(one: Counted, other: Counted) -> Counted {
    let share = one.share.into_iter().chain(other.share).reduce(f64::min);
    Counted { value: one.value + other.value, share }
}

/// The nearest whole number of events.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count is not negative; the cast saturates"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}
