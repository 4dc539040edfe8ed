//! A dump: a graph that is laid out, in a file, so that the next start neither parses nor sorts.
//!
//! ```text
//! magic  version  length of the header  header (JSON)  checksum of the header
//! where the list of each vertex begins  ranks  names, unless they are 0, 1, 2, ...  lists of neighbours
//! ```
//!
//! Numbers stand in the file as in memory, the lowest byte first, so that each worker reads its own lists into placed
//! memory; a mapped file could not be placed. The header has a checksum (xxh3) of each MiB of each of the four parts. What
//! counting takes for granted is checked as well: lists ascend, each edge stands in both lists, and degrees ascend.

mod header;
mod read;
mod write;

use std::path::Path;

use knee_machine::files::State;
use knee_workload::Error;

use super::{EdgeList, is_generated};
pub(crate) use read::Dump;
pub(crate) use write::write;

/// The first bytes of a dump.
const MAGIC: &[u8; 8] = b"kneegrph";
/// The version of all that follows.
const VERSION: u32 = 1;
/// Bytes in front of the header.
const FRONT: usize = 8 + 4 + 8;
/// Largest header that is read.
const LONGEST: u64 = 64 << 20;
/// Numbers are written as they stand in memory.
const _: () = assert!(cfg!(target_endian = "little"), "a dump has the lowest byte first");
/// Bytes that have a checksum of their own.
const CHUNK: usize = 1 << 20;

/// What is known of a graph besides its edges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// What each vertex was called where it comes from.
    pub names: Vec<u64>,
    pub loops: usize,
    pub repeated: usize,
    pub header: Option<(u64, u64)>,
}

impl Origin {
    /// Of a list of edges, and these.
    pub(crate) fn of(list: EdgeList) -> (Self, Vec<(u32, u32)>) {
        let EdgeList { names, edges, loops, repeated, header, .. } = list;
        (Self { names, loops, repeated, header }, edges)
    }
}

/// Identifies a source in its dump; differs once a file has changed, or for another version of knee, which may generate or
/// read graphs differently.
///
/// # Errors
/// When it is no file.
pub(crate) fn input(source: &str) -> Result<String, Error> {
    let version = env!("CARGO_PKG_VERSION");
    if is_generated(source) {
        return Ok(format!("{source}, by knee {version}"));
    }
    let cannot = |reason: String| {
        Error::new(format!("cannot keep the graph of {source}: {reason}")).hint("leave out --cache, or give a file")
    };
    // A pipe has no path that could be made canonical.
    let found = Path::new(source).metadata().map_err(|error| cannot(error.to_string()))?;
    if !found.is_file() {
        return Err(cannot("it is not a regular file".into()));
    }
    let path = Path::new(source).canonicalize().map_err(|error| cannot(error.to_string()))?;
    Ok(format!("{} with {} bytes ({}), by knee {version}", path.display(), found.len(), State::of(&found)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::fd::AsRawFd;

    use knee_runtime::Arrangement;
    use proptest::prelude::*;

    use super::*;
    use crate::Graph;

    fn list(pairs: &[(u64, u64)]) -> EdgeList {
        EdgeList::from_pairs(pairs.to_vec())
    }

    fn written(list: &EdgeList, path: &Path) -> Graph {
        let graph = Graph::from_edges(list);
        write(&graph, &Origin::of(list.clone()).0, "a test", path).unwrap();
        graph
    }

    fn lists(graph: &Graph) -> Vec<(Vec<u32>, Vec<u32>)> {
        (0..).take(graph.vertices).map(|at| (graph.neighbours(at).to_vec(), graph.upward(at).to_vec())).collect()
    }

    fn reason(path: &Path) -> Option<String> {
        let read = Dump::open(path).and_then(|dump| dump.read(&Arrangement::default()));
        read.err().map(|error| error.to_string())
    }

    #[test]
    fn a_pipe_is_not_kept() {
        let (pipe, _end) = std::io::pipe().unwrap();
        let error = input(&format!("/proc/self/fd/{}", pipe.as_raw_fd())).unwrap_err().to_string();
        assert!(error.ends_with(": it is not a regular file"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn what_was_written_is_read(
            pairs in prop::collection::vec((0u64..40, 0u64..40), 1..200),
            far in prop::bool::ANY,
        ) {
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a << if far { 33 } else { 0 }, b)).collect();
            let list = list(&pairs);
            prop_assume!(!list.edges.is_empty());
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("g.knee");
            let graph = written(&list, &path);
            prop_assert!(Dump::is_one(&path));
            let dump = Dump::open(&path).unwrap();
            prop_assert_eq!(dump.input(), "a test");
            let (back, origin) = dump.read(&Arrangement::default()).unwrap();
            prop_assert_eq!(lists(&back), lists(&graph));
            prop_assert_eq!(back.ranks(), graph.ranks());
            prop_assert_eq!(dump.list().unwrap(), list.clone());
            prop_assert_eq!(origin, Origin::of(list).0);
        }
    }

    #[test]
    fn a_changed_byte_is_seen_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.knee");
        written(&list(&[(5, 6), (6, 9), (9, 5), (9, 1)]), &path);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            fs::write(&path, changed).unwrap();
            let reason = reason(&path).unwrap_or_else(|| panic!("byte {at} was changed"));
            assert!(reason.starts_with(&format!("cannot use {}: ", path.display())), "{reason}");
        }
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(reason(&path).unwrap().contains("bytes where"));
        fs::write(&path, &whole[..9]).unwrap();
        assert!(reason(&path).unwrap().contains("it is cut short"));
    }

    /// Changes the body of a dump, and makes its checksums those of it.
    fn forged(whole: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
        let length = usize::try_from(u64::from_le_bytes(whole[12..FRONT].try_into().unwrap())).unwrap();
        let mut header: header::Header = serde_json::from_slice(&whole[FRONT..FRONT + length]).unwrap();
        let mut body = whole[FRONT + length + 8..].to_vec();
        change(&mut body);
        header.checksums.clear();
        let vertices = usize::try_from(header.vertices).unwrap();
        let mut left = &body[..];
        for bytes in [8 * (vertices + 1), 4 * vertices, if header.named { 8 * vertices } else { 0 }, left.len()] {
            let (part, rest) = left.split_at(bytes.min(left.len()));
            header.checksums.extend(part.chunks(CHUNK).map(twox_hash::XxHash3_64::oneshot));
            left = rest;
        }
        let header = serde_json::to_vec(&header).unwrap();
        let checksum = twox_hash::XxHash3_64::oneshot(&header).to_le_bytes();
        [&whole[..12], &(header.len() as u64).to_le_bytes(), &header, &checksum, &body].concat()
    }

    type Change<'a> = &'a dyn Fn(&mut [u8]);

    #[test]
    fn what_is_no_graph_is_refused_though_its_checksums_are_right() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.knee");
        written(&list(&[(0, 1), (1, 2), (2, 3), (3, 0)]), &path);
        let whole = fs::read(&path).unwrap();
        let said = |change: Change<'_>| {
            fs::write(&path, forged(&whole, change)).unwrap();
            reason(&path)
        };
        assert_eq!(said(&|_| {}), None);
        let lists = |body: &[u8]| body.len() - 4 * 8;
        // The list of vertex 0 is 1 and 3: only one end of an edge changes, a list descends, a vertex is its own
        // neighbour, one does not exist; ranks are none, and a list begins elsewhere.
        let changes: &[Change] = &[
            &|body| body[lists(body) + 4] = 2,
            &|body| body.swap(lists(body), lists(body) + 4),
            &|body| body[lists(body)] = 0,
            &|body| body[lists(body) + 4] = 200,
            &|body| body[8 * 5] = 3,
            &|body| body[8] = 3,
        ];
        for (number, change) in changes.iter().enumerate() {
            let said = said(change).unwrap_or_else(|| panic!("change {number}"));
            assert!(said.contains("its lists are not those of a graph"), "{said}");
        }
    }
}
