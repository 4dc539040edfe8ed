//! What a dump says of itself.

use serde::{Deserialize, Serialize};

use super::CHUNK;

/// The header.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header {
    /// What the graph was made of.
    pub input: String,
    pub vertices: u64,
    /// Members of all lists: each edge twice.
    pub members: u64,
    pub loops: usize,
    pub repeated: usize,
    /// The first line of the source, when it was taken for a header.
    pub first_line: Option<(u64, u64)>,
    /// Whether names stand in the file.
    pub named: bool,
    /// The checksum of each MiB of each part.
    pub checksums: Vec<u64>,
}

/// The parts of the file behind the header, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Begins,
    Ranks,
    Names,
    Lists,
}

pub(super) const PARTS: [Part; 4] = [Part::Begins, Part::Ranks, Part::Names, Part::Lists];

impl Header {
    /// The bytes of a part; none if there would be more than can be counted.
    fn checked(&self, part: Part) -> Option<u64> {
        match part {
            Part::Begins => self.vertices.checked_add(1)?.checked_mul(8),
            Part::Ranks => self.vertices.checked_mul(4),
            Part::Names => {
                if self.named {
                    self.vertices.checked_mul(8)
                } else {
                    Some(0)
                }
            }
            Part::Lists => self.members.checked_mul(4),
        }
    }

    /// The bytes of all parts; none if the header makes no sense.
    pub(super) fn bytes(&self) -> Option<u64> {
        let of = |part| self.checked(part);
        let (mut bytes, mut chunks) = (0_u64, 0_u64);
        for part in PARTS {
            bytes = bytes.checked_add(of(part)?)?;
            chunks = chunks.checked_add(of(part)?.div_ceil(CHUNK as u64))?;
        }
        let fits = (self.members > 0 || self.vertices == 0)
            && self.vertices < u64::from(u32::MAX)
            && self.members.is_multiple_of(2);
        (fits && chunks == self.checksums.len() as u64).then_some(bytes)
    }

    /// Where a part begins behind the header, and its first checksum. Only of a header that makes sense.
    pub(super) fn begin(&self, part: Part) -> (u64, usize) {
        let before = PARTS.iter().take_while(|other| **other != part);
        before.fold((0, 0), |(bytes, chunks), other| {
            let own = self.checked(*other).expect("the header makes sense");
            (bytes + own, chunks + usize::try_from(own).expect("it fits").div_ceil(CHUNK))
        })
    }
}
