//! Sets of cpus as a containment tree.

use crate::CpuSet;

/// A set with what it stands for and the sets inside it.
#[derive(Debug, Clone)]
pub(crate) struct Nested<T> {
    pub(crate) cpus: CpuSet,
    pub(crate) item: T,
    pub(crate) children: Vec<Nested<T>>,
}

impl<T> Nested<T> {
    /// Puts every set into the smallest one that contains it; of equal sets the earlier one is outside. A set that
    /// crosses another (which no real machine has) is left out, so that the tree is a tree.
    pub(crate) fn new(cpus: CpuSet, item: T, sets: Vec<(CpuSet, T)>) -> Self {
        let mut root = Self { cpus, item, children: Vec::new() };
        let mut sets: Vec<_> = sets.into_iter().filter(|(cpus, _)| !cpus.is_empty()).collect();
        sets.sort_by_key(|(cpus, _)| std::cmp::Reverse(cpus.len()));
        for (cpus, item) in sets {
            root.insert(cpus, item);
        }
        root.sort();
        root
    }

    fn insert(&mut self, cpus: CpuSet, item: T) {
        let first = cpus.first().expect("empty sets were left out");
        match self.children.iter().position(|child| child.cpus.contains(first)) {
            Some(at) if cpus.is_subset(&self.children[at].cpus) => self.children[at].insert(cpus, item),
            None if self.children.iter().all(|child| child.cpus.intersection(&cpus).is_empty()) => {
                self.children.push(Self { cpus, item, children: Vec::new() });
            }
            _ => {}
        }
    }

    fn sort(&mut self) {
        self.children.sort_by_key(|child| child.cpus.first());
        for child in &mut self.children {
            child.sort();
        }
    }
}
