//! Dumps of any header, with the checksums that belong to it, so that what lies behind those checks is reached.

use twox_hash::XxHash3_64;

use super::header::Header;
use super::{FRONT, MAGIC, PAGE, VERSION};

/// Most pieces.
const PIECES: u64 = 12;

/// A dump with this header, whose pieces repeat `body`. A header that is none stands as it is, with nothing behind it.
pub(crate) fn forged(header: &[u8], body: &[u8]) -> Vec<u8> {
    let whole = serde_json::from_slice(header).ok().and_then(|header| with_pieces(header, body));
    let (header, pieces) = whole.unwrap_or_else(|| (header.to_vec(), Vec::new()));
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(&header);
    bytes.extend(XxHash3_64::oneshot(&header).to_le_bytes());
    debug_assert_eq!(bytes.len(), FRONT + header.len() + 8);
    bytes.resize(bytes.len().next_multiple_of(PAGE as usize), 0);
    bytes.extend(pieces);
    bytes
}

/// The header with its checksums, and the pieces; none if it is not sound or there are too many.
fn with_pieces(mut header: Header, body: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let pieces = header.morsels().checked_mul(header.columns.len() as u64).filter(|pieces| *pieces <= PIECES)?;
    header.checksums = vec![0; pieces as usize];
    if !header.is_sound() {
        return None;
    }
    let mut bytes = Vec::new();
    for (at, checksum) in header.checksums.iter_mut().enumerate() {
        let begin = bytes.len();
        bytes.resize(begin + header.columns[at % header.columns.len()].bytes(), 0);
        let piece = &mut bytes[begin..];
        if !body.is_empty() {
            piece.chunks_mut(body.len()).for_each(|part| part.copy_from_slice(&body[..part.len()]));
        }
        *checksum = XxHash3_64::oneshot(piece);
    }
    Some((serde_json::to_vec(&header).expect("it is plain data"), bytes))
}
