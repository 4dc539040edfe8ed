//! What is computed on: a tree, and numbers.

/// A node of a binary tree that has two children or none.
pub struct Node {
    /// Its part of the sum.
    pub value: u64,
    /// Both children.
    pub children: Option<(Box<Node>, Box<Node>)>,
}

impl Node {
    /// A tree of so many levels, each node worth 1.
    ///
    /// A level lies in memory as one run, so that left first and right first walk equally well. (Made by recursion, with
    /// parents after their children, the tree is five times slower from the left than from the right, and a comparison
    /// of runtimes would tell which closure each of them runs first.)
    #[must_use]
    pub fn balanced(levels: u32) -> Box<Self> {
        let mut level: Vec<_> =
            (1..1_u64 << levels).step_by(2).map(|_| Box::new(Self { value: 1, children: None })).collect();
        while level.len() > 1 {
            let mut nodes = level.into_iter();
            level = vec![];
            while let Some(children) = nodes.next().zip(nodes.next()) {
                level.push(Box::new(Self { value: 1, children: Some(children) }));
            }
        }
        level.pop().expect("a tree of at least one level")
    }
}

/// So many ones: their sum is exact in any order.
#[must_use]
pub fn numbers(count: usize) -> Vec<f64> {
    vec![1.0; count]
}

/// The sum of a slice in sixteen lanes, which the order of a plain loop would forbid.
#[must_use]
pub fn add_up(numbers: &[f64]) -> f64 {
    let mut lanes = [0.0; 16];
    let (whole, rest) = numbers.as_chunks::<16>();
    for chunk in whole {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().sum::<f64>()
}
