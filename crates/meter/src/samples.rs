//! Time series as gzip CSV: `t_ns,source,name,value`, one line a value.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Lines up to so many bytes wait to be compressed together: a short run has no more, and a long one not much memory.
const WAITING: usize = 1 << 18;

/// Gathers lines in memory and writes them when the run is over, so that no disk is touched while it runs.
#[derive(Debug)]
pub(crate) struct Samples {
    lines: Vec<u8>,
    packed: GzEncoder<Vec<u8>>,
    wanted: bool,
}

impl Default for Samples {
    fn default() -> Self {
        let packed = GzEncoder::new(Vec::new(), Compression::fast());
        Self { lines: b"t_ns,source,name,value\n".to_vec(), packed, wanted: true }
    }
}

impl Samples {
    /// Keeps nothing from here on: nobody will read it.
    pub(crate) fn forget(&mut self) {
        self.wanted = false;
    }

    pub(crate) fn push(&mut self, t_ns: u64, source: &str, name: &str, value: u64) {
        if !self.wanted {
            return;
        }
        let (source, name) = (field(source), field(name));
        writeln!(self.lines, "{t_ns},{source},{name},{value}").expect("memory takes every write");
    }

    /// Compresses the lines that wait, if there are many.
    pub(crate) fn settle(&mut self) {
        if self.lines.len() >= WAITING {
            self.pack();
        }
    }

    fn pack(&mut self) {
        self.packed.write_all(&self.lines).expect("memory takes every write");
        self.lines.clear();
    }

    pub(crate) fn write(mut self, mut file: File) -> io::Result<()> {
        self.pack();
        file.write_all(&self.packed.finish()?)?;
        file.sync_all()
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
        assert_eq!(
            text,
            "t_ns,source,name,value\n1,thread:7,cpu,0\n2,\"region:f(a, \"\"b\"\")\",begin,7\n3,workload,\"pairs (a, b)\",9\n"
        );
    }

    #[test]
    fn what_is_compressed_while_it_is_gathered_is_read_back_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut samples) = (folder.path().join("samples.csv.gz"), Samples::default());
        let many = WAITING as u64 / 10;
        for at in 0..many {
            samples.push(at, "thread:7", "cpu", at);
            samples.settle();
        }
        assert!(samples.lines.len() < WAITING);
        samples.write(File::create_new(&path).unwrap()).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(File::open(&path).unwrap()), &mut text)
            .unwrap();
        assert_eq!(text.lines().count() as u64, 1 + many);
        assert_eq!(text.lines().last(), Some(format!("{0},thread:7,cpu,{0}", many - 1).as_str()));
    }
}
