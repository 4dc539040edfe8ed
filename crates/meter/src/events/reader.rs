//! Reads a table, with errors that say where and what to try.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;

use super::errata::Erratum;
use super::event::{Event, Layout};
use super::formula::{Derived, is_of_a_name};
use super::numbers::Numbers;
use super::table::{Cpus, DERIVED, Table, Vendor};

/// A file that is no table.
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

/// Parts as they are written, of either kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    family: Option<u32>,
    models: Option<Numbers>,
    steppings: Option<Numbers>,
    implementer: Option<u32>,
    parts: Option<Numbers>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct General {
    derived: Vec<Derived>,
}

impl Table {
    /// Reads a user's own file.
    ///
    /// # Errors
    /// When the file cannot be read, or is no table.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
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

    /// Reads a table from its text; `file` is what errors call it.
    ///
    /// # Errors
    /// When it is no table.
    pub fn parse(text: &str, file: &str) -> Result<Self, Error> {
        let source = Source { text, file };
        let found: File = source.read()?;
        let mut table = Self {
            cpus: source.cpus(&found)?,
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

/// The general derived measures that `table` has all events for, and does not define itself.
fn general(table: &Table) -> Vec<Derived> {
    let general: General = toml::from_str(DERIVED).expect("the derived measures of the program are read by its tests");
    let counted = |derived: &Derived| derived.formula.measures().iter().all(|name| table.event(name).is_some());
    let defined = |name: &str| table.event(name).is_some() || table.derived.iter().any(|derived| derived.name == name);
    general.derived.into_iter().filter(|derived| counted(derived) && !defined(&derived.name)).collect()
}

/// A text with the name it goes by.
struct Source<'a> {
    text: &'a str,
    file: &'a str,
}

/// What is wrong in an entry: the field, the problem, the hint.
type Wrong = (&'static str, String, String);

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

    fn cpus(&self, found: &File) -> Result<Vec<Cpus>, Error> {
        if found.cpus.is_empty() {
            let wrong =
                ("cpus", "lists no part".into(), "list this machine as /proc/cpuinfo names it, or another one".into());
            return Err(self.error(&(0..0), wrong));
        }
        let read = |listed: &Spanned<Listed>| {
            cpus(found.vendor, listed.get_ref()).map_err(|wrong| self.error(&listed.span(), wrong))
        };
        found.cpus.iter().map(read).collect()
    }

    fn events(&self, vendor: Vendor, found: Vec<Spanned<Event>>) -> Result<Vec<Event>, Error> {
        let mut events: Vec<Event> = Vec::new();
        for spanned in found {
            let span = spanned.span();
            let mut event = spanned.into_inner();
            event.layout = layout(vendor, &event.pmu);
            sound(vendor, &event).map_err(|wrong| self.error(&span, wrong))?;
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

fn cpus(vendor: Vendor, listed: &Listed) -> Result<Cpus, Wrong> {
    let Listed { family, models, steppings, implementer, parts } = listed;
    match (vendor, family, models, implementer, parts) {
        (Vendor::Intel | Vendor::Amd, Some(family), Some(models), None, None) => {
            Ok(Cpus::X86 { family: *family, models: models.clone(), steppings: steppings.clone() })
        }
        (Vendor::Arm, None, None, Some(implementer), Some(parts)) if steppings.is_none() => {
            Ok(Cpus::Arm { implementer: *implementer, parts: parts.clone() })
        }
        (Vendor::Arm, ..) => Err(("cpus", "an Arm part has an implementer and parts, nothing else".into(), arm_form())),
        _ => Err(("cpus", "an x86 part has a family and models, and perhaps steppings".into(), x86_form())),
    }
}

fn arm_form() -> String {
    "write it as { implementer = 0x41, parts = \"0xd40\" }".into()
}

fn x86_form() -> String {
    "write it as { family = 6, models = \"85\", steppings = \"0-4\" }".into()
}

fn layout(vendor: Vendor, pmu: &str) -> Layout {
    match vendor {
        Vendor::Arm => Layout::Arm,
        Vendor::Amd if pmu == "amd_df" => Layout::DataFabric,
        Vendor::Intel | Vendor::Amd => Layout::X86,
    }
}

/// Whether an event can be asked for as it stands.
fn sound(vendor: Vendor, event: &Event) -> Result<(), Wrong> {
    named("measure", &event.measure)?;
    let pmu = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if event.pmu.is_empty() || !event.pmu.chars().all(pmu) {
        let hint = "name a folder of /sys/bus/event_source/devices, without _0".into();
        return Err(("pmu", format!("{:?} is no counting unit", event.pmu), hint));
    }
    if !(event.scale.is_finite() && event.scale > 0.0) {
        return Err(("scale", format!("{} units for one count", event.scale), "leave it out for 1".into()));
    }
    for (field, text) in [("unit", &event.unit), ("meaning", &event.meaning), ("not_counted", &event.not_counted)] {
        if text.trim().is_empty() {
            return Err((
                field,
                "says nothing".into(),
                "say it in a few words: it is printed beside the number".into(),
            ));
        }
    }
    if event.encodings.is_empty() {
        let hint = "give at least one { name = …, code = …, checked = … }".into();
        return Err(("encodings", "lists no event".into(), hint));
    }
    event.encodings.iter().try_for_each(|encoding| {
        let (code, umask) = match (vendor, event.layout) {
            (Vendor::Intel, _) => (0xff, 0xff),
            (Vendor::Amd, Layout::DataFabric) => (0xfff, 0xfff),
            (Vendor::Amd, _) => (0xfff, 0xff),
            (Vendor::Arm, _) => (0xffff, 0),
        };
        fits("code", encoding.code, code)?;
        fits("umask", encoding.umask, umask)
    })
}

fn fits(field: &'static str, number: u16, most: u16) -> Result<(), Wrong> {
    if number <= most {
        return Ok(());
    }
    let hint = "split it as the vendor's manual does: event code, unit mask, counter mask".into();
    Err((field, format!("{number:#x} is more than {most:#x}, the most that fits"), hint))
}

fn named(field: &'static str, name: &str) -> Result<(), Wrong> {
    if name.starts_with(|letter: char| letter.is_ascii_lowercase()) && name.chars().all(is_of_a_name) {
        return Ok(());
    }
    let hint = "name it like `remote_dram`: small letters, digits and _".into();
    Err((field, format!("{name:?} is no name of a measure"), hint))
}

fn unknown(field: &'static str, measure: &str) -> Wrong {
    (field, format!("no event counts {measure:?}"), "correct the name, or add an [[event]] that counts it".into())
}

fn twice(field: &'static str, name: &str) -> Wrong {
    (field, format!("{name:?} is there twice"), "remove one, or sum both as `encodings` of one event".into())
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
