//! Reads hwloc's synthetic description: `pack:2 [numa(memory=64GB)] l3:1(size=16MB) core:8 pu:2(indexes=...)`.
//!
//! Levels from the outside in, each with the number of its objects inside one object of the level before. `indexes=`
//! renumbers a level: as a list (`0,2,1,3`), as steps (`2*8:8*2`, number of objects by distance), or by the levels to
//! interleave over (`node:core`). Levels without a type get hwloc's: the last one is the hardware thread, then core,
//! and so on outwards. Source: hwloc's manual, "Synthetic topologies".

use super::{Allowed, Cache, Core, Group, NamedGroup, Node, Topology, hardware_threads, node_of};
use crate::{CpuSet, Error, Facts};

/// Machines beyond this are typing errors.
const MOST_THREADS: usize = 1 << 16;
const DEFAULT_NODE_BYTES: u64 = 1 << 30;

impl Topology {
    /// Reads a synthetic description.
    ///
    /// # Errors
    /// [`Error::Synthetic`] with the word that is not understood.
    pub fn from_synthetic(text: &str) -> Result<Self, Error> {
        let bad = |reason: String| Error::Synthetic { text: text.into(), reason };
        let levels = parse(text).map_err(bad)?;
        build(&levels).map_err(bad)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
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
struct Level {
    kind: Kind,
    /// Objects inside one object of the level before.
    count: usize,
    /// `[...]`: hangs beside the level before instead of being one.
    beside: bool,
    bytes: Option<u64>,
    indexes: Option<String>,
}

fn parse(text: &str) -> Result<Vec<Level>, String> {
    let words = words(text)?;
    let threads = words.iter().filter(|word| !word.starts_with('[')).count();
    let mut levels = Vec::new();
    let mut from_inside = threads;
    for word in words {
        let inner = match word.strip_prefix('[') {
            Some(rest) => {
                Some(rest.strip_suffix(']').ok_or_else(|| format!("{word:?} does not end with its bracket"))?)
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

/// Words are separated by spaces that stand in no bracket.
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
    let wrong = || format!("{word:?} is no level: it is written TYPE:NUMBER");
    let count: usize = count.parse().ok().filter(|&n| n > 0 && n <= MOST_THREADS).ok_or_else(wrong)?;
    let kind = if name.is_empty() { default_kind(from_inside, levels) } else { kind(name)? };
    let mut level = Level { kind, count, beside, bytes: None, indexes: None };
    // hwloc reads one pair of brackets after a level and ignores what comes behind it.
    let attributes = word[head..].strip_prefix('(').map_or("", |rest| rest.split(')').next().unwrap_or(rest));
    for attribute in attributes.split_whitespace() {
        match attribute.split_once('=') {
            Some(("memory" | "size", size)) => {
                level.bytes = Some(bytes(size).ok_or_else(|| format!("{size:?} is no size"))?);
            }
            Some(("indexes", order)) => level.indexes = Some(order.to_owned()),
            Some(_) => {}
            None => return Err(format!("{attribute:?} is no attribute: it is written NAME=VALUE")),
        }
    }
    Ok(level)
}

fn kind(name: &str) -> Result<Kind, String> {
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
        && let Some((_, kind)) = caches.iter().find(|(end, _)| *end == &rest[1..])
    {
        return Ok(Kind::Cache(level, kind));
    }
    // hwloc takes any beginning of a type's name that is long enough to tell.
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
    found.map(|(_, _, kind)| kind).ok_or_else(|| format!("{name:?} is no type of object"))
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

/// `64GB`, `16MiB`, `1024`; hwloc's units are powers of two for `kB`, `MB`, `GB`, `TB` and their `i` forms alike.
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

/// A level with the number of its objects in the whole machine.
struct Counted<'a> {
    level: &'a Level,
    total: usize,
}

fn build(levels: &[Level]) -> Result<Topology, String> {
    let mut counted: Vec<Counted<'_>> = Vec::new();
    let mut total = 1_usize;
    for level in levels {
        let all = total.checked_mul(level.count).filter(|&all| all <= MOST_THREADS);
        let all = all.ok_or_else(|| format!("more than {MOST_THREADS} objects"))?;
        if !level.beside {
            total = all;
        }
        counted.push(Counted { level, total: all });
    }
    let numbers: Vec<Vec<u32>> = counted.iter().map(|one| numbers(one, &counted)).collect::<Result<_, _>>()?;
    let threads = &numbers[counted.iter().rposition(|one| one.level.kind == Kind::Thread).unwrap_or(0)];
    let sets = |one: &Counted<'_>| -> Vec<CpuSet> {
        let width = (threads.len() / one.total.min(threads.len())).max(1);
        // Several nodes beside one object share its cpus.
        let share = if one.level.beside { one.level.count } else { 1 };
        (0..one.total)
            .map(|at| at / share)
            .map(|at| threads[at * width * share..][..width * share].iter().copied().collect())
            .collect()
    };
    let mut machine = empty();
    for (one, numbers) in counted.iter().zip(&numbers) {
        place(&mut machine, one, numbers, sets(one));
    }
    finish(&mut machine, threads);
    Ok(machine)
}

fn place(machine: &mut Topology, one: &Counted<'_>, numbers: &[u32], sets: Vec<CpuSet>) {
    let objects = numbers.iter().copied().zip(sets);
    let bytes = one.level.bytes;
    match one.level.kind {
        Kind::Package => machine.sockets.extend(objects.map(|(id, cpus)| Group { id, cpus })),
        Kind::Die => machine.dies.extend(objects.map(|(id, cpus)| Group { id, cpus })),
        Kind::Group => {
            machine.groups.extend(objects.map(|(id, cpus)| NamedGroup { id, kind: "group".into(), cpus }));
        }
        Kind::Node => {
            let size = bytes.unwrap_or(DEFAULT_NODE_BYTES);
            let before = u32::try_from(machine.nodes.len()).unwrap_or(0);
            machine.nodes.extend(objects.map(|(id, cpus)| Node::plain(id + before, cpus, size)));
        }
        Kind::Cache(level, kind) => {
            let size_bytes = bytes.unwrap_or(if level == 1 { 32 << 10 } else { 1 << 20 << (2 * (level - 1)) });
            let cache = |(id, cpus)| Cache { id, level, kind: kind.into(), size_bytes, cpus };
            machine.caches.extend(objects.map(cache));
        }
        Kind::Core => {
            machine.cores.extend(objects.map(|(id, cpus)| Core { id, socket: 0, node: 0, cpus }));
        }
        Kind::Thread => {}
    }
}

/// Fills in what the description left out, in the same way as the other readers do.
fn finish(machine: &mut Topology, threads: &[u32]) {
    let all: CpuSet = threads.iter().copied().collect();
    if machine.nodes.is_empty() {
        machine.nodes.push(Node::plain(0, all.clone(), DEFAULT_NODE_BYTES));
    }
    if machine.sockets.is_empty() {
        machine.sockets.push(Group { id: 0, cpus: all.clone() });
    }
    if machine.cores.is_empty() {
        let lone = threads.iter().map(|&cpu| Core { id: 0, socket: 0, node: 0, cpus: [cpu].into_iter().collect() });
        machine.cores.extend(lone);
    }
    machine.nodes.sort_by_key(|node| node.id);
    machine.cores.sort_by_key(|core| core.cpus.first());
    machine.caches.sort_by_key(|cache| (cache.level, cache.cpus.first(), cache.kind.clone()));
    for (id, cache) in (0..).zip(&mut machine.caches) {
        cache.id = id;
    }
    for (id, core) in (0..).zip(&mut machine.cores) {
        let first = core.cpus.first().unwrap_or(0);
        core.id = id;
        core.node = node_of(&machine.nodes, first).unwrap_or(0);
        core.socket = machine.sockets.iter().find(|s| s.cpus.contains(first)).map_or(0, |s| s.id);
    }
    machine.hardware_threads = hardware_threads(&machine.cores);
    let nodes = machine.nodes.iter().map(|node| node.id).collect();
    machine.allowed = Allowed { cpus: all, nodes, cpuset: None, quota_cpus: None };
}

/// A topology to be filled.
fn empty() -> Topology {
    let nothing = CpuSet::default();
    Topology {
        schema: Topology::SCHEMA,
        sockets: vec![],
        dies: vec![],
        groups: vec![],
        nodes: vec![],
        caches: vec![],
        cores: vec![],
        hardware_threads: vec![],
        cpu_kinds: vec![],
        offline: nothing.clone(),
        allowed: Allowed { cpus: nothing.clone(), nodes: nothing, cpuset: None, quota_cpus: None },
        facts: Facts::new(),
    }
}

/// Number of each object of a level, in the order of the tree.
fn numbers(one: &Counted<'_>, all: &[Counted<'_>]) -> Result<Vec<u32>, String> {
    let total = one.total;
    let Some(order) = &one.level.indexes else { return Ok((0..).take(total).collect()) };
    let found: Vec<u32> = if order.contains('*') || order.contains(':') || order.starts_with(char::is_alphabetic) {
        stepped(&steps(order, total, all)?, total)
    } else {
        crate::cpuset::parse_ordered(order).map_err(|error| error.to_string())?
    };
    let distinct: CpuSet = found.iter().copied().collect();
    if found.len() != total || distinct.len() != total {
        return Err(format!("indexes={order:?} does not number {total} objects"));
    }
    Ok(found)
}

/// `(distance between objects, number of objects)` of each loop, the fastest-running one first.
fn steps(order: &str, total: usize, all: &[Counted<'_>]) -> Result<Vec<(usize, usize)>, String> {
    let wrong = |part: &str| format!("indexes: {part:?} is neither STEP*NUMBER nor a type");
    let written = |part: &str| {
        let (step, number) = part.split_once('*')?;
        Some((step.parse().ok().filter(|&n| n > 0)?, number.parse().ok().filter(|&n| n > 0)?))
    };
    let width = |part: &str| -> Result<usize, String> {
        let kind = kind(part)?;
        all.iter().find(|one| one.level.kind == kind).map(|one| one.total).ok_or_else(|| wrong(part))
    };
    let parts: Vec<&str> = order.split(':').collect();
    let mut steps: Vec<(usize, usize)> = if order.contains('*') {
        parts.iter().map(|part| written(part).ok_or_else(|| wrong(part))).collect::<Result<_, _>>()?
    } else {
        let widths = parts.iter().map(|part| width(part)).collect::<Result<Vec<_>, _>>()?;
        // A loop runs over the objects of its level inside one object of the next outer level that is named.
        let outer = |own: usize| widths.iter().copied().filter(|&other| other < own).max().unwrap_or(1);
        widths.iter().map(|&own| ((total / own.max(1)).max(1), (own / outer(own)).max(1))).collect()
    };
    // What no loop names runs slowest, over neighbours.
    let covered: usize = steps.iter().map(|(_, number)| *number).fold(1, usize::saturating_mul);
    if covered < total && total.is_multiple_of(covered) {
        steps.push((1, total / covered));
    }
    Ok(steps)
}

/// Number of each position: its digits in the loops, the first loop's digit being the lowest.
fn stepped(steps: &[(usize, usize)], total: usize) -> Vec<u32> {
    let number = |position: usize| {
        let digits = steps.iter().scan(1_usize, |weight, (step, number)| {
            let digit = position / step % number * *weight;
            *weight = weight.saturating_mul(*number);
            Some(digit)
        });
        u32::try_from(digits.sum::<usize>()).unwrap_or(u32::MAX)
    };
    (0..total).map(number).collect()
}
