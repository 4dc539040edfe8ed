//! Reads edge lists of many formats: comments, headers, gaps in the numbering, both directions, loops,
//! repeated edges, trailing fields, plain or compressed.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;

use knee_machine::{files, room};
use knee_workload::Error;
use rayon::prelude::*;

use super::{BYTES_READ, check_room};

/// Undirected simple graph as pairs a < b, sorted, on vertices 0..n. Dropped lines are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// Vertices with at least one edge.
    pub vertices: usize,
    /// The edges.
    pub edges: Vec<(u32, u32)>,
    /// Edges from a vertex to itself, dropped.
    pub loops: usize,
    /// Lines that named an edge again, in either direction, dropped.
    pub repeated: usize,
    /// The first line, when it was taken for a header (vertices, edges) and not for an edge.
    pub header: Option<(u64, u64)>,
}

const FORMS: &str = "give the path of an edge list, plain, .gz or .zst, that fits into memory; or rmat:17";

impl EdgeList {
    /// Reads a text file, plain, `.gz` or `.zst`; the content decides, not the name.
    ///
    /// # Errors
    /// When the file cannot be read or decompressed, is a device, or needs more than the available memory; when a line
    /// does not begin with two vertex numbers.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.display();
        let broken = |error: io::Error| Error::new(format!("cannot read graph: {name}: {error}")).hint(FORMS);
        let raw = files::open(path).and_then(whole).map_err(broken)?;
        let text = match raw.get(..4) {
            Some([0x1f, 0x8b, ..]) => whole(flate2::read::MultiGzDecoder::new(&raw[..])).map_err(broken)?,
            Some([0x28, 0xb5, 0x2f, 0xfd]) => zstd::Decoder::new(&raw[..]).and_then(whole).map_err(broken)?,
            _ => raw,
        };
        check_room(&name.to_string(), lines(&text).count() as u64, BYTES_READ)?;
        Self::parse(&text).map_err(|reason| {
            Error::new(format!("cannot read graph: {name}: {reason}"))
                .hint("an edge list has two vertex numbers a line, and comments begin with # or %")
        })
    }

    /// Reads the text of an edge list.
    ///
    /// # Errors
    /// The line and what is wrong with it.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let mut pairs = pairs(text)?;
        let header = header(&pairs);
        if header.is_some() {
            pairs.remove(0);
        }
        if pairs.is_empty() {
            return Err("it holds no edge".into());
        }
        Ok(Self { header, ..Self::from_pairs(pairs) })
    }

    /// Makes a simple graph of any pairs: renumbers without gaps in ascending order, drops loops and repetitions.
    ///
    /// # Panics
    /// When there are more than 2^32 vertices.
    #[must_use]
    pub fn from_pairs(pairs: Vec<(u64, u64)>) -> Self {
        let most = pairs.par_iter().map(|(a, b)| *a.max(b)).max().unwrap_or(0);
        // Names that are far apart are numbered first, so that a bit for each lower name costs little.
        let number: Box<dyn Fn(u64) -> u32 + Sync> = if most < pairs.len() as u64 * 64 + (1 << 16) {
            Box::new(|name| u32::try_from(name).expect(FEW))
        } else {
            let mut names: Vec<u64> = pairs.par_iter().flat_map_iter(|&(a, b)| [a, b]).collect();
            names.par_sort_unstable();
            names.dedup();
            Box::new(move |name| u32::try_from(names.partition_point(|&other| other < name)).expect(FEW))
        };
        Self::from_short(pairs.into_par_iter().map(|(a, b)| (number(a), number(b))).collect())
    }

    /// The same for numbers that are not far apart.
    pub(super) fn from_short(mut pairs: Vec<(u32, u32)>) -> Self {
        let given = pairs.len();
        pairs.retain(|(a, b)| a != b);
        pairs.par_iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
        let straight = pairs.len();
        pairs.par_sort_unstable();
        pairs.dedup();
        let most = pairs.par_iter().map(|(_, b)| *b).max().map_or(0, |most| most as usize + 1);
        let mut number = vec![0; most];
        for &(a, b) in &pairs {
            (number[a as usize], number[b as usize]) = (1, 1);
        }
        let mut vertices = 0;
        for number in &mut number {
            (*number, vertices) = (vertices, vertices + *number);
        }
        pairs.par_iter_mut().for_each(|(a, b)| (*a, *b) = (number[*a as usize], number[*b as usize]));
        let (loops, repeated) = (given - straight, straight - pairs.len());
        Self { vertices: vertices as usize, edges: pairs, loops, repeated, header: None }
    }
}

/// Why a number fits 32 bits.
const FEW: &str = "fewer than 2^32 vertices";

/// Bytes of text that one task reads.
const BYTES_PER_TASK: usize = 1 << 20;

/// The pairs of all lines, read in parallel.
fn pairs(text: &[u8]) -> Result<Vec<(u64, u64)>, String> {
    let parts: Vec<&[u8]> = parts(text, BYTES_PER_TASK).collect();
    let read = |part: &&[u8]| -> Result<Vec<_>, (usize, String)> {
        lines(part).map(|(number, line)| pair(line).map_err(|reason| (number, reason))).collect()
    };
    let read: Vec<_> = parts.par_iter().map(read).collect();
    let mut pairs = Vec::with_capacity(read.iter().flatten().map(Vec::len).sum());
    for (at, part) in read.into_iter().enumerate() {
        let newlines = |part: &&[u8]| part.split(|byte| *byte == b'\n').count() - 1;
        pairs.append(&mut part.map_err(|(number, reason)| {
            format!("line {}: {reason}", number + parts[..at].iter().map(newlines).sum::<usize>())
        })?);
    }
    Ok(pairs)
}

/// Parts of about so many bytes that end with a line.
fn parts(text: &[u8], bytes: usize) -> impl Iterator<Item = &[u8]> {
    let mut left = text;
    std::iter::from_fn(move || {
        if left.is_empty() {
            return None;
        }
        let from = bytes.min(left.len());
        let end = left[from..].iter().position(|byte| *byte == b'\n').map_or(left.len(), |at| from + at + 1);
        let (part, rest) = left.split_at(end);
        left = rest;
        Some(part)
    })
}

/// The lines of a text that are neither empty nor comments, with their numbers.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let trimmed = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    (1..).zip(trimmed).filter(|(_, line)| line.first().is_some_and(|first| !matches!(first, b'#' | b'%')))
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

/// The two numbers that a line begins with, between blanks, tabs or commas. Further fields are attributes and are
/// ignored.
fn pair(line: &[u8]) -> Result<(u64, u64), String> {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t' | b',')).filter(|word| !word.is_empty());
    let mut next = || {
        let word = words.next().ok_or_else(|| format!("{:?} is not two vertex numbers", shown(line)))?;
        let digits = std::str::from_utf8(word).ok().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse::<u64>().ok());
        number.ok_or_else(|| format!("{:?} is not a vertex number", shown(word)))
    };
    Ok((next()?, next()?))
}

/// At most 40 characters of a file's text, for an error.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(40).collect()
}

/// Some files begin with the numbers of vertices and edges on a line of their own, without a comment sign. Such a line
/// differs from an edge in all of three ways: its second number counts the lines that follow (or half of them when each
/// edge stands in both directions), those lines name no more vertices than its first, and there are at least two of
/// them.
fn header(pairs: &[(u64, u64)]) -> Option<(u64, u64)> {
    let (&(vertices, edges), rest) = pairs.split_first()?;
    let lines = rest.len() as u64;
    if lines < 2 || (edges != lines && edges.checked_mul(2) != Some(lines)) {
        return None;
    }
    let named: HashSet<u64> = rest.iter().flat_map(|&(a, b)| [a, b]).collect();
    (named.len() as u64 <= vertices).then_some((vertices, edges))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(text: &str) -> Vec<(u32, u32)> {
        EdgeList::parse(text.as_bytes()).unwrap().edges
    }

    #[test]
    fn the_habits_of_many_sources_are_read() {
        let expected = [(0, 1), (1, 2)];
        for text in [
            "0 1\n1 2\n",
            "# c\n% d\n\n1\t2\r\n2\t3\r\n",
            "10,20 {}\n20,30 0.5 x",
            "7 7\n7 9\n9 7\n9 18446744073709551615\n",
        ] {
            assert_eq!(edges(text), expected, "{text:?}");
        }
    }

    #[test]
    fn parts_of_a_text_are_whole_lines() {
        let text = b"1 2\n\n# 3\n44 55\n6 7";
        for bytes in 1..20 {
            let parts: Vec<&[u8]> = parts(text, bytes).collect();
            assert_eq!(parts.concat(), text);
            assert!(parts[..parts.len() - 1].iter().all(|part| part.ends_with(b"\n")), "{parts:?}");
        }
        let lines = "1 2\n".repeat(BYTES_PER_TASK / 2) + "x\n";
        assert_eq!(
            EdgeList::parse(lines.as_bytes()).unwrap_err(),
            format!("line {}: \"x\" is not a vertex number", BYTES_PER_TASK / 2 + 1)
        );
    }

    #[test]
    fn a_first_line_that_counts_is_a_header_and_an_edge_is_not() {
        assert_eq!(EdgeList::parse(b"3 2\n0 1\n1 2\n").unwrap().header, Some((3, 2)));
        assert_eq!(EdgeList::parse(b"7 2\n100 1\n1 50\n").unwrap().header, Some((7, 2)));
        assert_eq!(EdgeList::parse(b"3 3\n3 0\n1 2\n4 2\n").unwrap().header, None);
        assert_eq!(edges("1 2\n2 3\n").len(), 2);
    }

    #[test]
    fn what_is_dropped_is_counted() {
        let list = EdgeList::parse(b"1 1\n1 2\n2 1\n1 2\n").unwrap();
        assert_eq!((list.loops, list.repeated, list.vertices), (1, 2, 2));
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, reason) in [
            ("0 1\n1\n", "line 2: \"1\" is not two vertex numbers"),
            ("-1 2\n", "line 1: \"-1\" is not a vertex number"),
            ("0 1\n0 x\n", "line 2: \"x\" is not a vertex number"),
            ("0 99999999999999999999999\n", "line 1: \"99999999999999999999999\" is not a vertex number"),
            ("# nothing\n", "it holds no edge"),
            ("", "it holds no edge"),
        ] {
            assert_eq!(EdgeList::parse(text.as_bytes()).unwrap_err(), reason);
        }
    }
}
