//! The reader of dumps.

use std::fs;
use std::path::PathBuf;

use knee_runtime::Arrangement;

use super::WORKER;
use crate::graph::Dump;
use crate::{Induced, Method, Pattern, Question};

/// Reads a dump: the whole of it behind a byte 0, else a header, a byte 0 and what follows it, to which front and
/// checksum are added.
pub fn dump(bytes: &[u8]) {
    let bytes = if let [0, whole @ ..] = bytes { whole.to_vec() } else { with_front(bytes) };
    let name = format!("knee-fuzz-{}-{:?}", std::process::id(), std::thread::current().id());
    let path = PathBuf::from("/dev/shm").join(name);
    fs::write(&path, bytes).expect("there is room");
    let read = Dump::open(&path).and_then(|dump| dump.read(&Arrangement::default()));
    fs::remove_file(&path).expect("it was just made");
    if let Ok((graph, _)) = read {
        for name in ["triangle", "house"] {
            let pattern = Pattern::parse(name).expect("it is a name");
            let question = Question::new(&pattern, Induced::Edge, Method::Auto).expect("it is counted");
            let _ = question.count(&graph, &WORKER);
        }
    }
}

fn with_front(bytes: &[u8]) -> Vec<u8> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (header, body) = bytes.split_at(end);
    let length = (header.len() as u64).to_le_bytes();
    let checksum = twox_hash::XxHash3_64::oneshot(header).to_le_bytes();
    [b"kneegrph\x01\0\0\0", &length[..], header, &checksum, body.get(1..).unwrap_or_default()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_dump_is_refused_without_a_panic() {
        let header = r#"{"input":"","vertices":3,"members":4,"loops":0,"repeated":0,"first_line":null,"named":false"#;
        let checksums = r#","checksums":[0,0,0]}"#;
        for bytes in ["", "\0", "\0kneegrph", header, &format!("{header}{checksums}\0and no lists")] {
            dump(bytes.as_bytes());
        }
        for number in [3, u64::MAX / 8, u64::MAX] {
            dump(header.replace(":3,", &format!(":{number},")).as_bytes());
            dump(format!("{}{checksums}", header.replace(":4,", &format!(":{number},"))).as_bytes());
        }
    }
}
