//! A number for each vertex of a graph, zero for most, kept by a worker from task to task.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::Scheduler;
use crate::matching::reads::View;
use crate::matching::{Readers, vertex};

/// Fewest vertices in one task.
const VERTICES_PER_TASK: usize = 16;
/// Most tasks.
const TASKS: usize = 4096;

/// The numbers, and the vertices whose number is not zero.
pub(in crate::matching) struct Marks {
    pub numbers: Vec<u32>,
    pub touched: Vec<u32>,
    hits: Vec<u32>,
    /// Room for bitmaps.
    pub rows: Vec<u64>,
}

impl Marks {
    /// Makes all zero.
    pub(in crate::matching) fn wipe(&mut self) {
        for vertex in self.touched.drain(..) {
            self.numbers[vertex as usize] = 0;
        }
    }

    /// Notes the position of each vertex of a list, from 1.
    pub(in crate::matching) fn number(&mut self, list: &[u32]) {
        for (position, &vertex) in (1..).zip(list) {
            self.numbers[vertex as usize] = position;
        }
        self.touched.extend_from_slice(list);
    }

    /// The numbers of those in a list that have one.
    pub(in crate::matching) fn hits(&mut self, list: &[u32]) -> &[u32] {
        self.hits.resize(self.hits.len().max(list.len()), 0);
        let end = numbered(&self.numbers, list, &mut self.hits);
        &self.hits[..end]
    }

    /// How many in a list have a number.
    pub(in crate::matching) fn count(&self, list: &[u32]) -> u64 {
        list.iter().filter(|vertex| self.numbers[**vertex as usize] != 0).count() as u64
    }
}

/// Writes the numbers of those in a list that have one; how many these are. Compiled by itself, its loop needs few
/// registers: as a part of a larger function it took a sixth longer.
#[inline(never)]
fn numbered(numbers: &[u32], list: &[u32], hits: &mut [u32]) -> usize {
    let mut end = 0;
    // Writes each, and goes on only behind those that have a number: which do, no predictor knows.
    for &vertex in list {
        let number = numbers[vertex as usize];
        hits[end] = number;
        end += usize::from(number != 0);
    }
    end
}

/// Adds up what `of` returns for each vertex, those of high degree first: they take longest. Marks are wiped between
/// two vertices.
pub(in crate::matching) fn sum<R: Send>(
    readers: &Readers<'_>,
    scheduler: &Scheduler,
    zero: impl Fn() -> R + Sync,
    of: impl Fn(View<'_>, u32, &mut Marks) -> R + Sync,
    plus: impl Fn(R, R) -> R + Sync,
) -> R {
    let vertices = readers.graph().vertices;
    let own: Vec<Mutex<Option<Marks>>> = (0..scheduler.workers()).map(|_| Mutex::new(None)).collect();
    let per_task = VERTICES_PER_TASK.max(vertices / TASKS);
    let share = readers.share();
    let task = |number: usize, worker: usize| {
        let number = share.number(number);
        // Never held by two: a worker runs one task at a time. Where one found a number that is too large, nothing
        // of what follows counts.
        let mut own = own[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let empty = || Marks { numbers: vec![0; vertices], touched: Vec::new(), hits: Vec::new(), rows: Vec::new() };
        let marks = own.get_or_insert_with(empty);
        let view = readers.view(worker);
        let each = |at: usize| {
            let result = of(view, vertex(at), marks);
            marks.wipe();
            result
        };
        downward(vertices, number, per_task).rev().map(each).fold(zero(), &plus)
    };
    scheduler.sum(share.of(vertices.div_ceil(per_task)), task, &plus).unwrap_or_else(zero)
}

/// The vertices of a task: the first one has the highest.
fn downward(vertices: usize, number: usize, per_task: usize) -> Range<usize> {
    let end = vertices - number * per_task;
    end.saturating_sub(per_task)..end
}
