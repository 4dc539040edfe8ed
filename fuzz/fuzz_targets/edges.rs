//! A graph as a list of edges, Matrix Market or graph6, and the description of a random graph.

#![no_main]

use knee_mining::graph::{ChungLu, EdgeList, Graph, Rmat};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    for begin in ["", "%%MatrixMarket matrix coordinate real ", ">>graph6<<"] {
        if let Ok(list) = EdgeList::parse(&[begin.as_bytes(), text].concat()) {
            let graph = Graph::from_edges(&list);
            assert_eq!(graph.edges(), list.edges.len());
        }
    }
    let _ = std::str::from_utf8(text).map(|text| (Rmat::parse(text), ChungLu::parse(text)));
});
