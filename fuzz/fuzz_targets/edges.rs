//! A graph as a list of edges, and the description of a random graph.

#![no_main]

use knee_mining::graph::{EdgeList, Graph, Rmat};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Ok(list) = EdgeList::parse(text) {
        let graph = Graph::from_edges(&list);
        assert_eq!(graph.edges(), list.edges.len());
    }
    let _ = std::str::from_utf8(text).map(Rmat::parse);
});
