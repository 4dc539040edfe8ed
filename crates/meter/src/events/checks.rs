//! Checks the entries of an event table.

use serde::Deserialize;

use super::event::{Event, Layout};
use super::formula::is_of_a_name;
use super::numbers::Numbers;
use super::table::{Cpus, Vendor};

/// What is wrong in an entry: the field, the problem, the hint.
pub(super) type Wrong = (&'static str, String, String);

/// Parts as they are written, of either kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    family: Option<u32>,
    models: Option<Numbers>,
    steppings: Option<Numbers>,
    implementer: Option<u32>,
    parts: Option<Numbers>,
}

pub(super) fn cpus(vendor: Vendor, listed: &Listed) -> Result<Cpus, Wrong> {
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

pub(super) fn layout(vendor: Vendor, pmu: &str) -> Layout {
    match vendor {
        Vendor::Arm => Layout::Arm,
        Vendor::Amd if pmu == "amd_df" => Layout::DataFabric,
        Vendor::Intel | Vendor::Amd => Layout::X86,
    }
}

/// Whether an event can be asked for as it stands.
pub(super) fn sound(vendor: Vendor, event: &Event) -> Result<(), Wrong> {
    named("measure", &event.measure)?;
    let pmu = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if event.pmu.is_empty() || !event.pmu.chars().all(pmu) {
        let hint = "name a folder of /sys/bus/event_source/devices, without _0".into();
        return Err(("pmu", format!("{:?} is not a PMU", event.pmu), hint));
    }
    if !(event.scale.is_finite() && event.scale > 0.0) {
        return Err(("scale", format!("{} units for one count", event.scale), "leave it out for 1".into()));
    }
    for (field, text) in [("unit", &event.unit), ("meaning", &event.meaning), ("not_counted", &event.not_counted)] {
        if text.trim().is_empty() {
            return Err((
                field,
                "says nothing".into(),
                "write a few words; they are printed next to the number".into(),
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

pub(super) fn named(field: &'static str, name: &str) -> Result<(), Wrong> {
    if name.starts_with(|letter: char| letter.is_ascii_lowercase()) && name.chars().all(is_of_a_name) {
        return Ok(());
    }
    let hint = "name it like `remote_dram`: small letters, digits and _".into();
    Err((field, format!("{name:?} is not a valid name of a measure"), hint))
}

pub(super) fn unknown(field: &'static str, measure: &str) -> Wrong {
    (field, format!("no event counts {measure:?}"), "correct the name, or add an [[event]] that counts it".into())
}

pub(super) fn twice(field: &'static str, name: &str) -> Wrong {
    (field, format!("{name:?} is there twice"), "remove one, or sum both as `encodings` of one event".into())
}
