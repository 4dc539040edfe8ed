//! Graphs from files: text in one of several forms, plain or compressed. The content decides, not the name.

mod graph6;
mod lines;
mod matrix_market;

use std::io::{self, Read};
use std::path::Path;

use knee_machine::{files, room};
use knee_workload::Error;

use super::EdgeList;
use super::room::check_read;

const FORMS: &str = "give the path of an edge list, plain, .gz or .zst, that fits into memory; or rmat:17";
const LINES: &str = "an edge list has two vertex numbers a line, and comments begin with # or %; Matrix Market and graph6 \
                     files begin with %%MatrixMarket and >>graph6<<";

impl EdgeList {
    /// Reads a file: an edge list, Matrix Market or graph6, plain, `.gz` or `.zst`; the content decides, not the name.
    ///
    /// # Errors
    /// When the file cannot be read or decompressed, is a device, or needs more than the available memory; when it holds
    /// no graph.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.display();
        let broken = |error: io::Error| Error::new(format!("cannot read graph: {name}: {error}")).hint(FORMS);
        let raw = files::open(path).and_then(whole).map_err(broken)?;
        let text = match raw.get(..4) {
            Some([0x1f, 0x8b, ..]) => whole(flate2::read::MultiGzDecoder::new(&raw[..])).map_err(broken)?,
            Some([0x28, 0xb5, 0x2f, 0xfd]) => zstd::Decoder::new(&raw[..]).and_then(whole).map_err(broken)?,
            _ => raw,
        };
        let edges = match text.strip_prefix(graph6::BEGIN) {
            Some(code) => graph6::most_edges(code),
            None => lines::lines(&text).count() as u64,
        };
        check_read(&name.to_string(), edges)?;
        Self::parse(&text).map_err(|reason| Error::new(format!("cannot read graph: {name}: {reason}")).hint(LINES))
    }

    /// Reads the text of such a file.
    ///
    /// # Errors
    /// What is wrong with it, and in which line.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        if text.starts_with(matrix_market::BEGIN) {
            matrix_market::parse(text)
        } else if let Some(code) = text.strip_prefix(graph6::BEGIN) {
            graph6::parse(code)
        } else {
            lines::parse(text)
        }
    }
}

/// The whole input, if it fits into half of the available memory: a vector that grows needs twice its size.
fn whole(from: impl Read) -> io::Result<Vec<u8>> {
    let most = room::memory().map_or(u64::MAX >> 1, |left| left / 2);
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let reason = format!("it is larger than {} MiB, half of the available memory", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Graph;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn any_text_is_a_graph_or_an_error(
            begin in prop::sample::select(vec!["", "%%MatrixMarket matrix coordinate real general\n", ">>graph6<<"]),
            words in prop::collection::vec(prop::sample::select(vec!["0", "1", "3", "17", "4294967296", " ", "\n", "%", "?", "~", "A_", "-", "\t", "\r\n"]), 0..30),
        ) {
            if let Ok(list) = EdgeList::parse((begin.to_owned() + &words.concat()).as_bytes()) {
                prop_assert!(list.edges.iter().all(|(a, b)| a < b && (*b as usize) < list.vertices));
                prop_assert_eq!(Graph::from_edges(&list).edges(), list.edges.len());
            }
        }
    }
}
