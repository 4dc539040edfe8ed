//! Parses sizes in bytes like 64K or 2G.

use crate::{Args, Error};

/// Reads `4096`, `64K`, `128M` or `2G`: K, M and G are powers of 1024.
///
/// # Errors
/// When it is none of these.
pub fn parse(text: &str) -> Result<usize, Error> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "B" => 0,
        "K" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        _ => u32::MAX,
    };
    let number = digits.parse::<usize>().ok().filter(|number| *number > 0 && unit < 64);
    let bytes = number.and_then(|number| number.checked_mul(1 << unit.min(63)));
    bytes.ok_or_else(|| Error::new(format!("bad size '{text}'; expected bytes like 4096, 64K, 128M or 2G")))
}

/// The same for people.
#[must_use]
pub fn text(bytes: usize) -> String {
    let units = ["", "K", "M", "G"];
    let unit = (1..units.len()).rev().find(|unit| bytes.is_multiple_of(1 << (10 * unit)) && bytes > 0).unwrap_or(0);
    format!("{}{}", bytes >> (10 * unit), units[unit])
}

/// A parameter that is a size.
///
/// # Errors
/// When it is none.
pub fn of(args: &Args, name: &str) -> Result<usize, Error> {
    parse(args.text(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [("1", 1), ("64K", 65536), ("1536KiB", 3 << 19), ("2G", 2 << 30), ("7B", 7)] {
            assert_eq!(parse(text).unwrap(), bytes);
        }
        for text in ["", "K", "0", "1.5M", "1X", "-1", "99999999999999999G", "1KK"] {
            assert!(parse(text).unwrap_err().to_string().starts_with(&format!("bad size '{text}'")), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(bytes in 1_usize..1 << 40) {
            prop_assert_eq!(parse(&text(bytes)).unwrap(), bytes);
        }

        #[test]
        fn no_text_is_a_panic(text: String) {
            let _ = parse(&text);
        }
    }
}
