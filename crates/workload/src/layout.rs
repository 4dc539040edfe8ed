//! Page layouts of a workload's data; each workload supports some of them.

use crate::Param;

/// A word for where pages lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The word.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
}

/// All layouts. Nodes in use are those of the run's cpus.
pub const LAYOUTS: &[Layout] = &[
    Layout { name: "contiguous", meaning: "one piece; each page on the node of the thread that first writes it" },
    Layout { name: "interleaved", meaning: "pages round-robin over the nodes in use" },
    Layout { name: "blocked", meaning: "equal blocks, one per node in use" },
    Layout { name: "one-node", meaning: "all on the first of the nodes in use" },
    Layout { name: "replicated", meaning: "one copy per node in use; each thread reads the copy of its node" },
];

impl Layout {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| layout.name == name)
    }

    /// The parameter `layout` of a workload. Its words are from [`LAYOUTS`], the first is the default.
    #[must_use]
    pub const fn param(words: &'static [&'static str]) -> Param {
        Param::choice("layout", "page layout of the data", words[0], words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_meaning() {
        for (at, layout) in LAYOUTS.iter().enumerate() {
            assert!(LAYOUTS[at + 1..].iter().all(|other| other.name != layout.name), "{layout:?}");
            assert_eq!(Layout::named(layout.name), Some(layout));
        }
        assert_eq!(Layout::named("local"), None);
    }
}
