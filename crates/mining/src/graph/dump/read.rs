//! Reading a dump.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use knee_machine::files;
use knee_runtime::{Arrangement, NumaVec, Place};
use knee_workload::Error;
use twox_hash::XxHash3_64;

use super::header::{Header, Part};
use super::{CHUNK, FRONT, LONGEST, MAGIC, Origin, VERSION};
use crate::Graph;
use crate::graph::{EdgeList, room};

/// A dump that is open.
#[derive(Debug)]
pub(crate) struct Dump {
    path: PathBuf,
    file: File,
    header: Header,
    /// Where the first part begins.
    begin: u64,
}

impl Dump {
    /// Whether a file begins as dumps do.
    pub(crate) fn is_one(path: &Path) -> bool {
        // A pipe must not be opened twice: what is written to it would be lost.
        if !path.metadata().is_ok_and(|found| found.is_file()) {
            return false;
        }
        let mut begin = [0; MAGIC.len()];
        files::regular(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok() && begin == *MAGIC)
    }

    /// Opens a dump and checks all but its parts.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let bad = |what: &str| bad(path, what);
        let file = files::regular(path).map_err(|error| bad(&error.to_string()))?;
        let size = file.metadata().map_err(|error| bad(&error.to_string()))?.len();
        let mut front = [0; FRONT];
        file.read_exact_at(&mut front, 0).map_err(|_| bad("it is cut short"))?;
        if !front.starts_with(MAGIC) {
            return Err(bad("it is not a graph that knee laid out"));
        }
        let version = u32::from_le_bytes(front[8..12].try_into().expect("four bytes"));
        if version != VERSION {
            return Err(bad(&format!("its version is {version}; this knee reads {VERSION}")));
        }
        let length = u64::from_le_bytes(front[12..].try_into().expect("eight bytes"));
        if length > LONGEST.min(size) {
            return Err(bad("it is cut short"));
        }
        let mut bytes = vec![0; usize::try_from(length).expect("it is not too long") + 8];
        file.read_exact_at(&mut bytes, FRONT as u64).map_err(|_| bad("it is cut short"))?;
        let (header, checksum) = bytes.split_at(bytes.len() - 8);
        if !is_of(header, u64::from_le_bytes(checksum.try_into().expect("eight bytes"))) {
            return Err(bad("its header is damaged"));
        }
        let header: Header = serde_json::from_slice(header).map_err(|_| bad("its header is damaged"))?;
        let begin = FRONT as u64 + length + 8;
        let end = header.bytes().and_then(|bytes| bytes.checked_add(begin));
        match end {
            Some(end) if end == size => Ok(Self { path: path.to_owned(), file, header, begin }),
            Some(end) => Err(bad(&format!("it has {size} bytes where {end} are expected"))),
            None => Err(bad("its header is damaged")),
        }
    }

    /// What it was made of.
    pub(crate) fn input(&self) -> &str {
        &self.header.input
    }

    /// Reads it into memory that is arranged, by the workers of the pool of knee's that this is called on.
    ///
    /// # Errors
    /// What cannot be read or is damaged; when it does not fit into memory.
    pub(crate) fn read(&self, arrangement: &Arrangement) -> Result<(Graph, Origin), Error> {
        let Header { vertices, members, loops, repeated, first_line: header, named, .. } = self.header;
        let name = self.path.display().to_string();
        room::check_laid_out(&name, vertices, members / 2)?;
        room::check_copies(&name, vertices, members / 2, arrangement)?;
        let count = usize::try_from(vertices).expect("the file has as many");
        let mut begins = vec![0_u64; count + 1];
        self.part(Part::Begins, bytemuck::cast_slice_mut(&mut begins))?;
        let mut ranks = vec![0_u32; count];
        self.part(Part::Ranks, bytemuck::cast_slice_mut(&mut ranks))?;
        let mut names: Vec<u64> = (0..vertices).collect();
        if named {
            self.part(Part::Names, bytemuck::cast_slice_mut(&mut names))?;
        }
        let members = usize::try_from(members).expect("the file has as many");
        let mut lists = arrangement.from_fn(members, |_| 0_u32).map_err(|error| room::unplaced(&error))?;
        let mut read = Ok(());
        lists.each_copy(|copy| {
            let part = self.part(Part::Lists, bytemuck::cast_slice_mut(&mut copy[..members]));
            read = std::mem::replace(&mut read, Ok(())).and(part);
        });
        read?;
        let begins: Vec<usize> = begins.into_iter().map(|begin| usize::try_from(begin).unwrap_or(usize::MAX)).collect();
        let ascending = names.windows(2).all(|pair| pair[0] < pair[1]);
        if !(ascending && is_order(&ranks) && ascend(&begins, members) && are_sound(&begins, &lists)) {
            return Err(bad(&self.path, "its lists are not those of a graph"));
        }
        let graph = Graph::of_lists(begins, lists, ranks, arrangement).map_err(|error| room::unplaced(&error))?;
        Ok((graph, Origin { names, loops, repeated, header }))
    }

    /// Reads it as a list of edges.
    ///
    /// # Errors
    /// As of [`Self::read`].
    pub(crate) fn list(&self) -> Result<EdgeList, Error> {
        let (graph, Origin { names, loops, repeated, header }) = self.read(&Arrangement::default())?;
        let sources = graph.sources();
        let source = |rank: u32| sources[rank as usize];
        let from = |low: u32| graph.upward(low).iter().map(move |high| (low, *high));
        let pair = |(low, high)| (source(low).min(source(high)), source(low).max(source(high)));
        let mut edges: Vec<_> = (0..).take(graph.vertices).flat_map(from).map(pair).collect();
        edges.sort_unstable();
        Ok(EdgeList { vertices: graph.vertices, names, edges, loops, repeated, header })
    }

    /// Reads a part, in parallel, and checks it.
    fn part(&self, part: Part, bytes: &mut [u8]) -> Result<(), Error> {
        let (begin, first) = self.header.begin(part);
        let (unread, damaged) = (AtomicBool::new(false), AtomicBool::new(false));
        each_chunk(bytes, 0, &|number, chunk| {
            let at = self.begin + begin + (number * CHUNK) as u64;
            // Relaxed: they are read behind a join.
            if self.file.read_exact_at(chunk, at).is_err() {
                unread.store(true, Ordering::Relaxed);
            } else if !is_of(chunk, self.header.checksums[first + number]) {
                damaged.store(true, Ordering::Relaxed);
            }
        });
        match (unread.into_inner(), damaged.into_inner()) {
            (true, _) => Err(bad(&self.path, "it cannot be read to its end")),
            (_, true) => Err(bad(&self.path, "it is damaged, as its checksums show")),
            _ => Ok(()),
        }
    }
}

/// What is wrong with a dump.
fn bad(path: &Path, what: &str) -> Error {
    Error::new(format!("cannot use {}: {what}", path.display()))
}

/// Whether a checksum is that of some bytes. A fuzzer finds no checksums.
fn is_of(bytes: &[u8], checksum: u64) -> bool {
    cfg!(fuzzing) || XxHash3_64::oneshot(bytes) == checksum
}

/// Calls `work` with each chunk and its number, near where it lies.
fn each_chunk(bytes: &mut [u8], first: usize, work: &(impl Fn(usize, &mut [u8]) + Sync)) {
    let chunks = bytes.len().div_ceil(CHUNK);
    if chunks <= 1 {
        if !bytes.is_empty() {
            work(first, bytes);
        }
        return;
    }
    let (left, right) = bytes.split_at_mut(chunks / 2 * CHUNK);
    let near = (Place::near_address(left.as_ptr()), Place::near_address(right.as_ptr()));
    let behind = first + chunks / 2;
    knee_runtime::join_at(near.0, || each_chunk(left, first, work), near.1, || each_chunk(right, behind, work));
}

/// Whether each number below their number is there once.
fn is_order(ranks: &[u32]) -> bool {
    let mut seen = vec![false; ranks.len()];
    ranks.iter().all(|rank| seen.get_mut(*rank as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
}

/// Whether lists follow each other, none is empty, and none is shorter than the one before it.
fn ascend(begins: &[usize], members: usize) -> bool {
    let ends = begins.first() == Some(&0) && begins.last() == Some(&members);
    let in_order = begins.windows(2).all(|pair| pair[0] < pair[1] && pair[1] <= members);
    ends && in_order && begins.windows(3).all(|three| three[1] - three[0] <= three[2] - three[1])
}

/// Whether members are vertices, lists ascend, no vertex is in its own, and each edge is in both of its lists. Lists
/// follow each other.
fn are_sound(begins: &[usize], lists: &NumaVec<u32>) -> bool {
    let vertices = begins.len() - 1;
    let wrong = AtomicBool::new(false);
    let list = |vertex: usize| &lists[begins[vertex]..begins[vertex + 1]];
    let each = |sound: &(dyn Fn(usize, &[u32]) -> bool + Sync)| {
        knee_runtime::parallel_for_grain(0..vertices, 1024, |vertex| {
            if !sound(vertex, list(vertex)) {
                // Relaxed: it is read behind a join.
                wrong.store(true, Ordering::Relaxed);
            }
        });
        !wrong.load(Ordering::Relaxed)
    };
    let fits = |vertex: usize, other: u32| (other as usize) < vertices && other as usize != vertex;
    let ascends = |vertex: usize, own: &[u32]| {
        own.iter().all(|other| fits(vertex, *other)) && own.windows(2).all(|pair| pair[0] < pair[1])
    };
    let both = |vertex: usize, own: &[u32]| {
        let own_rank = u32::try_from(vertex).expect("vertices fit 32 bits");
        own.iter().all(|other| list(*other as usize).binary_search(&own_rank).is_ok())
    };
    each(&ascends) && each(&both)
}
