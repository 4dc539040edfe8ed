//! Errata of events, and what knee does about each.

use serde::Deserialize;

use super::numbers::Numbers;

/// An event that does not count what it says, or not always.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erratum {
    /// The vendor's numbers for it; empty where there is none.
    #[serde(default)]
    pub numbers: Vec<String>,
    /// The measures it spoils.
    pub measures: Vec<String>,
    /// The models of the table that have it; all of them where it does not say.
    #[serde(default)]
    pub models: Option<Numbers>,
    /// The steppings that have it; all of them where it does not say.
    #[serde(default)]
    pub steppings: Option<Numbers>,
    /// When it shows, if not always.
    #[serde(default)]
    pub when: Option<String>,
    /// What is wrong.
    pub effect: String,
    /// Where this is stated.
    pub source: String,
    /// What to do.
    pub action: Action,
    /// Whether the source itself was read. Otherwise it is hearsay, and `source` says of what kind.
    pub verified: bool,
}

/// What to do about an erratum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Do not count, unless the user insists.
    Refuse,
    /// Count, and say so beside the number.
    Warn,
}

impl Erratum {
    /// Whether it spoils `measure` on a part of this model and stepping.
    pub(super) fn applies(&self, measure: &str, model: u32, stepping: u32) -> bool {
        self.measures.iter().any(|spoiled| spoiled == measure)
            && self.models.as_ref().is_none_or(|models| models.contains(model))
            && self.steppings.as_ref().is_none_or(|steppings| steppings.contains(stepping))
    }

    /// One line: numbers, effect, when, source.
    #[must_use]
    pub fn summary(&self) -> String {
        let numbers = if self.numbers.is_empty() { String::new() } else { format!("{}: ", self.numbers.join(", ")) };
        let when = self.when.as_ref().map_or(String::new(), |when| format!(" ({when})"));
        let hearsay = if self.verified { "" } else { "not verified: " };
        format!("{numbers}{}{when} [{hearsay}{}]", self.effect, self.source)
    }
}
