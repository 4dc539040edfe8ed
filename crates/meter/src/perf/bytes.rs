//! Numbers in the bytes of a kernel record.

/// A record that is shorter than its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Truncated;

/// Four bytes as a number.
pub(crate) fn number(body: &[u8], at: usize) -> Result<u32, Truncated> {
    body.get(at..).and_then(<[u8]>::first_chunk).map(|bytes| u32::from_ne_bytes(*bytes)).ok_or(Truncated)
}

/// Eight bytes as a number.
pub(crate) fn long(body: &[u8], at: usize) -> Result<u64, Truncated> {
    body.get(at..).and_then(<[u8]>::first_chunk).map(|bytes| u64::from_ne_bytes(*bytes)).ok_or(Truncated)
}
