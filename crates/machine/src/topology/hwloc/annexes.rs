//! The parts of hwloc's XML after the tree of objects: distances, memory attributes, kinds of cores.

use roxmltree::Node as Element;

use super::{Found, Reason, number, parsed, set};
use crate::topology::{Access, CpuKind, Node, kinds};

impl Found {
    /// Firmware distances; their rows and columns are in hwloc's order, ours in ascending order of node number.
    pub(super) fn distances(&mut self, root: Element<'_, '_>) -> Result<(), Reason> {
        let latency = |e: &Element<'_, '_>| e.has_tag_name("distances2") && e.attribute("name") == Some("NUMALatency");
        let Some(matrix) = root.children().find(latency) else { return Ok(()) };
        let words = |tag: &str| -> Vec<String> {
            let parts = matrix.children().filter(|child| child.has_tag_name(tag)).filter_map(|child| child.text());
            parts.flat_map(str::split_whitespace).map(str::to_owned).collect()
        };
        let by_os = matrix.attribute("indexing") != Some("gp");
        let node = |word: &String| {
            if by_os { parsed(word, "index").map(Some) } else { Ok(self.node_by_gp.get(word).copied()) }
        };
        let indexes: Vec<Option<u32>> = words("indexes").iter().map(node).collect::<Result<_, _>>()?;
        let values: Vec<u32> =
            words("u64values").iter().map(|word| parsed(word, "distance")).collect::<Result<_, _>>()?;
        if values.len() != indexes.len() * indexes.len() {
            return Err((format!("{} distances for {} nodes", values.len(), indexes.len()), "a square matrix"));
        }
        let mut columns: Vec<(u32, usize)> =
            indexes.iter().enumerate().filter_map(|(at, id)| Some(((*id)?, at))).collect();
        columns.sort_unstable();
        for node in &mut self.nodes {
            let Some(row) = indexes.iter().position(|id| *id == Some(node.id)) else { continue };
            node.distances = columns.iter().map(|(_, column)| values[row * indexes.len() + column]).collect();
        }
        Ok(())
    }

    /// Latency and bandwidth of each node from its nearest initiator (the firmware's HMAT, or a benchmark's).
    pub(super) fn memory_attributes(&mut self, root: Element<'_, '_>) -> Result<(), Reason> {
        for attribute in root.children().filter(|child| child.has_tag_name("memattr")) {
            let name = attribute.attribute("name").unwrap_or_default();
            for value in attribute.children().filter(|child| child.has_tag_name("memattr_value")) {
                let gp = value.attribute("target_obj_gp_index").unwrap_or_default();
                let node = self.node_by_gp.get(gp).and_then(|id| self.nodes.iter_mut().find(|node| node.id == *id));
                if let Some((node, number)) = node.zip(number(value, "value")?) {
                    let near = Some(set(value, "initiator_cpuset")?).filter(|cpus| !cpus.is_empty());
                    if near.is_none_or(|cpus| !cpus.intersection(&node.cpus).is_empty()) {
                        note(node, name, number);
                    }
                }
            }
        }
        for node in &mut self.nodes {
            if node.access == Some(Access::default()) {
                node.access = None;
            }
        }
        Ok(())
    }

    pub(super) fn kinds(&mut self, root: Element<'_, '_>) -> Result<(), Reason> {
        let elements: Vec<_> = root.children().filter(|child| child.has_tag_name("cpukind")).collect();
        for element in &elements {
            let info = |name: &str| {
                let mut infos = element.children().filter(|child| child.has_tag_name("info"));
                infos.find(|info| info.attribute("name") == Some(name)).and_then(|info| info.attribute("value"))
            };
            let name = match info("CoreType") {
                Some("IntelCore") => "performance".to_owned(),
                Some("IntelAtom") => "efficiency".to_owned(),
                _ => String::new(),
            };
            let number = |name: &str| info(name).map(|text| parsed(text, name)).transpose();
            let (max_mhz, capacity) = (number("FrequencyMaxMHz")?, number("LinuxCapacity")?);
            let cpus = set(*element, "cpuset")?;
            self.kinds.push(CpuKind { id: 0, name, cpus, max_mhz, capacity });
        }
        self.kinds.sort_by_key(|kind| (kind.capacity, kind.max_mhz));
        let several = self.kinds.len();
        for (id, kind) in (0..).zip(&mut self.kinds) {
            kind.id = id;
            if kind.name.is_empty() {
                kind.name = kinds::name(several, id);
            }
        }
        Ok(())
    }
}

fn note(node: &mut Node, name: &str, number: u64) {
    let access = node.access.get_or_insert_default();
    match name {
        "Latency" | "ReadLatency" => access.read_latency_ns = Some(number),
        "WriteLatency" => access.write_latency_ns = Some(number),
        "Bandwidth" | "ReadBandwidth" => access.read_bandwidth_mib_s = Some(number),
        "WriteBandwidth" => access.write_bandwidth_mib_s = Some(number),
        _ => {}
    }
}
