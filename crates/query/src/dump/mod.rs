//! A dump: the encoded columns of a whole table in a file, so that the next start neither decodes nor encodes.
//!
//! ```text
//! magic  version  length of the header  header (JSON)  checksum of the header      padded to 4096 bytes
//! morsel 0: piece of column 0, piece of column 1, ...                              each padded to 64 bytes
//! morsel 1: ...
//! ```
//!
//! Pieces stand in the file as in memory, so that each worker reads its own morsels into placed memory; a mapped file
//! could not be placed. The header holds what the dump is of, and a checksum (xxh3) of each piece. Codes are compared with
//! the bounds of their columns as well, since sums are exact only inside of those.

mod header;
mod read;
mod write;

pub(crate) use read::Dump;
pub(crate) use write::write;

/// The first bytes of a dump.
const MAGIC: &[u8; 8] = b"kneetabl";
/// The version of all that follows.
const VERSION: u32 = 1;
/// Bytes in front of the header.
const FRONT: usize = 8 + 4 + 8;
/// Pieces begin at a multiple of this.
const PAGE: u64 = 4096;
/// Largest header that is read.
const LONGEST: u64 = 256 << 20;
