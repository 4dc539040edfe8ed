//! Graphs from files in one of several forms, plain or compressed. The content decides, not the name.

mod adjacency;
mod graph6;
pub(super) mod lines;
mod matrix_market;
mod metis;
mod npy;

use std::io::{self, Read};
use std::path::Path;

use knee_machine::{files, room};
use knee_workload::Error;

use super::EdgeList;
use super::room::check_read;
pub(super) use lines::shown;

const FORMS: &str = "give the path of an edge list, plain, .gz or .zst, that fits into memory; or rmat:17";
const LINES: &str = "an edge list has two vertex numbers a line, and comments begin with # or %; Matrix Market and graph6 \
                     files begin with %%MatrixMarket and >>graph6<<; a .npy file of NumPy holds integers, two a row";

impl EdgeList {
    /// Reads a file: an edge list, Matrix Market, graph6 or `.npy`, plain, `.gz` or `.zst`; the content decides, not the name.
    ///
    /// # Errors
    /// When the file cannot be read or decompressed, is a device, or needs more than the available memory; when it holds
    /// no graph.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.display();
        let broken = |error: io::Error| Error::new(format!("cannot read graph: {name}: {error}")).hint(FORMS);
        let content = text(path).map_err(broken)?;
        let edges = if content.starts_with(npy::BEGIN) {
            npy::edges(&content)
        } else if let Some(code) = content.strip_prefix(graph6::BEGIN) {
            graph6::most_edges(code)
        } else {
            // Comments and empty lines only raise the bound.
            lines::count(&content) as u64
        };
        check_read(&name.to_string(), edges)?;
        Self::parse(&content).map_err(|reason| {
            let hint = metis::hint(&reason).or_else(|| adjacency::hint(&reason)).unwrap_or(LINES);
            Error::new(format!("cannot read graph: {name}: {reason}")).hint(hint)
        })
    }

    /// Reads the content of such a file.
    ///
    /// # Errors
    /// What is wrong with it, and in which line or row.
    pub fn parse(content: &[u8]) -> Result<Self, String> {
        if content.starts_with(npy::BEGIN) {
            npy::parse(content)
        } else if content.starts_with(matrix_market::BEGIN) {
            matrix_market::parse(content)
        } else if let Some(code) = content.strip_prefix(graph6::BEGIN) {
            graph6::parse(code)
        } else {
            lines::parse(content)
        }
    }
}

/// The content of a file, decompressed.
pub(super) fn text(path: &Path) -> io::Result<Vec<u8>> {
    let raw = files::open(path).and_then(whole)?;
    let mut content = match raw.get(..4) {
        Some([0x1f, 0x8b, ..]) => whole(flate2::read::MultiGzDecoder::new(&raw[..]))?,
        Some([0x28, 0xb5, 0x2f, 0xfd]) => zstd::Decoder::new(&raw[..]).and_then(whole)?,
        _ => raw,
    };
    if content.starts_with(BYTE_ORDER_MARK) {
        content.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(content)
}

/// What some editors write in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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

        #[test]
        fn any_array_is_a_graph_or_an_error(
            version in 0_u8..5,
            descr in prop::sample::select(vec!["'<i8'", "'|u1'", "'>i2'", "'<u4'", "'<f8'", "[('a', '<i4')]", "'", "''"]),
            by_columns in prop::sample::select(vec!["True", "False", "0"]),
            shape in prop::sample::select(vec!["(1, 2)", "(2, 2)", "(4, 2)", "(0, 2)", "(4,)", "(18446744073709551615, 2)", "("]),
            cut in 0_usize..4,
            values in prop::collection::vec(prop::sample::select(vec![0_u8, 0, 0, 1, 2, 255]), 0..64),
        ) {
            let header = format!("{{'descr': {descr}, 'fortran_order': {by_columns}, 'shape': {shape}, }}");
            let length = u32::try_from(header.len()).unwrap().to_le_bytes();
            let digits = if version == 1 { 2 } else { 4 };
            let mut file = [npy::BEGIN, &[version, 0], &length[..digits], header.as_bytes(), &values].concat();
            file.truncate(file.len() >> cut.saturating_sub(1));
            if let Ok(list) = EdgeList::parse(&file) {
                prop_assert_eq!(npy::edges(&file), (list.edges.len() + list.loops + list.repeated) as u64);
                prop_assert!(list.edges.iter().all(|(a, b)| a < b && (*b as usize) < list.vertices));
            }
        }

        #[test]
        fn any_bytes_are_a_graph_or_an_error(
            begin in prop::sample::select(vec![&b""[..], npy::BEGIN, b"\x93NUMPY\x01\x00\x04\x00", graph6::BEGIN]),
            bytes in prop::collection::vec(any::<u8>(), 0..100),
        ) {
            if let Ok(list) = EdgeList::parse(&[begin, &bytes].concat()) {
                prop_assert_eq!(Graph::from_edges(&list).edges(), list.edges.len());
            }
        }
    }
}
