//! Edge lists of many habits: comments, headers, gaps in the numbering, both directions, loops, repeated edges, trailing
//! fields.

use rayon::prelude::*;

use super::{adjacency, metis};
use crate::graph::EdgeList;
use crate::graph::header::header;

/// Reads the text of an edge list.
///
/// # Errors
/// The line and what is wrong with it.
pub(super) fn parse(text: &[u8]) -> Result<EdgeList, String> {
    let read = pairs(text, pair);
    if let Some(reason) = metis::refusal(text, read.as_deref().ok()).or_else(|| adjacency::refusal(text)) {
        return Err(reason.into());
    }
    let mut pairs = read?;
    let header = header(&pairs);
    if header.is_some() {
        pairs.remove(0);
    }
    if pairs.is_empty() {
        return Err("it holds no edge".into());
    }
    Ok(EdgeList { header, ..EdgeList::from_pairs(pairs) })
}

/// Bytes of text that one task reads.
const BYTES_PER_TASK: usize = 1 << 20;

/// What `pair` reads from each line, in parallel.
pub(super) fn pairs(
    text: &[u8],
    pair: impl Fn(&[u8]) -> Result<(u64, u64), String> + Sync,
) -> Result<Vec<(u64, u64)>, String> {
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

/// How many lines a text has, counted in parallel; with those that are empty or comments.
pub(super) fn count(text: &[u8]) -> usize {
    newlines(text) + usize::from(text.last().is_some_and(|byte| *byte != b'\n'))
}

/// How many lines of a text end.
#[allow(clippy::naive_bytecount, reason = "compilers count many bytes at a time, so a crate for it gains little")]
pub(super) fn newlines(text: &[u8]) -> usize {
    text.par_chunks(BYTES_PER_TASK).map(|part| part.iter().filter(|byte| **byte == b'\n').count()).sum()
}

/// The lines of a text that are neither empty nor comments, with their numbers.
pub(in crate::graph) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let trimmed = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    (1..).zip(trimmed).filter(|(_, line)| line.first().is_some_and(|first| !matches!(first, b'#' | b'%')))
}

/// The two numbers that a line begins with, between blanks, tabs or commas. Further fields are attributes and are
/// ignored.
pub(super) fn pair(line: &[u8]) -> Result<(u64, u64), String> {
    quick(line).map_or_else(|| careful(line), Ok)
}

/// The same for two short numbers that nothing is wrong with, as in nearly all lines.
fn quick(line: &[u8]) -> Option<(u64, u64)> {
    let (first, rest) = short(line)?;
    let from = rest.iter().position(|byte| !is_between(*byte)).filter(|from| *from > 0)?;
    let (second, rest) = short(&rest[from..])?;
    rest.first().is_none_or(|byte| is_between(*byte)).then_some((first, second))
}

/// A number of at most 19 digits, which fits 64 bits, and what follows it.
fn short(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut digits) = (0_u64, 0);
    for byte in text.iter().take(20) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        digits += 1;
    }
    (1..20).contains(&digits).then(|| (number, &text[digits..]))
}

/// The fields of a line.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| is_between(*byte)).filter(|word| !word.is_empty())
}

/// Whether a byte stands between the fields of a line.
fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',')
}

fn careful(line: &[u8]) -> Result<(u64, u64), String> {
    let mut words = fields(line);
    let mut next = || {
        let word = words.next().ok_or_else(|| format!("{:?} is not two vertex numbers", shown(line)))?;
        number(word)
    };
    Ok((next()?, next()?))
}

/// The number of a vertex.
pub(in crate::graph) fn number(word: &[u8]) -> Result<u64, String> {
    let digits = std::str::from_utf8(word).ok().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse::<u64>().ok());
    number.ok_or_else(|| format!("{:?} is not a vertex number", shown(word)))
}

/// At most 40 characters of a file's text, for an error.
pub(in crate::graph) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(text: &str) -> Vec<(u32, u32)> {
        parse(text.as_bytes()).unwrap().edges
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
    fn the_quick_way_reads_what_the_careful_one_reads() {
        for number in [
            "0",
            "7",
            "0012",
            "999999999999999999",
            "9999999999999999999",
            "18446744073709551615",
            "18446744073709551616",
            "x",
            "1x",
            "",
        ] {
            for (between, end) in [(" ", ""), ("\t", " 5"), (",  ", ",x"), ("", ""), ("-", "")] {
                for line in [format!("{number}{between}3{end}"), format!("3{between}{number}{end}")] {
                    assert_eq!(pair(line.as_bytes()), careful(line.as_bytes()), "{line}");
                }
            }
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
        assert_eq!([&b""[..], b"1 2", b"1 2\n", text].map(count), [0, 1, 1, 5]);
        let lines = "1 2\n".repeat(BYTES_PER_TASK / 2) + "x\n";
        assert_eq!(count(lines.as_bytes()), BYTES_PER_TASK / 2 + 1);
        assert_eq!(
            parse(lines.as_bytes()).unwrap_err(),
            format!("line {}: \"x\" is not a vertex number", BYTES_PER_TASK / 2 + 1)
        );
    }

    #[test]
    fn a_first_line_that_counts_is_a_header_and_an_edge_is_not() {
        assert_eq!(parse(b"3 2\n0 1\n1 2\n").unwrap().header, Some((3, 2)));
        assert_eq!(parse(b"7 2\n7 1\n1 5\n").unwrap().header, Some((7, 2)));
        assert_eq!(parse(b"3 2\n100 1\n1 50\n").unwrap().header, Some((3, 2)));
        assert_eq!(parse(b"5 4\n5 2\n2 7\n5 7\n4 7\n").unwrap().header, None);
        assert_eq!(parse(b"3 3\n3 0\n1 2\n4 2\n").unwrap().header, None);
        // Half of the lines that follow, which say each edge in both directions or not.
        assert_eq!(parse(b"9 2\n1 3\n2 3\n3 2\n3 1\n").unwrap().header, Some((9, 2)));
        assert_eq!(parse(b"9 2\n1 3\n2 3\n3 2\n9 1\n").unwrap().header, None);
        assert_eq!(edges("1 2\n2 3\n").len(), 2);
    }

    #[test]
    fn what_is_dropped_is_counted() {
        let list = parse(b"1 1\n1 2\n2 1\n1 2\n").unwrap();
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
            assert_eq!(parse(text.as_bytes()).unwrap_err(), reason);
        }
    }
}
