//! Draws a machine as text: sockets and nodes as paragraphs, cores as brackets with their hardware threads.

use std::fmt::{self, Write};

use knee_machine::topology::{Core, Node};
use knee_machine::{CpuSet, Topology};

const WIDTH: usize = 78;

/// Sockets with nodes and cores; `label` gives a cpu's text.
pub(crate) fn sockets(machine: &Topology, label: impl Fn(u32) -> String) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = draw(machine, &label, &mut text);
    text
}

fn draw(machine: &Topology, label: &dyn Fn(u32) -> String, text: &mut String) -> fmt::Result {
    let width = machine.hardware_threads.iter().map(|thread| label(thread.id).len()).max().unwrap_or(1);
    for socket in machine.sockets.iter().filter(|socket| !socket.cpus.is_empty()) {
        writeln!(text, "\nsocket {}", socket.id)?;
        for node in machine.nodes.iter().map(Some).chain([None]) {
            let id = node.map(|node| node.id);
            let inside = |core: &&Core| core.socket == socket.id && machine.home(core) == id;
            let here: Vec<&Core> = machine.cores.iter().filter(inside).collect();
            if here.is_empty() {
                continue;
            }
            if let Some(node) = node {
                let cpus = node.cpus.intersection(&socket.cpus);
                writeln!(text, "  node {:<3} {}   cpus {}", node.id, memory(node), short(&cpus))?;
            } else {
                let cpus: CpuSet = here.iter().flat_map(|core| core.cpus.iter()).collect();
                writeln!(text, "  node unknown   cpus {}", short(&cpus))?;
            }
            for row in rows(machine, &here) {
                let words: Vec<String> = row.cores.iter().map(|core| bracketed(&core.cpus, label, width)).collect();
                wrapped(text, &format!("    {:<11} ", row.name), &words)?;
            }
        }
    }
    Ok(())
}

/// Cores that share a last-level cache, or are of one kind if there are several.
struct Row<'a> {
    name: String,
    cores: Vec<&'a Core>,
}

fn rows<'a>(machine: &Topology, cores: &[&'a Core]) -> Vec<Row<'a>> {
    let kind = |core: &Core| {
        let first = core.cpus.first()?;
        let several = machine.cpu_kinds.len() > 1;
        machine.cpu_kinds.iter().find(|kind| several && kind.cpus.contains(first)).map(|kind| kind.name.clone())
    };
    let cache = |core: &Core| core.cpus.first().and_then(|cpu| machine.last_level_cache(cpu)).map(|cache| cache.id);
    let mut caches: Vec<_> = cores.iter().map(|core| cache(core)).collect();
    caches.dedup();
    // A row for each cache only if caches have several cores; otherwise each core would have a row.
    let by_cache = caches.len() > 1 && caches.len() < cores.len();
    let mut rows: Vec<(Option<String>, Option<u32>, Row<'a>)> = Vec::new();
    for core in cores {
        let key = (kind(core), cache(core).filter(|_| by_cache));
        if let Some((.., row)) = rows.iter_mut().find(|(kind, cache, _)| (kind, cache) == (&key.0, &key.1)) {
            row.cores.push(core);
            continue;
        }
        let name = match &key {
            (Some(kind), _) => kind.clone(),
            (None, Some(_)) => "share LLC".into(),
            _ => "cores".into(),
        };
        rows.push((key.0, key.1, Row { name, cores: vec![core] }));
    }
    rows.into_iter().map(|(.., row)| row).collect()
}

/// `[0 16]`: the siblings of a core.
fn bracketed(cpus: &CpuSet, label: &dyn Fn(u32) -> String, width: usize) -> String {
    format!("[{}]", cpus.iter().map(|cpu| format!("{:>width$}", label(cpu))).collect::<Vec<_>>().join(" "))
}

/// Words after a first one, broken at the width and aligned.
pub(crate) fn wrapped(text: &mut String, first: &str, words: &[String]) -> fmt::Result {
    let mut line = first.to_owned();
    for word in words {
        if line.len() + word.len() > WIDTH && line.trim().len() > first.trim().len() {
            writeln!(text, "{}", line.trim_end())?;
            line = " ".repeat(first.len());
        }
        line += word;
        line += " ";
    }
    writeln!(text, "{}", line.trim_end())
}

/// A list of cpus, shortened to fit a line.
pub(crate) fn short(cpus: &CpuSet) -> String {
    let text = cpus.to_string();
    if text.len() <= 40 {
        return text;
    }
    let mut cut = text[..34].rfind(',').map_or(text[..34].to_owned(), |at| text[..at].to_owned());
    let _ = write!(cut, ",... ({})", cpus.len());
    cut
}

/// Size and kind of a node's memory.
pub(crate) fn memory(node: &Node) -> String {
    let kind = node.kind.as_ref().map(|kind| format!(" {kind}")).unwrap_or_default();
    if node.memory_bytes == 0 {
        return format!("memory unknown{kind}");
    }
    format!("{:>6.1} GiB{kind}", node.memory_bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_of_an_unknown_node_are_drawn() {
        let core = |cpu: u32| {
            let set = 1 << cpu;
            format!(
                r#"<object type="Core" os_index="{cpu}" cpuset="0x{set:x}"><object type="PU" os_index="{cpu}" cpuset="0x{set:x}"/></object>"#
            )
        };
        let node = r#"<object type="NUMANode" os_index="1" cpuset="0x1" local_memory="1073741824"/>"#;
        let text = format!(
            r#"<topology version="2.0"><object type="Machine" cpuset="0x3"><object type="Package" os_index="0" cpuset="0x3"><object type="Group" cpuset="0x1">{node}{}</object>{}</object></object></topology>"#,
            core(0),
            core(1)
        );
        let machine = Topology::from_hwloc_xml(&text, "made").unwrap();
        let drawn = sockets(&machine, |cpu| format!("c{cpu}"));
        assert!(drawn.contains("node 1") && drawn.contains("[c0]"), "{drawn}");
        assert!(drawn.contains("node unknown   cpus 1") && drawn.contains("[c1]"), "{drawn}");
    }
}
