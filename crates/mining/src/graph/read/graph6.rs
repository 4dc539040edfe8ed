//! One graph as graph6: its number of vertices, and the upper triangle of its matrix column by column, six bits a byte, as
//! `nauty` and networkx write it (B. `McKay`, *Description of graph6, sparse6 and digraph6 encodings*).

use crate::graph::EdgeList;

/// The header, by which such files are known.
pub(super) const BEGIN: &[u8] = b">>graph6<<";

/// Most edges that a text has.
pub(super) fn most_edges(code: &[u8]) -> u64 {
    code.iter().map(|byte| u64::from(byte.wrapping_sub(63).count_ones())).sum()
}

/// Reads the graph behind the header.
pub(super) fn parse(code: &[u8]) -> Result<EdgeList, String> {
    let mut graphs = code.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let graph = graphs.next().ok_or("it holds no graph")?;
    if graphs.next().is_some() {
        return Err("it holds several graphs; write one to a file of its own".into());
    }
    if !graph.iter().all(|byte| (63..127).contains(byte)) {
        return Err("it is not graph6: its bytes are from ? to ~".into());
    }
    // One, three, or six bytes for the number of vertices, the longer ones behind a byte or two of ones.
    let (digits, rest) = match graph {
        [b'~', b'~', rest @ ..] if rest.len() >= 6 => rest.split_at(6),
        [b'~', rest @ ..] if rest.len() >= 3 && rest[0] != b'~' => rest.split_at(3),
        [one, ..] if *one != b'~' => graph.split_at(1),
        _ => return Err("it is not graph6: its number of vertices is cut off".into()),
    };
    let vertices = digits.iter().fold(0_u64, |number, digit| number << 6 | u64::from(digit - 63));
    let pairs = u128::from(vertices) * u128::from(vertices.saturating_sub(1)) / 2;
    if rest.len() as u128 != pairs.div_ceil(6) {
        let needs = "as its number of vertices needs";
        return Err(format!("it is not graph6: it has {} bytes instead of {}, {needs}", rest.len(), pairs.div_ceil(6)));
    }
    let (mut edges, mut at) = (Vec::new(), 0);
    for b in 0..vertices {
        for a in 0..b {
            if (rest[at / 6] - 63) >> (5 - at % 6) & 1 == 1 {
                edges.push((a, b));
            }
            at += 1;
        }
    }
    if edges.is_empty() { Err("it holds no edge".into()) } else { Ok(EdgeList::from_pairs(edges)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `nauty` writes for these edges.
    fn written(vertices: u32, edges: &[(u32, u32)]) -> Vec<u8> {
        let count = u8::try_from(vertices).unwrap();
        let mut code =
            if vertices < 63 { vec![count + 63] } else { vec![126, 63, 63 + (count >> 6), 63 + (count & 63)] };
        let pairs = (0..vertices).flat_map(|b| (0..b).map(move |a| (a, b)));
        let bits: Vec<_> = pairs.map(|pair| u8::from(edges.contains(&pair))).collect();
        let byte = |six: &[u8]| 63 + six.iter().enumerate().map(|(at, bit)| bit << (5 - at)).sum::<u8>();
        code.extend(bits.chunks(6).map(byte));
        code
    }

    #[test]
    fn what_nauty_writes_is_read() {
        assert_eq!(parse(b"DQc\n").unwrap().edges, [(0, 2), (0, 4), (1, 3), (3, 4)]);
        for vertices in [2, 5, 62, 63, 64, 100] {
            let edges: Vec<_> = (1..vertices).map(|at| (at / 3, at)).collect();
            let list = parse(&written(vertices, &edges)).unwrap();
            assert_eq!((list.vertices, list.edges), (vertices as usize, edges));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (code, reason) in [
            ("", "it holds no graph"),
            ("A_\nA_\n", "it holds several graphs; write one to a file of its own"),
            ("A", "it is not graph6: it has 0 bytes instead of 1, as its number of vertices needs"),
            ("A?", "it holds no edge"),
            ("A\u{7f}", "it is not graph6: its bytes are from ? to ~"),
            ("~??", "it is not graph6: its number of vertices is cut off"),
            (
                "~~~~~~~~",
                "it is not graph6: it has 0 bytes instead of 393530540221957231958, as its number of vertices needs",
            ),
        ] {
            assert_eq!(parse(code.as_bytes()).unwrap_err(), reason, "{code:?}");
        }
    }
}
