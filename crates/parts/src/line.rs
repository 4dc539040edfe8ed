//! Lines of JSON with a checksum.

use knee_workload::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;
use twox_hash::XxHash3_64;

/// What stands between the members of a line and its checksum.
const CHECKSUM: &str = ",\"checksum\":\"";

pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it is made of texts and numbers")
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
    serde_json::from_str(&text).map_err(|_| not("it has other members", other))
}
