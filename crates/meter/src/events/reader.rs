//! Reads a table, with errors that say where and what to try.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use knee_machine::files;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;

use super::checks::{self, Listed, Wrong, named, twice, unknown};
use super::errata::Erratum;
use super::event::Event;
use super::formula::{Derived, is_of_a_name};
use super::table::{Cpus, DERIVED, Table, Vendor};

/// An error in a table's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file.
    pub file: String,
    /// The line, where it is known.
    pub line: Option<usize>,
    /// The field, where it is known.
    pub field: Option<String>,
    /// What is wrong with it.
    pub problem: String,
    /// The one thing to try.
    pub hint: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad event table: {}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ", field `{field}`")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for Error {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    title: String,
    vendor: Vendor,
    cpus: Vec<Spanned<Listed>>,
    #[serde(default)]
    notes: Option<String>,
    #[serde(rename = "event")]
    events: Vec<Spanned<Event>>,
    #[serde(default)]
    derived: Vec<Spanned<Derived>>,
    #[serde(rename = "erratum", default)]
    errata: Vec<Spanned<Erratum>>,
}

/// The lines of a file before its first event.
#[derive(Deserialize)]
struct Head {
    vendor: Vendor,
    cpus: Vec<Spanned<Listed>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct General {
    derived: Vec<Derived>,
}

static GENERAL: LazyLock<Vec<Derived>> = LazyLock::new(|| {
    let general: General = toml::from_str(DERIVED).expect("the derived measures of the program are read by its tests");
    general.derived
});

impl Table {
    /// Reads a user's own file.
    ///
    /// # Errors
    /// When the file cannot be read, or is no table.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        match files::text(path) {
            Ok(text) => Self::parse(&text, &file),
            Err(error) => Err(Error {
                file,
                line: None,
                field: None,
                problem: error.to_string(),
                hint: "give the path of a file as docs/reference/events.md describes it".into(),
            }),
        }
    }

    /// Reads a table from its text; errors use the name `file`.
    ///
    /// # Errors
    /// When it is no table.
    pub fn parse(text: &str, file: &str) -> Result<Self, Error> {
        let source = Source { text, file };
        let found: File = source.read()?;
        let mut table = Self {
            cpus: source.cpus(found.vendor, &found.cpus)?,
            events: source.events(found.vendor, found.events)?,
            name: found.name,
            title: found.title,
            vendor: found.vendor,
            notes: found.notes,
            derived: Vec::new(),
            errata: Vec::new(),
        };
        table.derived = source.derived(&table, found.derived)?;
        table.errata = source.errata(&table, found.errata)?;
        table.derived.extend(general(&table));
        Ok(table)
    }
}

/// The parts that a table is for, without reading its events.
pub(super) fn parts(text: &str, file: &str) -> Result<(Vendor, Vec<Cpus>), Error> {
    let head = text.split("\n[[").next().unwrap_or_default();
    let source = Source { text: head, file };
    let found: Head = source.read()?;
    Ok((found.vendor, source.cpus(found.vendor, &found.cpus)?))
}

/// The general derived measures that `table` has all events for, and does not define itself.
fn general(table: &Table) -> Vec<Derived> {
    let counted = |derived: &Derived| derived.formula.measures().iter().all(|name| table.event(name).is_some());
    let defined = |name: &str| table.event(name).is_some() || table.derived.iter().any(|derived| derived.name == name);
    GENERAL.iter().filter(|derived| counted(derived) && !defined(&derived.name)).cloned().collect()
}

/// A text with the name it goes by.
struct Source<'a> {
    text: &'a str,
    file: &'a str,
}

impl Source<'_> {
    fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        toml::from_str(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let mut problem = error.message().lines().next().unwrap_or_default().to_owned();
            problem.truncate(problem.floor_char_boundary(300));
            let missing = problem.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
            let field = missing.map(str::to_owned).or_else(|| field_at(self.text, span.start));
            let hint = hint_for(&problem, field.as_deref());
            Error { file: self.file.into(), line: Some(self.line(span.start)), field, problem, hint }
        })
    }

    /// Lines count from 1.
    fn line(&self, offset: usize) -> usize {
        self.text.get(..offset).unwrap_or_default().matches('\n').count() + 1
    }

    fn error(&self, span: &Range<usize>, (field, problem, hint): Wrong) -> Error {
        let line = Some(self.line(span.start));
        Error { file: self.file.into(), line, field: Some(field.into()), problem, hint }
    }

    fn cpus(&self, vendor: Vendor, found: &[Spanned<Listed>]) -> Result<Vec<Cpus>, Error> {
        if found.is_empty() {
            let wrong =
                ("cpus", "lists no part".into(), "list this machine as /proc/cpuinfo names it, or another one".into());
            return Err(self.error(&(0..0), wrong));
        }
        let read = |listed: &Spanned<Listed>| {
            checks::cpus(vendor, listed.get_ref()).map_err(|wrong| self.error(&listed.span(), wrong))
        };
        found.iter().map(read).collect()
    }

    fn events(&self, vendor: Vendor, found: Vec<Spanned<Event>>) -> Result<Vec<Event>, Error> {
        let mut events: Vec<Event> = Vec::new();
        for spanned in found {
            let span = spanned.span();
            let mut event = spanned.into_inner();
            event.layout = checks::layout(vendor, &event.pmu);
            checks::sound(vendor, &event).map_err(|wrong| self.error(&span, wrong))?;
            if events.iter().any(|earlier| earlier.measure == event.measure) {
                return Err(self.error(&span, twice("measure", &event.measure)));
            }
            events.push(event);
        }
        Ok(events)
    }

    fn derived(&self, table: &Table, found: Vec<Spanned<Derived>>) -> Result<Vec<Derived>, Error> {
        let mut names: BTreeSet<String> = table.events.iter().map(|event| event.measure.clone()).collect();
        let mut all = Vec::new();
        for spanned in found {
            let span = spanned.span();
            let derived = spanned.into_inner();
            let wrong = named("name", &derived.name).err().or_else(|| {
                let missing = derived.formula.measures().into_iter().find(|name| table.event(name).is_none())?;
                Some(unknown("formula", missing))
            });
            let again = || (!names.insert(derived.name.clone())).then(|| twice("name", &derived.name));
            if let Some(wrong) = wrong.or_else(again) {
                return Err(self.error(&span, wrong));
            }
            all.push(derived);
        }
        Ok(all)
    }

    fn errata(&self, table: &Table, found: Vec<Spanned<Erratum>>) -> Result<Vec<Erratum>, Error> {
        let read = |spanned: Spanned<Erratum>| {
            let span = spanned.span();
            let erratum = spanned.into_inner();
            match erratum.measures.iter().find(|measure| table.event(measure).is_none()) {
                Some(missing) => Err(self.error(&span, unknown("measures", missing))),
                None => Ok(erratum),
            }
        };
        found.into_iter().map(read).collect()
    }
}

/// The key whose value begins at `offset`, or the key that begins there.
fn field_at(text: &str, offset: usize) -> Option<String> {
    let (before, after) = (text.get(..offset)?, text.get(offset..)?);
    let word = |text: &str| !text.is_empty() && text.chars().all(is_of_a_name);
    let key = before
        .trim_end()
        .strip_suffix('=')
        .map(str::trim_end)
        .map(|before| before.rsplit(|letter| !is_of_a_name(letter)).next().unwrap_or_default());
    let key = key.or_else(|| {
        let (key, _) = after.split_once('=')?;
        Some(key.trim())
    });
    key.filter(|key| word(key)).map(str::to_owned)
}

fn hint_for(problem: &str, field: Option<&str>) -> String {
    match field {
        _ if problem.starts_with("missing field") => "add it; docs/reference/events.md shows a whole entry".into(),
        Some(field) if problem.starts_with("unknown field") => format!("remove `{field}`, or spell it as listed"),
        Some(field) => format!("correct the value of `{field}`; docs/reference/events.md shows a whole entry"),
        None => "compare the line with the entry that docs/reference/events.md shows".into(),
    }
}
