//! Chooses the event table for this cpu, and how far it can be trusted.

use super::cpu::Cpu;
use super::errata::{Action, Erratum};
use super::table::{Table, made_for};

/// The events that a part has.
#[derive(Debug, Clone)]
pub struct Choice<'a> {
    /// The table, or none: then there are the kernel's generic events only.
    pub table: Option<&'a Table>,
    /// Whether the table is the right one.
    pub trust: Trust,
    /// Measures that are known to be wrong on this part, and not counted unless the user insists.
    pub refused: Vec<RefusedMeasure<'a>>,
}

impl Choice<'_> {
    /// The caution for a measure's value: errata that only warn, and why this may be another part. Empty if there is
    /// none.
    #[must_use]
    pub fn caution(&self, measure: &str, cpu: &Cpu) -> String {
        let errata = self.table.into_iter().flat_map(|table| table.errata_for(measure, cpu));
        let warnings = errata.filter(|erratum| erratum.action == Action::Warn).map(Erratum::summary);
        let doubt = match &self.trust {
            Trust::Claimed(doubt) => Some(doubt.clone()),
            Trust::Trusted => None,
        };
        warnings.chain(doubt).collect::<Vec<_>>().join("; ")
    }
}

/// How far a choice can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The part says which one it is, and nothing speaks against it.
    Trusted,
    /// The part is claimed to be so, and this is why it may be another one. Count something known first.
    Claimed(String),
}

/// A measure that is not counted.
#[derive(Debug, Clone, Copy)]
pub struct RefusedMeasure<'a> {
    /// The measure.
    pub measure: &'a str,
    /// What is wrong with it.
    pub erratum: &'a Erratum,
}

/// The table of the program that is made for `cpu`.
#[must_use]
pub fn choose(cpu: &Cpu) -> Choice<'static> {
    let Some(table) = made_for(cpu) else {
        let unknown = format!("no event table for {}; only the kernel's generic events", cpu.kind);
        let reason = doubts(cpu).map_or(unknown.clone(), |doubt| format!("{unknown}; {doubt}"));
        return Choice { table: None, trust: Trust::Claimed(reason), refused: Vec::new() };
    };
    Choice { table: Some(table), trust: trust(doubts(cpu)), refused: refused(table, cpu) }
}

/// A user's own table, for any part.
#[must_use]
pub fn choose_own<'a>(table: &'a Table, cpu: &Cpu) -> Choice<'a> {
    let other = || format!("this is {}, and the table {} does not list it", cpu.kind, table.name);
    let doubt = doubts(cpu).or_else(|| (!table.covers(cpu)).then(other));
    Choice { table: Some(table), trust: trust(doubt), refused: refused(table, cpu) }
}

fn trust(doubt: Option<String>) -> Trust {
    doubt.map_or(Trust::Trusted, Trust::Claimed)
}

fn doubts(cpu: &Cpu) -> Option<String> {
    let contradiction = cpu.contradiction.as_ref().map(|what| format!("CPUID contradicts itself: {what}"));
    let guest = || cpu.hypervisor.then(|| "a hypervisor may show the name of any part".to_owned());
    contradiction.or_else(guest)
}

fn refused<'a>(table: &'a Table, cpu: &Cpu) -> Vec<RefusedMeasure<'a>> {
    let wrong = |measure: &'a str| {
        let mut errata = table.errata_for(measure, cpu);
        errata.find(|erratum| erratum.action == Action::Refuse).map(|erratum| RefusedMeasure { measure, erratum })
    };
    table.events().iter().filter_map(|event| wrong(&event.measure)).collect()
}
