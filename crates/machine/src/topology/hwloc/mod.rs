//! Reads a [`Topology`] from hwloc's XML, format 2 (hwloc 2.x) or 3 (hwloc 3.0).
//!
//! Differences from the kernel's view: sockets and cores are those that hwloc found (two integer cores of one AMD
//! module are two cores here, one in `thread_siblings`); a node without cpus is attached to the nearest ones, so its
//! `cpus` are not empty; parts that were not allowed when the file was written may be missing.

mod annexes;

use std::collections::BTreeMap;
use std::str::FromStr;

use roxmltree::{Document, Node as Element, ParsingOptions};

use super::{Allowed, Cache, Core, CpuKind, Group, NamedGroup, Node, Topology, hardware_threads, node_of};
use crate::{CpuSet, Error, Fact, Facts};

/// Deeper nesting than any machine has: the walk is recursive, so a hostile file must not choose its depth.
const DEEPEST: usize = 128;

const MOST_CPUS: u32 = 1 << 16;

impl Topology {
    /// Reads hwloc's XML; errors use `name`.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the text is not hwloc's XML in format 2 or 3, or describes no hardware thread.
    pub fn from_hwloc_xml(text: &str, name: &str) -> Result<Self, Error> {
        let bad = |text: String, expected| Error::Malformed { path: name.into(), text, expected };
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|e| bad(e.to_string(), "XML"))?;
        let root = document.root_element();
        let version = root.attribute("version").unwrap_or("1");
        if !root.has_tag_name("topology") || !["2.", "3."].iter().any(|major| version.starts_with(major)) {
            let found = format!("<{} version=\"{version}\">", root.tag_name().name());
            return Err(bad(found, "hwloc's XML in format 2 or 3 (lstopo --of xml writes it)"));
        }
        let mut found = Found::default();
        for object in root.children().filter(|child| child.has_tag_name("object")) {
            found.walk(object, 0).map_err(|(text, expected)| bad(text, expected))?;
        }
        if found.threads.is_empty() {
            return Err(bad("no object of type PU".into(), "a machine with at least one hardware thread"));
        }
        let annexes = |found: &mut Found| {
            found.distances(root)?;
            found.memory_attributes(root)?;
            found.kinds(root)
        };
        annexes(&mut found).map_err(|(text, expected)| bad(text, expected))?;
        Ok(found.topology())
    }
}

type Reason = (String, &'static str);

/// The objects found so far.
#[derive(Default)]
struct Found {
    machine: Option<CpuSet>,
    complete: CpuSet,
    allowed: Option<(CpuSet, CpuSet)>,
    sockets: Vec<Group>,
    dies: Vec<Group>,
    groups: Vec<NamedGroup>,
    nodes: Vec<Node>,
    caches: Vec<Cache>,
    cores: Vec<CpuSet>,
    threads: CpuSet,
    kinds: Vec<CpuKind>,
    facts: Facts,
    /// hwloc's own number of an object to the node's, for attributes that name nodes by it.
    node_by_gp: BTreeMap<String, u32>,
}

impl Found {
    fn walk(&mut self, object: Element<'_, '_>, depth: usize) -> Result<(), Reason> {
        if depth > DEEPEST {
            return Err((format!("objects nested {depth} deep"), "a machine"));
        }
        self.take(object)?;
        for child in object.children().filter(Element::is_element) {
            if child.has_tag_name("object") {
                self.walk(child, depth + 1)?;
            } else if child.has_tag_name("info") && depth <= 1 {
                self.info(child);
            }
        }
        Ok(())
    }

    fn take(&mut self, object: Element<'_, '_>) -> Result<(), Reason> {
        let kind = object.attribute("type").unwrap_or_default();
        let cpus = set(object, "cpuset")?;
        let os_index: u64 = number(object, "os_index")?.unwrap_or_else(|| cpus.first().unwrap_or(0).into());
        let id = u32::try_from(os_index).map_err(|_| (os_index.to_string(), "an os_index of 32 bits"))?;
        let position = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        match kind {
            "Machine" => {
                self.allowed = Some((set_or(object, "allowed_cpuset", &cpus)?, set(object, "allowed_nodeset")?));
                self.complete = set_or(object, "complete_cpuset", &cpus)?;
                self.machine = Some(cpus);
            }
            "Package" => self.sockets.push(Group { id, cpus }),
            "Die" => self.dies.push(Group { id: position(self.dies.len()), cpus }),
            "Group" => {
                let kind = object.attribute("subtype").map_or("group".into(), str::to_lowercase);
                self.groups.push(NamedGroup { id: position(self.groups.len()), kind, cpus });
            }
            "NUMANode" => {
                let gp = object.attribute("gp_index").unwrap_or_default().to_owned();
                self.node_by_gp.insert(gp, id);
                let kind = object.attribute("subtype").map(str::to_owned);
                let bytes = number(object, "local_memory")?.unwrap_or(0);
                let side_cache_bytes = side_cache(object)?;
                self.nodes.push(Node { kind, side_cache_bytes, ..Node::plain(id, cpus, bytes) });
            }
            "Core" => self.cores.push(cpus),
            "PU" if id >= MOST_CPUS => return Err((id.to_string(), "a cpu number")),
            "PU" => self.threads.extend([id]),
            _ if kind.ends_with("Cache") && kind.starts_with('L') => self.caches.extend(cache(object, cpus)?),
            _ => {}
        }
        Ok(())
    }

    fn info(&mut self, info: Element<'_, '_>) {
        let names = [("CPUModel", "model"), ("OSRelease", "kernel")];
        let name = info.attribute("name").unwrap_or_default();
        if let Some((_, fact)) = names.into_iter().find(|(theirs, _)| *theirs == name) {
            let value = info.attribute("value").unwrap_or_default();
            self.facts.entry(fact.into()).or_insert_with(|| Fact::Known(value.into()));
        }
    }

    fn topology(mut self) -> Topology {
        let threads = self.threads.clone();
        self.caches.sort_by_key(|cache| (cache.level, cache.cpus.first(), cache.kind.clone()));
        for (id, cache) in (0..).zip(&mut self.caches) {
            cache.id = id;
        }
        if self.nodes.is_empty() {
            self.nodes.push(Node::plain(0, threads.clone(), 0));
        }
        self.nodes.sort_by_key(|node| node.id);
        if self.sockets.is_empty() {
            let unavailable = "the file describes no package".into();
            self.facts.insert("socket_numbers".into(), Fact::Unavailable { unavailable });
            self.sockets.push(Group { id: 0, cpus: threads.clone() });
        }
        renumber_if_twice(&mut self.sockets);
        let cores = cores(&self.cores, &threads, &self.sockets, &self.nodes);
        let allowed = allowed(self.allowed.unwrap_or_default(), &threads, &self.nodes);
        Topology {
            schema: Topology::SCHEMA,
            sockets: self.sockets,
            dies: self.dies,
            groups: self.groups,
            nodes: self.nodes,
            caches: self.caches,
            hardware_threads: hardware_threads(&cores),
            cores,
            cpu_kinds: self.kinds,
            offline: self.complete.difference(&threads),
            allowed,
            facts: self.facts,
        }
    }
}

/// Cpus and nodes that the file says may be used; where it says none, all.
fn allowed((cpus, nodes): (CpuSet, CpuSet), threads: &CpuSet, all: &[Node]) -> Allowed {
    let all_nodes: CpuSet = all.iter().map(|node| node.id).collect();
    let nodes = if nodes.is_empty() { all_nodes } else { nodes.intersection(&all_nodes) };
    let cpus = if cpus.is_empty() { threads.clone() } else { cpus.intersection(threads) };
    Allowed { cpuset: (cpus != *threads).then(|| cpus.clone()), cpus, nodes, quota_cpus: None, memory_bytes: None }
}

/// Sockets without numbers, or with the same one, are numbered in order.
fn renumber_if_twice(sockets: &mut [Group]) {
    let distinct: std::collections::BTreeSet<u32> = sockets.iter().map(|socket| socket.id).collect();
    if distinct.len() < sockets.len() {
        for (id, socket) in (0..).zip(sockets) {
            socket.id = id;
        }
    }
}

/// Cores with their socket and node; a hardware thread that no core names is a core of its own.
fn cores(named: &[CpuSet], threads: &CpuSet, sockets: &[Group], nodes: &[Node]) -> Vec<Core> {
    let inside = |cpus: &CpuSet| cpus.intersection(threads);
    let covered: CpuSet = named.iter().flat_map(CpuSet::iter).collect();
    let lone = threads.difference(&covered);
    let lone = lone.iter().map(|cpu| [cpu].into_iter().collect::<CpuSet>());
    let mut sets: Vec<CpuSet> = named.iter().map(inside).filter(|cpus| !cpus.is_empty()).chain(lone).collect();
    sets.sort();
    let socket = |cpu: u32| sockets.iter().find(|socket| socket.cpus.contains(cpu)).map_or(0, |socket| socket.id);
    let core = |(id, cpus): (u32, CpuSet)| {
        let first = cpus.first().expect("empty sets were left out");
        Core { id, socket: socket(first), node: node_of(nodes, first).unwrap_or(0), cpus }
    };
    (0..).zip(sets).map(core).collect()
}

/// Size of the largest cache in front of a node's memory.
fn side_cache(node: Element<'_, '_>) -> Result<u64, Reason> {
    let above = node.ancestors().filter(|object| object.attribute("type") == Some("MemCache"));
    let sizes = above.map(|cache| number(cache, "cache_size")).collect::<Result<Vec<_>, _>>()?;
    Ok(sizes.into_iter().flatten().max().unwrap_or(0))
}

fn cache(object: Element<'_, '_>, cpus: CpuSet) -> Result<Option<Cache>, Reason> {
    let kind = match object.attribute("cache_type") {
        Some("1" | "Data") => "data",
        Some("2" | "Instruction") => "instruction",
        _ => "unified",
    };
    let Some(level) = number(object, "depth")? else { return Ok(None) };
    let size_bytes = number(object, "cache_size")?.unwrap_or(0);
    Ok(Some(Cache { id: 0, level, kind: kind.into(), size_bytes, cpus }))
}

/// The number in an attribute; none if the attribute is missing.
fn number<T: FromStr>(element: Element<'_, '_>, name: &str) -> Result<Option<T>, Reason> {
    element.attribute(name).map(|text| parsed(text, name)).transpose()
}

/// A number, or an error. Skipping a number that cannot be read would silently describe another machine.
fn parsed<T: FromStr>(text: &str, name: &str) -> Result<T, Reason> {
    text.trim().parse().map_err(|_| (format!("{name}={text}"), "a number in range"))
}

fn set(element: Element<'_, '_>, name: &str) -> Result<CpuSet, Reason> {
    let Some(text) = element.attribute(name) else { return Ok(CpuSet::default()) };
    CpuSet::from_hwloc(text).map_err(|_| (text.to_owned(), "a set in hwloc's notation"))
}

fn set_or(element: Element<'_, '_>, name: &str, otherwise: &CpuSet) -> Result<CpuSet, Reason> {
    let found = set(element, name)?;
    Ok(if found.is_empty() { otherwise.clone() } else { found })
}
