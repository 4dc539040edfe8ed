//! A source: one file that holds one number.

use std::fs;
use std::path::PathBuf;

use super::tally::{Kind, Tally};

/// Name of the part that is the whole machine.
pub(crate) const MACHINE: &str = "machine";

/// A file that is read repeatedly.
#[derive(Debug)]
pub(crate) struct Source {
    /// Kind and part, as samples call it: `resctrl:L3:0`, `rapl:package-0`, `numastat:node0`.
    pub(crate) name: String,
    file: PathBuf,
    /// The key of the line that holds the number; none when it is the whole text.
    key: Option<String>,
    pub(crate) tally: Tally,
}

impl Source {
    pub(crate) fn new(name: String, file: PathBuf, key: Option<&str>, kind: Kind) -> Self {
        Self { name, file, key: key.map(str::to_owned), tally: Tally::new(kind) }
    }

    /// The part of the machine it is for: `L3:0`, `package-0`, `node0`.
    pub(crate) fn part(&self) -> &str {
        self.name.split_once(':').map_or(self.name.as_str(), |(_, part)| part)
    }

    /// Reads it, and returns the change since the first reading.
    pub(crate) fn read(&mut self) -> Option<u64> {
        let text = fs::read_to_string(&self.file);
        let number = match text {
            Ok(text) => number_in(&text, self.key.as_deref()),
            Err(error) => Err(format!("{}: {error}", self.file.display())),
        };
        self.tally.take(number)
    }
}

/// A number that is the whole text, or that follows its key on a line; else the reason why there is none.
pub(crate) fn number_in(text: &str, key: Option<&str>) -> Result<u64, String> {
    let word = match key {
        None => text.trim(),
        Some(key) => text
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))
            .map(str::trim)
            .ok_or_else(|| format!("the kernel does not count {key}"))?,
    };
    word.parse().map_err(|_| match word {
        // What resctrl writes instead of a number (Documentation/filesystems/resctrl.rst).
        "Error" => "Error: the hardware takes this monitoring id for a wrong one".into(),
        "Unavailable" => {
            "Unavailable: the hardware has no count for this group now (AMD follows few groups at once)".into()
        }
        "Unassigned" => "Unassigned: no counter is assigned to this group (see info/L3_MON/mbm_assign_mode)".into(),
        word => format!("{:?} is not a number", word.chars().take(40).collect::<String>()),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_in_place_of_numbers_are_reasons() {
        for word in ["Error", "Unavailable", "Unassigned"] {
            assert!(number_in(&format!("{word}\n"), None).unwrap_err().starts_with(word));
        }
        assert_eq!(number_in("12345\n", None), Ok(12345));
        assert!(number_in("", None).unwrap_err().contains("not a number"));
        assert!(number_in("-1", None).is_err());
    }

    #[test]
    fn a_key_is_a_whole_word() {
        let text = "numa_hint_faults_local 3\nnuma_hint_faults 7\n";
        assert_eq!(number_in(text, Some("numa_hint_faults")), Ok(7));
        assert_eq!(number_in(text, Some("numa_hint_faults_local")), Ok(3));
        assert!(number_in(text, Some("numa_hit")).unwrap_err().contains("does not count numa_hit"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,80}", key in proptest::option::of("[a-z_]{0,8}")) {
            let _ = number_in(&text, key.as_deref());
        }
    }
}
