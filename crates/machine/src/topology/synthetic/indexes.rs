//! How `indexes=` numbers the objects of a level.

use super::Counted;
use super::text::kind;
use crate::{CpuSet, cpuset};

/// Number of each object of a level, in the order of the tree.
pub(super) fn numbers(one: &Counted<'_>, all: &[Counted<'_>]) -> Result<Vec<u32>, String> {
    let total = one.total;
    let Some(order) = &one.level.indexes else { return Ok((0..).take(total).collect()) };
    let found: Vec<u32> = if order.contains('*') || order.contains(':') || order.starts_with(char::is_alphabetic) {
        stepped(&steps(order, total, all)?, total)
    } else {
        cpuset::parse_ordered(order).map_err(|error| error.to_string())?
    };
    let distinct: CpuSet = found.iter().copied().collect();
    if found.len() != total || distinct.len() != total {
        return Err(format!("indexes='{order}' does not number {total} objects"));
    }
    Ok(found)
}

/// `(distance between objects, number of objects)` of each loop, the fastest-running one first.
fn steps(order: &str, total: usize, all: &[Counted<'_>]) -> Result<Vec<(usize, usize)>, String> {
    let wrong = |part: &str| format!("indexes: '{part}' is neither STEP*NUMBER nor a type");
    let written = |part: &str| {
        let (step, number) = part.split_once('*')?;
        Some((step.parse().ok().filter(|&n| n > 0)?, number.parse().ok().filter(|&n| n > 0)?))
    };
    let width = |part: &str| -> Result<usize, String> {
        let kind = kind(part)?;
        all.iter().find(|one| one.level.kind == kind).map(|one| one.total).ok_or_else(|| wrong(part))
    };
    let parts: Vec<&str> = order.split(':').collect();
    let mut steps: Vec<(usize, usize)> = if order.contains('*') {
        parts.iter().map(|part| written(part).ok_or_else(|| wrong(part))).collect::<Result<_, _>>()?
    } else {
        let widths = parts.iter().map(|part| width(part)).collect::<Result<Vec<_>, _>>()?;
        // A loop runs over the objects of its level inside one object of the next outer level that is named.
        let outer = |own: usize| widths.iter().copied().filter(|&other| other < own).max().unwrap_or(1);
        widths.iter().map(|&own| ((total / own.max(1)).max(1), (own / outer(own)).max(1))).collect()
    };
    // Levels without a loop run slowest, over neighbours.
    let covered: usize = steps.iter().map(|(_, number)| *number).fold(1, usize::saturating_mul);
    if covered < total && total.is_multiple_of(covered) {
        steps.push((1, total / covered));
    }
    Ok(steps)
}

/// Number of each position: its digits in the loops, the first loop's digit being the lowest.
fn stepped(steps: &[(usize, usize)], total: usize) -> Vec<u32> {
    let number = |position: usize| {
        let digits = steps.iter().scan(1_usize, |weight, (step, number)| {
            let digit = position / step % number * *weight;
            *weight = weight.saturating_mul(*number);
            Some(digit)
        });
        u32::try_from(digits.sum::<usize>()).unwrap_or(u32::MAX)
    };
    (0..total).map(number).collect()
}
