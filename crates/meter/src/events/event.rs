//! Events and their encodings, as `perf_event_open` takes them.

use std::fmt;

use serde::Deserialize;

/// How one microarchitecture counts one measure.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The measure's name in knee.
    pub measure: String,
    /// The unit that counts it: a folder of `/sys/bus/event_source/devices`, or several of them with `_0`, `_1` … after
    /// this name. The counts of several are summed. One that is not `cpu` (or Arm's) counts for whole sockets, all
    /// programs together.
    pub pmu: String,
    /// What one count is, times `scale`.
    pub unit: String,
    /// Units for one count: 64 for a memory access of 64 bytes.
    #[serde(default = "one")]
    pub scale: f64,
    /// What is counted.
    pub meaning: String,
    /// What it does not count, although one might think so.
    pub not_counted: String,
    /// The vendor's events; several are summed.
    pub encodings: Vec<Encoding>,
    /// Set by the reader, from the table's vendor.
    #[serde(skip)]
    pub(super) layout: Layout,
}

fn one() -> f64 {
    1.0
}

/// One event as its vendor's manual lists it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    /// The vendor's name.
    pub name: String,
    /// Event code: up to 8 bits for Intel, 12 for AMD, 16 for Arm.
    pub code: u16,
    /// Unit mask; up to 12 bits for AMD's data fabric.
    #[serde(default)]
    pub umask: u16,
    /// Count cycles in which at least so many happen.
    #[serde(default)]
    pub cmask: u8,
    /// Count cycles with fewer than `cmask` instead.
    #[serde(default)]
    pub inv: bool,
    /// Count the rising edges only.
    #[serde(default)]
    pub edge: bool,
    /// Count for both hardware threads of the core.
    #[serde(default)]
    pub any: bool,
    /// Extra register of the event: Intel's `OFFCORE_RSP`. A core has two of those, shared by its hardware threads, so
    /// no more than two events with different values count at once.
    #[serde(default)]
    pub config1: u64,
    /// Second extra register.
    #[serde(default)]
    pub config2: u64,
    /// What the encoding was checked against.
    pub checked: Check,
    /// The event of libpfm4, if that encodes it differently.
    #[serde(default)]
    pub disputed: Option<Disputed>,
}

/// What an encoding was checked against.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Check {
    /// libpfm4 gives the same code for its event of this full name. `tests/libpfm4.rs` asks again.
    Libpfm4 {
        /// The first version that was seen to know it.
        version: String,
        /// The event's full name there.
        event: String,
    },
    /// A published table lists it so.
    Published {
        /// The table and its date.
        source: String,
        /// The event's name there.
        event: String,
    },
    /// Nothing, for this reason.
    Not(String),
}

/// libpfm4 knows the event and encodes it otherwise; the vendor's table was followed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disputed {
    /// Its full name there.
    pub libpfm4: String,
    /// The `config` it gives.
    pub config: u64,
}

/// An event as `perf_event_open` takes it, but for the type, which `/sys` lists for the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoded<'a> {
    /// The counting unit; see [`Event::pmu`].
    pub pmu: &'a str,
    /// `perf_event_attr.config`.
    pub config: u64,
    /// `perf_event_attr.config1`.
    pub config1: u64,
    /// `perf_event_attr.config2`.
    pub config2: u64,
}

/// Where the fields are in `config`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// As in the event select registers of x86, which its uncore units follow.
    #[default]
    X86,
    /// AMD's data fabric: the unit mask goes on in bits 24-27.
    DataFabric,
    /// The event code alone.
    Arm,
}

impl Event {
    /// The events to open; their counts are summed, and then times [`scale`](Self::scale) they are the measure.
    pub fn encodings(&self) -> impl Iterator<Item = Encoded<'_>> {
        self.encodings.iter().map(|encoding| encoding.encoded(&self.pmu, self.layout))
    }

    /// Whether it counts for whole sockets, all programs together, and so cannot be attributed to one.
    #[must_use]
    pub fn is_of_the_socket(&self) -> bool {
        self.pmu.starts_with("uncore_") || matches!(self.pmu.as_str(), "amd_df" | "amd_umc" | "amd_l3")
    }
}

impl Encoding {
    /// x86: code 7:0 and its upper bits at 35:32, unit mask 15:8, edge 18, any 21, inv 23, cmask 31:24.
    fn encoded<'a>(&self, pmu: &'a str, layout: Layout) -> Encoded<'a> {
        let (code, umask) = (u64::from(self.code), u64::from(self.umask));
        let config = match layout {
            Layout::Arm => code,
            Layout::X86 | Layout::DataFabric => {
                (code & 0xff)
                    | (umask & 0xff) << 8
                    | u64::from(self.edge) << 18
                    | u64::from(self.any) << 21
                    | u64::from(self.inv) << 23
                    | (u64::from(self.cmask) | umask >> 8) << 24
                    | (code >> 8) << 32
            }
        };
        Encoded { pmu, config, config1: self.config1, config2: self.config2 }
    }
}

impl TryFrom<String> for Check {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wanted = "is not `libpfm4 VERSION: PMU::EVENT`, `SOURCE: EVENT` or `not checked: REASON`";
        match text.split_once(": ") {
            Some(("not checked", reason)) if !reason.trim().is_empty() => Ok(Self::Not(reason.into())),
            Some((source, event))
                if !source.trim().is_empty() && !event.trim().is_empty() && source != "not checked" =>
            {
                let event = event.to_owned();
                Ok(match source.strip_prefix("libpfm4 ") {
                    Some(version) => Self::Libpfm4 { version: version.into(), event },
                    None => Self::Published { source: source.into(), event },
                })
            }
            _ => Err(format!("{text:?} {wanted}")),
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Libpfm4 { version, event } => write!(f, "libpfm4 {version}: {event}"),
            Self::Published { source, event } => write!(f, "{source}: {event}"),
            Self::Not(reason) => write!(f, "not checked: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding(fields: &str) -> Encoding {
        toml::from_str(&format!("name = \"X\"\nchecked = \"a table: X\"\n{fields}")).unwrap()
    }

    fn config(fields: &str, layout: Layout) -> u64 {
        encoding(fields).encoded("cpu", layout).config
    }

    /// By hand from the layout of `IA32_PERFEVTSELx` and AMD's `PERF_CTL`.
    #[test]
    fn fields_go_where_the_registers_have_them() {
        assert_eq!(config("code = 0xd3\numask = 0x01", Layout::X86), 0x01d3);
        assert_eq!(config("code = 0xa3\numask = 0x14\ncmask = 20", Layout::X86), 0x1400_14a3);
        assert_eq!(config("code = 0xec\numask = 0x40\ncmask = 1\nedge = true", Layout::X86), 0x0104_40ec);
        assert_eq!(config("code = 0x3c\nany = true", Layout::X86), 0x0020_003c);
        assert_eq!(config("code = 0x0e\numask = 1\ncmask = 1\ninv = true", Layout::X86), 0x0180_010e);
        assert_eq!(config("code = 0x1a0\numask = 0x60", Layout::X86), 0x1_0000_60a0);
        assert_eq!(config("code = 0xb5f\numask = 0xf3e", Layout::DataFabric), 0xb_0f00_3e5f);
        assert_eq!(config("code = 0x4005", Layout::Arm), 0x4005);
    }

    #[test]
    fn the_response_of_an_offcore_event_is_beside_it() {
        let found = encoding("code = 0xb7\numask = 1\nconfig1 = 0x104000477").encoded("cpu", Layout::X86);
        assert_eq!(found, Encoded { pmu: "cpu", config: 0x01b7, config1: 0x1_0400_0477, config2: 0 });
    }

    #[test]
    fn a_check_names_its_source_and_reads_back() {
        for text in ["libpfm4 4.13: skx::A:B", "Intel perfmon 2026-08: A.B", "not checked: no table lists it"] {
            assert_eq!(Check::try_from(text.to_owned()).unwrap().to_string(), text);
        }
        for text in ["", "yes", "not checked: ", "libpfm4", ": x"] {
            assert!(Check::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
