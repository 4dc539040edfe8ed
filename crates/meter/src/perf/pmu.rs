//! Performance monitoring units as sysfs lists them, and the encoding of their events.
//!
//! A PMU says how its fields are laid out (`format/umask` holds `config:8-15`) and may name events
//! (`events/cas_count_read` holds `event=0x04,umask=0x03`, with `.scale` and `.unit` beside it). Event tables are
//! elsewhere (`events`); here names of fields become numbers.

use std::fs;
use std::path::{Path, PathBuf};

use knee_machine::CpuSet;

/// An event as the kernel takes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Encoding {
    /// The PMU that counts it, for people.
    pub pmu: String,
    /// The PMU's number.
    pub kind: u32,
    /// First word.
    pub config: u64,
    /// Second word.
    pub config1: u64,
    /// Third word.
    pub config2: u64,
}

/// Only in a broken tree do aliases name aliases; this ends the chain.
const MOST_ALIASES: u32 = 4;

/// The PMUs under a root folder.
#[derive(Debug, Clone)]
pub struct Pmus {
    devices: PathBuf,
}

/// The words of an event, and what its counts mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coded {
    pub(crate) words: [u64; 3],
    pub(crate) scale: f64,
    pub(crate) unit: String,
}

impl Pmus {
    /// The PMUs that `sys` under this root lists.
    #[must_use]
    pub fn under(root: &Path) -> Self {
        Self { devices: root.join("sys/bus/event_source/devices") }
    }

    /// Their names, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.devices).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// PMUs of cores: `cpu`, or on machines with several kinds of cores (and on Arm) each that says for which cpus it is.
    #[must_use]
    pub fn of_cores(&self) -> Vec<String> {
        let core =
            |name: &String| matches!(name.as_str(), "cpu" | "cpum_cf") || self.devices.join(name).join("cpus").exists();
        self.names().into_iter().filter(core).collect()
    }

    /// The PMU of this name, or all that are numbered under it: `uncore_imc` is `uncore_imc_0`, `uncore_imc_1` and so on.
    pub(crate) fn named(&self, name: &str) -> Vec<String> {
        if self.devices.join(name).join("type").exists() {
            return vec![name.to_owned()];
        }
        let numbered = |found: &String| {
            let number = found.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
            number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        self.names().into_iter().filter(numbered).collect()
    }

    /// The number of a PMU.
    pub(crate) fn kind(&self, pmu: &str) -> Result<u32, String> {
        let text = self.text(pmu, "type").ok_or_else(|| format!("no PMU {pmu} on this machine"))?;
        text.parse().map_err(|_| format!("PMU {pmu} has no number: {text:?}"))
    }

    /// The cpus on which a PMU of the machine is opened; none for a PMU of cores, which counts programs.
    pub(crate) fn answering(&self, pmu: &str) -> Option<CpuSet> {
        let cpus: CpuSet = self.text(pmu, "cpumask")?.parse().ok()?;
        (!cpus.is_empty()).then_some(cpus)
    }

    /// The names of events that a PMU lists, sorted.
    pub(crate) fn events(&self, pmu: &str) -> Vec<String> {
        let entries = fs::read_dir(self.devices.join(pmu).join("events")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| !name.contains('.')).collect();
        names.sort();
        names
    }

    /// The words of `event=0x..,umask=0x..` on one PMU.
    pub(crate) fn encode(&self, pmu: &str, terms: &str) -> Result<Coded, String> {
        let mut coded = Coded { words: [0; 3], scale: 1.0, unit: String::new() };
        self.add(pmu, terms, &mut coded, MOST_ALIASES)?;
        Ok(coded)
    }

    fn add(&self, pmu: &str, terms: &str, coded: &mut Coded, depth: u32) -> Result<(), String> {
        for term in terms.split(',').map(str::trim).filter(|term| !term.is_empty()) {
            let (name, value) = term.split_once('=').map_or((term, None), |(name, value)| (name, Some(value)));
            if !is_file_name(name) {
                return Err(format!("'{term}' is not a term of an event"));
            }
            if let Some(field) = self.field(pmu, name)? {
                // A field without a value is a flag.
                field.put(name, number(value.unwrap_or("1"))?, &mut coded.words)?;
            } else if let (Some(alias), None) = (self.text(pmu, &format!("events/{name}")), value) {
                if depth == 0 {
                    return Err(format!("PMU {pmu}: event {name} names itself"));
                }
                self.add(pmu, &alias, coded, depth - 1)?;
                let beside = |suffix: &str| self.text(pmu, &format!("events/{name}.{suffix}"));
                coded.scale = beside("scale").and_then(|text| text.parse().ok()).unwrap_or(coded.scale);
                coded.unit = beside("unit").unwrap_or_else(|| coded.unit.clone());
            } else {
                return Err(self.unknown(pmu, name));
            }
        }
        Ok(())
    }

    fn field(&self, pmu: &str, name: &str) -> Result<Option<Field>, String> {
        let whole = ["config", "config1", "config2"].iter().position(|word| *word == name);
        match (self.text(pmu, &format!("format/{name}")), whole) {
            (Some(text), _) => Field::parse(&text).map(Some).map_err(|why| format!("PMU {pmu}, format {name}: {why}")),
            (None, Some(word)) => Ok(Some(Field { word, bits: vec![(0, 63)] })),
            (None, None) => Ok(None),
        }
    }

    fn unknown(&self, pmu: &str, name: &str) -> String {
        let fields = fs::read_dir(self.devices.join(pmu).join("format")).into_iter().flatten().flatten();
        let mut fields: Vec<String> = fields.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        fields.sort();
        format!("PMU {pmu} has no field or event '{name}': its fields are {}", fields.join(" "))
    }

    fn text(&self, pmu: &str, file: &str) -> Option<String> {
        let text = fs::read_to_string(self.devices.join(pmu).join(file)).ok()?;
        Some(text.trim().to_owned())
    }
}

/// Whether a word can name a file of a PMU's folder and nothing outside of it.
pub(crate) fn is_file_name(name: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(fine)
}

/// A number as perf writes it: `0x3f` or `63`.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("{text:?} is not a number"))
}

/// Where a field goes: a word, and bits of it from the lowest of the value on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    word: usize,
    bits: Vec<(u32, u32)>,
}

impl Field {
    /// `config:0-7,21` and its like.
    fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a field layout");
        let (word, bits) = text.split_once(':').ok_or_else(bad)?;
        let word = ["config", "config1", "config2"].iter().position(|known| *known == word.trim());
        let word = word.ok_or_else(|| format!("{text:?} needs a word that knee does not set"))?;
        let range = |text: &str| {
            let (low, high) = text.split_once('-').unwrap_or((text, text));
            let (low, high) = (low.trim().parse::<u32>().ok()?, high.trim().parse::<u32>().ok()?);
            (low <= high && high < 64).then_some((low, high))
        };
        let bits = bits.split(',').map(range).collect::<Option<Vec<_>>>().ok_or_else(bad)?;
        Ok(Self { word, bits })
    }

    fn put(&self, name: &str, value: u64, words: &mut [u64; 3]) -> Result<(), String> {
        let mut rest = value;
        for &(low, high) in &self.bits {
            let width = high - low + 1;
            let mask = u64::MAX >> (64 - width);
            words[self.word] |= (rest & mask) << low;
            rest = rest.checked_shr(width).unwrap_or(0);
        }
        if rest == 0 { Ok(()) } else { Err(format!("{name}={value:#x} does not fit its field")) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_field_in_pieces_takes_the_value_from_its_lowest_bit_on() {
        // AMD's event: eight bits low, four more at 32.
        let field = Field::parse("config:0-7,32-35").unwrap();
        let mut words = [0; 3];
        field.put("event", 0x1c2, &mut words).unwrap();
        assert_eq!(words, [0x1_0000_00c2, 0, 0]);
        assert!(field.put("event", 0x1000, &mut words).unwrap_err().contains("does not fit"));
        let mut whole = [0; 3];
        Field::parse("config1:0-63").unwrap().put("offcore_rsp", u64::MAX, &mut whole).unwrap();
        assert_eq!(whole, [0, u64::MAX, 0]);
    }

    #[test]
    fn layouts_that_are_none_are_refused() {
        for text in ["", "config", "config:", "config:8-3", "config:0-64", "config3:0-7", "config:x"] {
            assert!(Field::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_layout_makes_the_parser_panic(text in "\\PC{0,40}", value: u64) {
            if let Ok(field) = Field::parse(&text) {
                let _ = field.put("x", value, &mut [0; 3]);
            }
        }

        #[test]
        fn no_text_after_config_makes_the_parser_panic(text in "config[12]?:[0-9,-]{0,12}", value: u64) {
            if let Ok(field) = Field::parse(&text) {
                let _ = field.put("x", value, &mut [0; 3]);
            }
        }

        #[test]
        fn a_number_that_is_written_is_read(value: u64) {
            prop_assert_eq!(number(&value.to_string()), Ok(value));
            prop_assert_eq!(number(&format!("{value:#x}")), Ok(value));
        }
    }
}
