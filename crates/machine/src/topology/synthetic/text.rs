//! Parses the words of a synthetic description.

use super::MOST_THREADS;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Package,
    Die,
    Group,
    Node,
    /// Level and `data`, `instruction` or `unified`.
    Cache(u32, &'static str),
    Core,
    Thread,
}

#[derive(Debug, Clone)]
pub(super) struct Level {
    pub(super) kind: Kind,
    /// Objects inside one object of the level before.
    pub(super) count: usize,
    /// `[...]`: attached to the level before instead of being one.
    pub(super) beside: bool,
    pub(super) bytes: Option<u64>,
    pub(super) indexes: Option<String>,
}

pub(super) fn parse(text: &str) -> Result<Vec<Level>, String> {
    let words = words(text)?;
    let threads = words.iter().filter(|word| !word.starts_with('[')).count();
    let mut levels = Vec::new();
    let mut from_inside = threads;
    for word in words {
        let inner = match word.strip_prefix('[') {
            Some(rest) => {
                Some(rest.strip_suffix(']').ok_or_else(|| format!("'{word}' does not end with its bracket"))?)
            }
            None => None,
        };
        if inner.is_none() {
            from_inside -= 1;
        }
        levels.push(level(inner.unwrap_or(&word), inner.is_some(), from_inside, threads)?);
    }
    match levels.iter().rev().find(|level| !level.beside) {
        Some(Level { kind: Kind::Thread, .. }) => {}
        Some(_) => levels.push(Level { kind: Kind::Thread, count: 1, beside: false, bytes: None, indexes: None }),
        None => return Err("it names no level".into()),
    }
    Ok(levels)
}

/// Words are separated by spaces outside brackets.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut depth) = (vec![String::new()], 0_i32);
    for letter in text.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            break;
        }
        if letter.is_whitespace() && depth == 0 {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    if depth != 0 {
        return Err("a bracket has no partner".into());
    }
    Ok(words.into_iter().filter(|word| !word.is_empty()).collect())
}

fn level(word: &str, beside: bool, from_inside: usize, levels: usize) -> Result<Level, String> {
    let head = word.find('(').unwrap_or(word.len());
    let (name, count) = match word[..head].split_once(':') {
        Some((name, count)) => (name, count),
        None if beside => (&word[..head], "1"),
        None => ("", &word[..head]),
    };
    let wrong = || format!("'{word}' is not a level; write TYPE:NUMBER");
    let count: usize = count.parse().ok().filter(|&n| n > 0 && n <= MOST_THREADS).ok_or_else(wrong)?;
    let kind = if name.is_empty() { default_kind(from_inside, levels) } else { kind(name)? };
    let mut level = Level { kind, count, beside, bytes: None, indexes: None };
    // hwloc reads one pair of brackets after a level and ignores the rest.
    let attributes = word[head..].strip_prefix('(').map_or("", |rest| rest.split(')').next().unwrap_or(rest));
    for attribute in attributes.split_whitespace() {
        match attribute.split_once('=') {
            Some(("memory" | "size", size)) => {
                level.bytes = Some(bytes(size).ok_or_else(|| format!("'{size}' is not a size"))?);
            }
            Some(("indexes", order)) => level.indexes = Some(order.to_owned()),
            Some(_) => {}
            None => return Err(format!("'{attribute}' is not an attribute; write NAME=VALUE")),
        }
    }
    Ok(level)
}

pub(super) fn kind(name: &str) -> Result<Kind, String> {
    let name = name.to_lowercase();
    let caches = [
        ("", "unified"),
        ("cache", "unified"),
        ("u", "unified"),
        ("d", "data"),
        ("dcache", "data"),
        ("i", "instruction"),
        ("icache", "instruction"),
    ];
    if let Some(rest) = name.strip_prefix('l')
        && let Some(level) = rest.chars().next().and_then(|digit| digit.to_digit(10))
        && (1..=5).contains(&level)
        && let Some((_, kind)) = caches.iter().find(|(end, _)| *end == &rest[1..])
    {
        return Ok(Kind::Cache(level, kind));
    }
    // hwloc takes any unambiguous prefix of a type's name.
    let types = [
        ("package", 2, Kind::Package),
        ("socket", 2, Kind::Package),
        ("die", 2, Kind::Die),
        ("group", 2, Kind::Group),
        ("numanode", 2, Kind::Node),
        ("node", 2, Kind::Node),
        ("core", 2, Kind::Core),
        ("pu", 2, Kind::Thread),
    ];
    let found = types.into_iter().find(|(full, least, _)| name.len() >= *least && full.starts_with(&name));
    found.map(|(_, _, kind)| kind).ok_or_else(|| format!("'{name}' is not an object type"))
}

/// hwloc's own choice for levels without a type: from the inside hardware threads, cores, an L2, groups; the outermost
/// of three or more is a package.
fn default_kind(from_inside: usize, levels: usize) -> Kind {
    match (from_inside, levels) {
        (0, _) => Kind::Thread,
        (n, levels) if n + 1 == levels && levels >= 3 => Kind::Package,
        (1, 4..) => Kind::Core,
        (2, 5..) => Kind::Cache(2, "unified"),
        _ => Kind::Group,
    }
}

/// `64GB`, `16MiB`, `1024`; hwloc's units are powers of two for both `kB`, `MB`, `GB`, `TB` and their `i` forms.
fn bytes(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let factor = match text[end..].to_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "kib" => 1 << 10,
        "mb" | "mib" => 1 << 20,
        "gb" | "gib" => 1 << 30,
        "tb" | "tib" => 1_u64 << 40,
        _ => return None,
    };
    text[..end].parse::<u64>().ok()?.checked_mul(factor)
}
