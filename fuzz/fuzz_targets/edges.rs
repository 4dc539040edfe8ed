//! A graph as a list of edges, Matrix Market, graph6 or NumPy's file, and the description of a random graph.

#![no_main]

use knee_mining::graph::{ChungLu, EdgeList, Graph, Planted, Rmat};
use libfuzzer_sys::fuzz_target;

/// The begin of a NumPy file, up to its shape. Its header is as long as with `1, 2)}`.
const ARRAY: &[u8] = b"\x93NUMPY\x01\x00\x39\x00{'descr': '<i2', 'fortran_order': False, 'shape': (";

/// A graph in METIS' adjacency form.
fn neighbours(list: &EdgeList) -> String {
    let mut lines = vec![String::new(); list.vertices];
    for &(a, b) in &list.edges {
        lines[a as usize] += &format!("{} ", b + 1);
        lines[b as usize] += &format!("{} ", a + 1);
    }
    format!("{} {}\n{}\n", list.vertices, list.edges.len(), lines.join("\n"))
}

fuzz_target!(|text: &[u8]| {
    let begins = [&b""[..], b"%%MatrixMarket matrix coordinate real ", b">>graph6<<", b"\x93NUMPY", ARRAY];
    for begin in begins {
        if let Ok(list) = EdgeList::parse(&[begin, text].concat()) {
            let graph = Graph::from_edges(&list);
            assert_eq!(graph.edges(), list.edges.len());
            if let Ok(read) = EdgeList::parse(neighbours(&list).as_bytes()) {
                assert_eq!(read.edges, list.edges, "METIS' form is refused, or is the same graph");
            }
        }
    }
    let _ = std::str::from_utf8(text).map(|text| (Rmat::parse(text), ChungLu::parse(text), Planted::parse(text)));
});
