//! A graph as a list of edges, Matrix Market, graph6 or NumPy's file, and the description of a random graph.

#![no_main]

use knee_mining::graph::{ChungLu, EdgeList, Graph, Planted, Rmat};
use libfuzzer_sys::fuzz_target;

/// The begin of a NumPy file, up to its shape. Its header is as long as with `1, 2)}`.
const ARRAY: &[u8] = b"\x93NUMPY\x01\x00\x39\x00{'descr': '<i2', 'fortran_order': False, 'shape': (";

fuzz_target!(|text: &[u8]| {
    let begins = [&b""[..], b"%%MatrixMarket matrix coordinate real ", b">>graph6<<", b"\x93NUMPY", ARRAY];
    for begin in begins {
        if let Ok(list) = EdgeList::parse(&[begin, text].concat()) {
            let graph = Graph::from_edges(&list);
            assert_eq!(graph.edges(), list.edges.len());
        }
    }
    let _ = std::str::from_utf8(text).map(|text| (Rmat::parse(text), ChungLu::parse(text), Planted::parse(text)));
});
