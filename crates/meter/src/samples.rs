//! Time series as gzip CSV: `t_ns,source,name,value`, one line a value.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Gathers lines in memory and writes them when the run is over, so that no disk is touched while it runs.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    lines: Vec<u8>,
}

impl Samples {
    pub(crate) fn push(&mut self, t_ns: u64, source: &str, name: &str, value: u64) {
        let (source, name) = (field(source), field(name));
        writeln!(self.lines, "{t_ns},{source},{name},{value}").expect("memory takes every write");
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        // Replaced by a new file: in a folder from somebody else, the old one may be a link to a file elsewhere.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut out = GzEncoder::new(BufWriter::new(File::create_new(path)?), Compression::fast());
        out.write_all(b"t_ns,source,name,value\n")?;
        out.write_all(&self.lines)?;
        out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

/// A text as one field of CSV (RFC 4180).
fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_or_a_name_with_a_comma_or_a_quote_stays_one_field() {
        let mut samples = Samples::default();
        samples.push(1, "thread:7", "cpu", 0);
        samples.push(2, "region:f(a, \"b\")", "begin", 7);
        samples.push(3, "workload", "pairs (a, b)", 9);
        let text = String::from_utf8(samples.lines).unwrap();
        assert_eq!(text, "1,thread:7,cpu,0\n2,\"region:f(a, \"\"b\"\")\",begin,7\n3,workload,\"pairs (a, b)\",9\n");
    }
}
