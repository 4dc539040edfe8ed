//! Chains of rayon's parallel iterators on a pool of this crate.
//!
//! rayon's adaptors are plain data until something drives them, and what drives an indexed chain splits a *producer* and
//! joins the halves. [`OnKnee::on_knee`] does that with this crate's join; rayon's own pool is never started.

use rayon::iter::plumbing::{Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::worker::Worker;

/// Gives rayon's indexed parallel iterators a way onto the pool that the calling task runs on.
pub trait OnKnee: IndexedParallelIterator {
    /// The same items, driven by this crate. Write it last, before what consumes them (`for_each`, `sum`, `collect`), or
    /// before `map`, `filter` and others that take items one by one: adaptors that need positions (`zip`, `enumerate`,
    /// `chunks`, `rev`) would drive the chain by rayon again.
    ///
    /// ```
    /// use knee_runtime::OnKnee;
    /// use rayon::prelude::*;
    ///
    /// let squares: Vec<u32> = (0..1000_u32).into_par_iter().map(|n| n * n).on_knee().collect();
    /// assert_eq!(squares[30], 900);
    /// ```
    fn on_knee(self) -> Driven<Self> {
        Driven(self)
    }
}

impl<I: IndexedParallelIterator> OnKnee for I {}

/// A chain that this crate drives; see [`OnKnee`].
#[derive(Debug, Clone)]
pub struct Driven<I>(I);

impl<I: IndexedParallelIterator> ParallelIterator for Driven<I> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Driven<I> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        let len = self.0.len();
        self.0.with_producer(Drive { len, consumer })
    }

    fn with_producer<B: ProducerCallback<Self::Item>>(self, callback: B) -> B::Output {
        self.0.with_producer(callback)
    }
}

struct Drive<C> {
    len: usize,
    consumer: C,
}

/// How long the parts of a chain are.
#[derive(Debug, Clone, Copy)]
struct Parts {
    /// Longer ones are halved,
    most: usize,
    /// but not where a half would be shorter than this.
    least: usize,
}

impl<T, C: Consumer<T>> ProducerCallback<T> for Drive<C> {
    type Output = C::Result;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> C::Result {
        // Small enough that no worker waits long for the last parts, as far as the chain allows.
        let workers = Worker::current().map_or_else(|| crate::global().workers(), |worker| worker.pool().workers.len());
        let most = (self.len / (16 * workers)).clamp(1, producer.max_len().max(1));
        let parts = Parts { most, least: producer.min_len().max(1) };
        drive(self.len, parts, producer, self.consumer)
    }
}

fn drive<P: Producer, C: Consumer<P::Item>>(len: usize, parts: Parts, producer: P, consumer: C) -> C::Result {
    if consumer.full() {
        return consumer.into_folder().complete();
    }
    let middle = len / 2;
    if len <= parts.most || middle < parts.least {
        return producer.fold_with(consumer.into_folder()).complete();
    }
    let (left, right) = producer.split_at(middle);
    let (left_consumer, right_consumer, reducer) = consumer.split_at(middle);
    let (left, right) =
        crate::join(|| drive(middle, parts, left, left_consumer), || drive(len - middle, parts, right, right_consumer));
    reducer.reduce(left, right)
}
