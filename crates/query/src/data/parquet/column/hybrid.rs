//! Whole numbers of few bits as Parquet stores them: runs of one value, and groups of eight packed bit by bit
//! ("RLE / bit-packing hybrid" of the format's specification). The `parquet` crate has a reader of its own for them, but
//! it keeps it to itself.

use std::mem::MaybeUninit;

use crate::lanes::{Isa, for_each_isa};

/// Appends `count` numbers of `width` bits to a list; none where the bytes end before that.
pub(super) fn decode(mut bytes: &[u8], width: u32, count: usize, into: &mut Vec<u32>) -> Option<()> {
    if width > u32::BITS {
        return None;
    }
    let end = into.len() + count;
    while into.len() < end {
        let left = end - into.len();
        let header = varint(&mut bytes, u32::BITS)? as u32;
        let length = usize::try_from(header >> 1).ok()?;
        if header & 1 == 0 {
            let value = first_bytes(bytes.split_off(..width.div_ceil(8) as usize)?);
            into.resize(into.len() + length.min(left), value);
        } else {
            // The last group of a page may be cut off behind its last number.
            let all = length.checked_mul(width as usize)?.min(bytes.len());
            let there = if width == 0 { length.checked_mul(8)? } else { 8 * all / width as usize };
            if length > 0 && there == 0 {
                return None;
            }
            // Not cut off at the run's end: groups are read beyond it, and where they cannot be, number by number.
            unpack(Isa::best(), bytes, width, there.min(left), into);
            bytes.split_off(..all)?;
        }
    }
    Some(())
}

/// Whether all of `count` numbers of one bit are 1; none where the bytes end before that. Such lists are mostly one
/// long run, so nothing is written down.
pub(super) fn all_ones(mut bytes: &[u8], count: usize) -> Option<bool> {
    let (mut left, mut all) = (count, true);
    while left > 0 {
        let header = varint(&mut bytes, u32::BITS)? as u32;
        let length = usize::try_from(header >> 1).ok()?;
        let there = if header & 1 == 0 {
            let there = length.min(left);
            let value = first_bytes(bytes.split_off(..1)?);
            all &= there == 0 || value == 1;
            there
        } else {
            let packed = bytes.split_off(..length.min(bytes.len()))?;
            if length > 0 && packed.is_empty() {
                return None;
            }
            let there = (8 * packed.len()).min(left);
            let (whole, rest) = packed.split_at(there / 8);
            // Behind the last number any bits may follow.
            let behind = u8::MAX << (there % 8);
            let last = there % 8 == 0 || rest[0] | behind == u8::MAX;
            all &= last && whole.iter().all(|byte| *byte == u8::MAX);
            there
        };
        left -= there;
    }
    Some(all)
}

/// A number of at most so many bits: seven a byte, the lowest first.
pub(super) fn varint(bytes: &mut &[u8], bits: u32) -> Option<u64> {
    let mut value = 0;
    for shift in (0..bits).step_by(7) {
        let byte = *bytes.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// At most four bytes, the lowest first.
fn first_bytes(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Numbers of a group.
const GROUP: usize = 8;

for_each_isa! {
    /// Appends so many numbers that the bytes begin with.
    fn unpack(packed: &[u8], width: u32, count: usize, into: &mut Vec<u32>) {
        // A group is as many bytes as its numbers have bits, and is read eight bytes at a time, which may go beyond it.
        let groups = packed.len().saturating_sub(size_of::<u64>()) / (width as usize).max(1);
        let groups = if (1..=u32::BITS).contains(&width) { groups.min(count / GROUP) } else { 0 };
        into.reserve(count);
        let whole = &mut into.spare_capacity_mut().as_chunks_mut::<GROUP>().0[..groups];
        macro_rules! of_width {
            ($($bits:literal)*) => {
                match width {
                    $($bits => whole.iter_mut().enumerate().for_each(|(at, group)| {
                        *group = unpack_group::<$bits>(&packed[at * $bits..]).map(MaybeUninit::new);
                    }),)*
                    _ => {}
                }
            };
        }
        of_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
        // SAFETY: there is room for them, and each group was just written: its width is one of those above.
        unsafe { into.set_len(into.len() + GROUP * groups) };
        let mask = (1_u64 << width) - 1;
        into.extend((GROUP * groups..count).map(|number| {
            let bit = number * width as usize;
            let rest = &packed[(bit / 8).min(packed.len())..];
            let mut eight = [0; 8];
            let there = rest.len().min(8);
            eight[..there].copy_from_slice(&rest[..there]);
            ((u64::from_le_bytes(eight) >> (bit % 8)) & mask) as u32
        }));
    }
}

/// The numbers of a group; eight bytes behind it can be read.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for the instruction set of its caller")]
fn unpack_group<const BITS: usize>(bytes: &[u8]) -> [u32; GROUP] {
    let bytes = &bytes[..BITS + 8];
    let mask = u32::MAX >> (32 - BITS);
    // As many as eight bytes surely hold, at whatever bit they begin. Fewer reads make longer vectors.
    let together = const {
        match BITS {
            ..=7 => 8,
            8..=14 => 4,
            15..=28 => 2,
            _ => 1,
        }
    };
    std::array::from_fn(|number| {
        let first = number / together * together * BITS;
        let eight = u64::from_le_bytes(bytes[first / 8..first / 8 + 8].try_into().expect("there are eight"));
        (eight >> (number * BITS - first / 8 * 8)) as u32 & mask
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], width: u32, count: usize) -> Option<Vec<u32>> {
        let mut numbers = Vec::new();
        decode(bytes, width, count, &mut numbers).map(|()| numbers)
    }

    #[test]
    fn runs_and_groups_follow_one_another() {
        // The specification's example: 0 to 7 in three bits each.
        assert_eq!(decoded(&[3, 0b1000_1000, 0b1100_0110, 0b1111_1010], 3, 8), Some(vec![0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(decoded(&[10, 9, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010], 3, 7), Some(vec![9, 9, 9, 9, 9, 0, 1]));
        assert_eq!(decoded(&[0x80, 1, 0x34, 0x12], 16, 64), Some(vec![0x1234; 64]));
        assert_eq!(decoded(&[4], 0, 2), Some(vec![0, 0]));
        assert_eq!(decoded(&[3], 0, 8), Some(vec![0; 8]));
    }

    #[test]
    fn numbers_of_any_width_come_back() {
        for width in 1..=32_u32 {
            let numbers: Vec<u32> =
                (0..104_u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 >> (32 - width)).collect();
            let mut packed = vec![13 << 1 | 1];
            let bit = |at: usize| numbers[at / width as usize] >> (at % width as usize) & 1;
            packed.extend(
                (0..13 * width as usize).map(|byte| (0..8).map(|at| (bit(8 * byte + at) as u8) << at).sum::<u8>()),
            );
            assert_eq!(decoded(&packed, width, 104).as_deref(), Some(&numbers[..]), "{width}");
            assert_eq!(decoded(&packed, width, 50).as_deref(), Some(&numbers[..50]), "{width}");
            // Writers may leave out what lies behind the last number.
            let last = (99 * width as usize).div_ceil(8);
            assert_eq!(decoded(&packed[..=last], width, 99).as_deref(), Some(&numbers[..99]), "{width}");
        }
    }

    #[test]
    fn groups_do_not_mix_with_what_follows() {
        for width in 1..=32_u32 {
            let bytes_of = |seed: u64| {
                (0..width).map(move |at| (seed + u64::from(at)).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[7])
            };
            // Each group is a run of its own, whose bytes are also decoded alone.
            let runs: Vec<Vec<u8>> = (0..9).map(|at| [3].into_iter().chain(bytes_of(100 * at)).collect()).collect();
            let each: Vec<u32> = runs.iter().flat_map(|run| decoded(run, width, 8).unwrap()).collect();
            assert_eq!(decoded(&runs.concat(), width, 72).as_deref(), Some(&each[..]), "{width}");
            assert_eq!(decoded(&runs.concat(), width, 69).as_deref(), Some(&each[..69]), "{width}");
        }
    }

    #[test]
    fn what_ends_too_early_is_no_list() {
        for bytes in [&[][..], &[0x80], &[10], &[0xff; 9], &[3], &[3, 1]] {
            assert_eq!(decoded(bytes, 12, 20), None, "{bytes:?}");
        }
        assert_eq!(decoded(&[2, 1], 33, 1), None);
        // Empty runs make no progress, and end with the bytes.
        assert_eq!(decoded(&[0, 5, 0, 5], 3, 1), None);
    }

    #[test]
    fn whether_all_are_ones_is_seen_without_a_list() {
        for count in 0..40 {
            // Runs of ones and of others, groups of ones and of others, cut off at any byte, in any order.
            let parts: [&[u8]; 8] =
                [&[10, 1], &[4, 0], &[2, 3], &[0, 0], &[3, 0xff], &[5, 0xff, 0x7f], &[3, 0x0f], &[7, 0xff]];
            for order in 0..parts.len().pow(3) {
                let [one, other, last] = [order % 8, order / 8 % 8, order / 64].map(|at| parts[at]);
                let bytes = [one, other, last].concat();
                let expected = decoded(&bytes, 1, count).map(|list| list.iter().all(|number| *number == 1));
                assert_eq!(all_ones(&bytes, count), expected, "{count} of {bytes:?}");
            }
        }
        // 2^31 of them in twelve bytes: a list would take 8 GiB.
        let most = [0xfe, 0xff, 0xff, 0xff, 0x0f, 1];
        assert_eq!(all_ones(&[most, most].concat(), 1 << 31), Some(true));
        let packed = [7, 0xff, 0xff, 0xff];
        assert_eq!(all_ones(&packed, 24), Some(true));
        assert_eq!(all_ones(&packed, 25), None);
    }
}
