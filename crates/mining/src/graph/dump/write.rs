//! Writing a dump.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use knee_machine::files;
use twox_hash::XxHash3_64;

use super::header::Header;
use super::{CHUNK, FRONT, MAGIC, Origin, VERSION};
use crate::Graph;

/// Writes a graph beside the file's place and moves it there when it is whole.
///
/// # Errors
/// The kernel's.
pub(crate) fn write(graph: &Graph, origin: &Origin, input: &str, path: &Path) -> io::Result<()> {
    files::write_whole(path, |part| whole(graph, origin, input, part))
}

fn whole(graph: &Graph, origin: &Origin, input: &str, path: &Path) -> io::Result<()> {
    let begins: Vec<u64> = graph.begins().iter().map(|begin| *begin as u64).collect();
    let named = (0..).zip(&origin.names).any(|(number, name)| number != *name);
    let names = if named { &origin.names[..] } else { &[] };
    let parts: [&[u8]; 4] = [
        bytemuck::cast_slice(&begins),
        bytemuck::cast_slice(graph.ranks()),
        bytemuck::cast_slice(names),
        bytemuck::cast_slice(graph.lists()),
    ];
    let header = Header {
        input: input.to_owned(),
        vertices: graph.vertices as u64,
        members: graph.lists().len() as u64,
        loops: origin.loops,
        repeated: origin.repeated,
        first_line: origin.header,
        named,
        checksums: parts.iter().flat_map(|part| part.chunks(CHUNK)).map(XxHash3_64::oneshot).collect(),
    };
    let header = serde_json::to_vec(&header).map_err(io::Error::other)?;
    let mut out = BufWriter::with_capacity(CHUNK, File::create(path)?);
    let mut front = Vec::with_capacity(FRONT);
    front.extend(MAGIC);
    front.extend(VERSION.to_le_bytes());
    front.extend((header.len() as u64).to_le_bytes());
    out.write_all(&front)?;
    out.write_all(&header)?;
    out.write_all(&XxHash3_64::oneshot(&header).to_le_bytes())?;
    parts.iter().try_for_each(|part| out.write_all(part))?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}
