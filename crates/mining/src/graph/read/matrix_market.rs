//! Matrix Market files of sparse matrices, as the `SuiteSparse` collection and scipy have them: an entry is an edge between
//! its row and its column, whatever its value.
//!
//! Boisvert, Pozo, Remington, *The Matrix Market exchange formats*, 1996.

use super::lines;
use crate::graph::EdgeList;

/// What such files begin with.
pub(super) const BEGIN: &[u8] = b"%%MatrixMarket";

/// Reads the text of such a file.
pub(super) fn parse(text: &[u8]) -> Result<EdgeList, String> {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first).to_lowercase();
    match first.split_whitespace().collect::<Vec<_>>()[..] {
        [_, "matrix", "coordinate", _, _] => {}
        [_, "matrix", "array", ..] => return Err("it is a dense matrix; a graph is a sparse one (coordinate)".into()),
        _ => return Err(format!("line 1: {:?} is not the head of a sparse matrix", first.trim())),
    }
    let mut entries = lines::pairs(text, lines::pair)?;
    let (number, size) = lines::lines(text).next().ok_or("the line with its size is missing")?;
    let words = size.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let size: Vec<u64> = words.map_while(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect();
    let [rows, columns, count] = size[..] else {
        return Err(format!("line {number}: its size is not three numbers"));
    };
    if rows != columns {
        return Err(format!("it has {rows} rows and {columns} columns; a graph has as many"));
    }
    entries.remove(0);
    if entries.len() as u64 != count {
        return Err(format!("it has {} entries instead of {count}", entries.len()));
    }
    if let Some((row, column)) =
        entries.iter().find(|(row, column)| !(1..=rows).contains(row.min(column)) || row.max(column) > &rows)
    {
        return Err(format!("there is no entry {row} {column} in {rows} rows"));
    }
    if entries.is_empty() { Err("it holds no edge".into()) } else { Ok(EdgeList::from_pairs(entries)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_edges() {
        let text = "%%MatrixMarket matrix coordinate real general\n% c\n\n3 3 4\n1 2 0.5\n2 1 1e3\n2 2 7\n3 1 -1\n";
        let list = parse(text.as_bytes()).unwrap();
        assert_eq!((list.edges, list.vertices, list.loops, list.repeated), (vec![(0, 1), (0, 2)], 3, 1, 1));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, reason) in [
            ("array real general\n1 1\n1.0", "it is a dense matrix; a graph is a sparse one (coordinate)"),
            (
                "coordinate pattern\n1 1 1\n1 1",
                "line 1: \"%%matrixmarket matrix coordinate pattern\" is not the head of a sparse matrix",
            ),
            ("coordinate pattern general\n", "the line with its size is missing"),
            ("coordinate pattern general\n2 3 1\n1 2", "it has 2 rows and 3 columns; a graph has as many"),
            ("coordinate pattern general\n3 3\n1 2", "line 2: its size is not three numbers"),
            ("coordinate pattern general\n3 3 2\n1 2", "it has 1 entries instead of 2"),
            ("coordinate pattern general\n3 3 1\n1 4", "there is no entry 1 4 in 3 rows"),
            ("coordinate pattern general\n3 3 1\n0 2", "there is no entry 0 2 in 3 rows"),
            ("coordinate pattern general\n3 3 0\n", "it holds no edge"),
            ("coordinate pattern general\n3 3 1\n2 x", "line 3: \"x\" is not a vertex number"),
        ] {
            assert_eq!(parse(format!("%%MatrixMarket matrix {text}").as_bytes()).unwrap_err(), reason);
        }
    }
}
