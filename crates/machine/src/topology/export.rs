//! Writes hwloc's XML in format 2, which every `lstopo` since 2.0 and every tool on hwloc reads.

use std::fmt::{self, Write};

use super::{Cache, Node, Topology};
use crate::nest::Nested;
use crate::{CpuSet, Fact};

/// An object of the tree.
#[derive(Debug, Clone)]
enum Object {
    Machine,
    Package(u32),
    Die(u32),
    /// With its name, if it has one.
    Group(Option<String>),
    Cache(Cache),
    Core(u32),
    Thread(u32),
}

impl Topology {
    /// This machine as hwloc's XML, format 2.
    #[must_use]
    pub fn to_hwloc_xml(&self) -> String {
        let mut writer = Writer { machine: self, text: String::new(), next: 1, homes: vec![false; self.nodes.len()] };
        // Writing to a string does not fail.
        let _ = writer.document(&self.nested());
        writer.text
    }

    /// Equal sets nest in the order in which hwloc nests its types.
    fn nested(&self) -> Nested<Object> {
        let mut sets: Vec<(CpuSet, Object)> = Vec::new();
        sets.extend(self.sockets.iter().map(|s| (s.cpus.clone(), Object::Package(s.id))));
        sets.extend(self.dies.iter().map(|d| (d.cpus.clone(), Object::Die(d.id))));
        sets.extend(
            self.groups
                .iter()
                .map(|g| (g.cpus.clone(), Object::Group(Some(g.kind.clone()).filter(|kind| kind != "group")))),
        );
        let homeless = |node: &&Node| {
            let same = |cpus: &CpuSet| *cpus == node.cpus;
            !node.cpus.is_empty()
                && node.cpus.len() < self.hardware_threads.len()
                && !self.sockets.iter().any(|s| same(&s.cpus))
                && !self.dies.iter().any(|d| same(&d.cpus))
                && !self.groups.iter().any(|g| same(&g.cpus))
                && !self.caches.iter().any(|c| same(&c.cpus))
        };
        sets.extend(self.nodes.iter().filter(homeless).map(|node| (node.cpus.clone(), Object::Group(None))));
        let mut caches: Vec<&Cache> = self.caches.iter().collect();
        caches.sort_by_key(|cache| (std::cmp::Reverse(cache.level), cache.kind == "instruction"));
        sets.extend(caches.into_iter().map(|cache| (cache.cpus.clone(), Object::Cache(cache.clone()))));
        sets.extend(self.cores.iter().map(|core| (core.cpus.clone(), Object::Core(core.id))));
        sets.extend(self.hardware_threads.iter().map(|thread| (thread.cpus.clone(), Object::Thread(thread.id))));
        Nested::new(self.online(), Object::Machine, sets)
    }
}

struct Writer<'a> {
    machine: &'a Topology,
    text: String,
    next: u32,
    /// Nodes that have been written: each is written with the outermost object that has its cpus.
    homes: Vec<bool>,
}

impl Writer<'_> {
    fn document(&mut self, root: &Nested<Object>) -> fmt::Result {
        writeln!(self.text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(self.text, "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">")?;
        self.object(root, 1)?;
        self.distances()?;
        for kind in &self.machine.cpu_kinds {
            writeln!(self.text, "  <cpukind cpuset=\"{}\">", kind.cpus.to_hwloc())?;
            if let Some(mhz) = kind.max_mhz {
                writeln!(self.text, "    <info name=\"FrequencyMaxMHz\" value=\"{mhz}\"/>")?;
            }
            writeln!(self.text, "  </cpukind>")?;
        }
        writeln!(self.text, "</topology>")
    }

    fn object(&mut self, nested: &Nested<Object>, depth: usize) -> fmt::Result {
        let indent = " ".repeat(2 * depth);
        write!(self.text, "{indent}<object {}", self.describe(&nested.item, &nested.cpus))?;
        let nodes = self.nodes_below(&nested.cpus);
        self.sets(&nested.cpus, &nodes)?;
        if matches!(nested.item, Object::Thread(_)) {
            return writeln!(self.text, "/>");
        }
        writeln!(self.text, ">")?;
        if let (Object::Machine, Some(Fact::Known(model))) = (&nested.item, self.machine.facts.get("model")) {
            writeln!(self.text, "{indent}  <info name=\"CPUModel\" value=\"{}\"/>", escaped(model))?;
        }
        self.nodes_here(nested, depth + 1)?;
        for child in &nested.children {
            self.object(child, depth + 1)?;
        }
        writeln!(self.text, "{indent}</object>")
    }

    fn describe(&self, item: &Object, cpus: &CpuSet) -> String {
        match item {
            Object::Machine => format!(
                "type=\"Machine\" os_index=\"0\" allowed_cpuset=\"{}\" allowed_nodeset=\"{}\"",
                self.machine.allowed.cpus.intersection(cpus).to_hwloc(),
                self.machine.allowed.nodes.to_hwloc()
            ),
            Object::Package(id) => format!("type=\"Package\" os_index=\"{id}\""),
            Object::Die(id) => format!("type=\"Die\" os_index=\"{id}\""),
            Object::Group(kind) => {
                let subtype = kind.as_ref().map(|kind| format!(" subtype=\"{}\"", escaped(kind)));
                format!("type=\"Group\"{} kind=\"0\" subkind=\"0\"", subtype.unwrap_or_default())
            }
            Object::Core(id) => format!("type=\"Core\" os_index=\"{id}\""),
            Object::Thread(id) => format!("type=\"PU\" os_index=\"{id}\""),
            Object::Cache(cache) => {
                let (letter, kind) = match cache.kind.as_str() {
                    "instruction" => ("i", 2),
                    "data" => ("", 1),
                    _ => ("", 0),
                };
                let (level, size) = (cache.level, cache.size_bytes);
                format!(
                    "type=\"L{level}{letter}Cache\" cache_size=\"{size}\" depth=\"{level}\" cache_linesize=\"64\" \
                     cache_associativity=\"0\" cache_type=\"{kind}\""
                )
            }
        }
    }

    /// The sets that every object has, and its number.
    fn sets(&mut self, cpus: &CpuSet, nodes: &CpuSet) -> fmt::Result {
        let (cpus, nodes, number) = (cpus.to_hwloc(), nodes.to_hwloc(), self.next);
        self.next += 1;
        write!(
            self.text,
            " cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{nodes}\" complete_nodeset=\"{nodes}\" \
             gp_index=\"{number}\""
        )
    }

    fn nodes_below(&self, cpus: &CpuSet) -> CpuSet {
        let whole = cpus.len() == self.machine.hardware_threads.len();
        let near = |node: &&Node| if node.cpus.is_empty() { whole } else { !node.cpus.intersection(cpus).is_empty() };
        self.machine.nodes.iter().filter(near).map(|node| node.id).collect()
    }

    fn nodes_here(&mut self, nested: &Nested<Object>, depth: usize) -> fmt::Result {
        for (at, node) in self.machine.nodes.iter().enumerate() {
            let whole = matches!(nested.item, Object::Machine);
            let here = node.cpus == nested.cpus || (node.cpus.is_empty() && whole);
            if !here || std::mem::replace(&mut self.homes[at], true) {
                continue;
            }
            let subtype = node.kind.as_ref().map(|kind| format!(" subtype=\"{}\"", escaped(kind)));
            write!(
                self.text,
                "{}<object type=\"NUMANode\" os_index=\"{}\"{} local_memory=\"{}\"",
                " ".repeat(2 * depth),
                node.id,
                subtype.unwrap_or_default(),
                node.memory_bytes
            )?;
            self.sets(&node.cpus, &[node.id].into_iter().collect())?;
            writeln!(self.text, "/>")?;
        }
        Ok(())
    }

    fn distances(&mut self) -> fmt::Result {
        let nodes = &self.machine.nodes;
        if nodes.len() < 2 || nodes.iter().any(|node| node.distances.len() != nodes.len()) {
            return Ok(());
        }
        let line = |words: Vec<String>| words.join(" ") + " ";
        let indexes = line(nodes.iter().map(|node| node.id.to_string()).collect());
        let values = line(nodes.iter().flat_map(|node| node.distances.iter().map(ToString::to_string)).collect());
        let count = nodes.len();
        writeln!(
            self.text,
            "  <distances2 type=\"NUMANode\" nbobjs=\"{count}\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">"
        )?;
        writeln!(self.text, "    <indexes length=\"{}\">{indexes}</indexes>", indexes.len())?;
        writeln!(self.text, "    <u64values length=\"{}\">{values}</u64values>\n  </distances2>", values.len())
    }
}

/// Text as the value of an attribute, in printable ASCII. XML 1.0 cannot express most control characters; they become
/// U+FFFD.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '"' => safe.push_str("&quot;"),
            ' '..='~' => safe.push(letter),
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                safe.push_str("&#xfffd;");
            }
            // Writing to a string does not fail.
            _ => drop(write!(safe, "&#x{:x};", u32::from(letter))),
        }
    }
    safe
}
