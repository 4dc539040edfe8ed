//! Arrays of kernels, laid out over the machine's nodes as the argument `layout` says.

use knee_workload::{Args, Error, Param};

use crate::crew::Fork;

/// Where the pages of a kernel's arrays are.
pub(crate) const LAYOUT: Param = Param {
    name: "layout",
    summary: "where the pages of arrays are: on the node of who filled them, one by one over all nodes, or in one block a node",
    default: Some("contiguous"),
    values: &["contiguous"],
    positional: false,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Contiguous,
}

impl Layout {
    pub(crate) fn of(args: &Args) -> Result<Self, Error> {
        match args.text(LAYOUT.name) {
            "contiguous" => Ok(Self::Contiguous),
            other => Err(Error::new(format!("unknown layout: {other}"))),
        }
    }

    /// An array whose element `i` is `value(i)`, written by the crew.
    pub(crate) fn array<F: Fork, T: Copy + Default + Send + Sync>(
        self,
        len: usize,
        value: impl Fn(usize) -> T + Sync,
    ) -> Data<T> {
        let mut data = Data(vec![T::default(); len]);
        fill::<F, T>(&mut data.0, 0, &value);
        data
    }
}

fn fill<F: Fork, T: Send>(part: &mut [T], from: usize, value: &(impl Fn(usize) -> T + Sync)) {
    if part.len() <= 4096 {
        return part.iter_mut().zip(from..).for_each(|(slot, index)| *slot = value(index));
    }
    let middle = part.len() / 2;
    let (left, right) = part.split_at_mut(middle);
    let near = (left.as_ptr(), right.as_ptr());
    F::join_near(near.0, || fill::<F, T>(left, from, value), near.1, || fill::<F, T>(right, from + middle, value));
}

/// An array in its place.
pub(crate) struct Data<T>(Vec<T>);

impl<T> std::ops::Deref for Data<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Data<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
