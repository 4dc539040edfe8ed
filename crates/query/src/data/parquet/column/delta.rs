//! Whole numbers as differences of neighbours, in blocks of a lowest difference and what is above it, bit by bit
//! (`DELTA_BINARY_PACKED` of the format's specification).
//!
//! Numbers of 32 bits are the lower bits of those of 64: by the specification differences wrap around. `DuckDB` writes
//! those of numbers without a sign in more than 32 bits, which the `parquet` crate takes for a broken page.

use super::hybrid;

/// Appends `count` numbers to a list; none where the bytes end before that, or cannot be such a page.
pub(super) fn decode(mut bytes: &[u8], count: usize, into: &mut Vec<i64>) -> Option<()> {
    let bytes = &mut bytes;
    let [block, parts, there] = [varint(bytes)?, varint(bytes)?, varint(bytes)?];
    let (parts, end) = (usize::try_from(parts).ok()?, into.len() + count);
    let each = usize::try_from(block).ok()?.checked_div(parts)?;
    if there < count as u64 || each == 0 || !each.is_multiple_of(8) {
        return None;
    }
    let mut last = zigzag(varint(bytes)?);
    if count > 0 {
        into.push(last);
    }
    while into.len() < end {
        let least = zigzag(varint(bytes)?);
        for width in bytes.split_off(..parts)? {
            let left = each.min(end - into.len());
            if left == 0 {
                return Some(());
            }
            let width = usize::from(*width);
            // The last part of a page may be cut off behind its last number.
            let packed = bytes.split_off(..(each / 8).checked_mul(width)?.min(bytes.len()))?;
            if width > 64 || packed.len() < (left * width).div_ceil(8) {
                return None;
            }
            into.extend((0..left).map(|at| {
                last = last.wrapping_add(least).wrapping_add(bits(packed, at * width, width) as i64);
                last
            }));
        }
    }
    Some(())
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    hybrid::varint(bytes, u64::BITS)
}

/// With its sign in the lowest bit.
fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The number in some bits, at most 64.
fn bits(packed: &[u8], from: usize, width: usize) -> u64 {
    let rest = packed.get(from / 8..).unwrap_or_default();
    let word = rest.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [0; 16];
        word[..rest.len()].copy_from_slice(rest);
        word
    });
    let mask = u64::MAX.checked_shr(64 - width as u32).unwrap_or(0);
    (u128::from_le_bytes(word) >> (from % 8)) as u64 & mask
}

#[cfg(test)]
mod tests {
    use super::super::plain::{Plain, Values};
    use super::*;
    use crate::kind::Kind;

    fn written(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    fn signed(number: i64) -> Vec<u8> {
        written(((number << 1) ^ (number >> 63)) as u64)
    }

    /// A page of one block of one part, its differences in so many bits.
    fn page(values: &[i64], width: u8) -> Vec<u8> {
        let differences: Vec<i64> = values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
        let least = differences.iter().copied().min().unwrap_or(0);
        let block = differences.len().next_multiple_of(32).max(32);
        let mut packed = vec![0_u8; block / 8 * usize::from(width)];
        for (at, difference) in differences.iter().enumerate() {
            let above = difference.wrapping_sub(least) as u64;
            for bit in (0..usize::from(width)).filter(|bit| above >> bit & 1 == 1) {
                let to = at * usize::from(width) + bit;
                packed[to / 8] |= 1 << (to % 8);
            }
        }
        let front = [written(block as u64), written(1), written(values.len() as u64), signed(values[0]), signed(least)];
        [front.concat(), vec![width], packed].concat()
    }

    #[test]
    fn differences_of_every_width_are_added_up() {
        for width in 0..=64_u8 {
            let step = |at: i64| if width == 0 { 0 } else { at.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) };
            let some = |at: i64| step(at) as u64 >> (64 - u32::from(width)).min(63);
            let mut values = vec![-5_i64];
            for at in 0..70 {
                values.push(values[at as usize].wrapping_add(some(at) as i64));
            }
            let mut found = vec![1];
            let whole = page(&values, width);
            decode(&whole, values.len(), &mut found).unwrap();
            assert_eq!(found[1..], values, "{width} bits");
            // Zeros behind the last number may be missing, and no byte of a number.
            let needed = whole.len() - (96 - 70) * usize::from(width) / 8;
            assert!(decode(&whole[..needed], values.len(), &mut Vec::new()).is_some(), "{width} bits");
            assert!(width == 0 || decode(&whole[..needed - 1], values.len(), &mut Vec::new()).is_none());
        }
    }

    #[test]
    fn a_page_that_cannot_be_is_none() {
        let whole = page(&[3, 4, 6], 7);
        assert!(decode(&whole, 4, &mut Vec::new()).is_none(), "it has fewer");
        for (block, parts) in [(0, 1), (32, 0), (32, 5), (4, 1), (u64::MAX, 1)] {
            let front = [written(block), written(parts), whole[2..].to_vec()].concat();
            assert!(decode(&front, 3, &mut Vec::new()).is_none(), "{block} {parts}");
        }
        for end in 0..7 {
            assert!(decode(&whole[..end], 3, &mut Vec::new()).is_none(), "{end}");
        }
    }

    #[test]
    fn numbers_of_32_bits_are_the_lower_ones_of_sums() {
        let read = |values: &[i64], unsigned| {
            let (plain, mut into) = (Plain::Int32 { unsigned }, Values::Numbers(Vec::new()));
            plain.read_differences(&page(values, 34), values.len(), Kind::Integer, &mut into).unwrap();
            let Values::Numbers(found) = into else { panic!("they are numbers") };
            found
        };
        // As DuckDB writes numbers without a sign,
        let far = [0, u32::MAX.into(), 1, 1 << 31];
        assert_eq!(read(&far, true), far);
        // and as others let differences wrap around.
        let most = i64::from(i32::MAX);
        assert_eq!(read(&[most, most + 1, most + 2], false), [most, -most - 1, -most]);
    }
}
