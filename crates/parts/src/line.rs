//! Lines of JSON with a checksum.

use knee_workload::Error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::{VERSION, other_version};

/// What stands between the members of a line and its checksum.
const CHECKSUM: &str = ",\"checksum\":\"";

/// The JSON of a value, of printable ASCII alone: no program between here and its reader has to change a byte of it, as
/// one that escapes control characters would.
pub(crate) fn text(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("it is made of texts and numbers");
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        // Only inside of JSON's own texts are there others.
        if matches!(letter, ' '..='~') {
            plain.push(letter);
        } else {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            plain.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    plain
}

/// A line with its checksum.
///
/// # Panics
/// When the value is no object with at least one member.
#[must_use]
pub fn checked(value: &impl Serialize) -> String {
    let text = text(value);
    let sum = XxHash3_64::oneshot(text.as_bytes());
    let members = text.strip_suffix('}').expect("it is an object");
    format!("{members}{CHECKSUM}{sum:016x}\"}}")
}

/// Reads a line that [`checked`] wrote. `what` it should be is named in errors.
///
/// # Errors
/// Why it is none.
pub fn read<T: DeserializeOwned>(line: &str, what: &str) -> Result<T, Error> {
    let not = |why: &str, hint: &str| Error::new(format!("this is not {what}: {why}")).hint(hint);
    let other = "--split prints lines for --part, and --part prints lines for --merge";
    let (members, sum) = line.trim().rsplit_once(CHECKSUM).ok_or_else(|| not("it has no checksum", other))?;
    let text = format!("{members}}}");
    if sum != format!("{:016x}\"}}", XxHash3_64::oneshot(text.as_bytes())) {
        return Err(not("it was changed, as its checksum shows", "give each line as it was printed"));
    }
    serde_json::from_str(&text).map_err(|_| match serde_json::from_str::<Made>(&text) {
        Ok(made) if made.knee != VERSION => other_version(&made.knee),
        _ => not("it has other members", other),
    })
}

/// What is read of a line whose members are others.
#[derive(Debug, Deserialize)]
struct Made {
    knee: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_of_printable_ascii_and_read_back() {
        let value = vec!["a\u{200e}b\u{7f}".to_owned(), "größer \"x\" 👩\n".to_owned()];
        let line = checked(&std::collections::BTreeMap::from([("paths", &value)]));
        assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{line}");
        let back: std::collections::BTreeMap<String, Vec<String>> = read(&line, "a line").unwrap();
        assert_eq!(back["paths"], value);
    }

    #[test]
    fn a_line_of_another_version_says_so_whatever_its_members_are() {
        let of = |version: &str| checked(&std::collections::BTreeMap::from([("knee", version), ("more", "than now")]));
        let said = |version: &str| read::<crate::Job<Made>>(&of(version), "a part").unwrap_err().to_string();
        assert!(said("0.0.0").contains("the part is of knee 0.0.0"), "{}", said("0.0.0"));
        assert!(said(VERSION).contains("it has other members"), "{}", said(VERSION));
    }
}
