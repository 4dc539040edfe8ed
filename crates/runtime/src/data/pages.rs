//! Where the pages of an array lie.

/// One copy of an array, and the node of each of its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    begin: usize,
    /// Bytes of a page.
    page: usize,
    nodes: Vec<Option<u32>>,
}

impl Pages {
    pub(super) fn new(begin: usize, page: usize, nodes: Vec<Option<u32>>) -> Self {
        Self { begin, page, nodes }
    }

    /// The node of each page; none for those that were never touched.
    #[must_use]
    pub fn nodes(&self) -> &[Option<u32>] {
        &self.nodes
    }

    /// How many bytes of a part of this copy lie on a node; none for what is no part of it.
    #[must_use]
    pub fn bytes_on<T>(&self, node: u32, part: &[T]) -> Option<usize> {
        self.bytes(node, part.as_ptr() as usize, size_of_val(part))
    }

    fn bytes(&self, node: u32, address: usize, bytes: usize) -> Option<usize> {
        let (page, from) = (self.page, address.checked_sub(self.begin)?);
        let pages = from / page..(from + bytes).div_ceil(page);
        let on_page = |number: usize| (from + bytes).min((number + 1) * page) - from.max(number * page);
        let nodes = self.nodes.get(pages.clone())?;
        if let [only] = nodes {
            return Some(if *only == Some(node) { bytes } else { 0 });
        }
        Some(pages.zip(nodes).filter(|(_, lies)| **lies == Some(node)).map(|(number, _)| on_page(number)).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_page_by_page() {
        let pages = Pages::new(800, 100, vec![Some(0), Some(1), None, Some(0)]);
        assert_eq!(pages.bytes(0, 800, 12), Some(12));
        assert_eq!(pages.bytes(1, 892, 12), Some(4));
        assert_eq!(pages.bytes(0, 810, 390), Some(190));
        assert_eq!(pages.bytes(1, 1000, 12), Some(0));
        assert_eq!(pages.bytes(1, 850, 0), Some(0));
        assert_eq!(pages.bytes(1, 700, 12), None);
        assert_eq!(pages.bytes(1, 1190, 12), None);
        assert_eq!(pages.bytes(1, 1200, 12), None);
    }
}
