//! Results of `knee memory` as text: curves as bars, pairs as shaded squares, everything within 80 columns.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use knee_probes::Figure;

use super::MachineMemory;

/// Widest bar.
const BAR: usize = 24;
/// Squares of a matrix in one line.
const COLUMNS: usize = 10;
const SHADES: [&str; 5] = ["  ", "░░", "▒▒", "▓▓", "██"];

/// The whole answer.
pub(super) fn told(found: &MachineMemory) -> String {
    let mut out = String::new();
    let mut flags = Flags::default();
    for group in groups(&found.figures) {
        match squares(&group) {
            Some((rows, columns)) => matrix(&mut out, &group, rows, columns, &mut flags),
            None => list(&mut out, &group, &mut flags),
        }
    }
    knees(&mut out, found);
    for (probe, why) in &found.unavailable {
        let measured = found.figures.iter().any(|figure| figure.probe == *probe);
        let some = if measured { "not all measured" } else { "not measured" };
        let _ = writeln!(out, "{probe}: {some}: {why}");
    }
    if let Some(why) = &found.small {
        let _ = writeln!(out, "{why}:\n  DRAM figures may show caches instead");
    }
    flags.write(&mut out);
    out
}

/// Figures of one probe and measure, which differ in their conditions.
fn groups(figures: &[Figure]) -> Vec<Vec<&Figure>> {
    let mut groups: Vec<Vec<&Figure>> = Vec::new();
    for figure in figures {
        let same = |group: &&mut Vec<&Figure>| group[0].probe == figure.probe && group[0].measure == figure.measure;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(figure),
            None => groups.push(vec![figure]),
        }
    }
    groups
}

/// Conditions that are not the same for all.
fn varying(group: &[&Figure]) -> Vec<String> {
    let names: BTreeSet<&String> = group.iter().flat_map(|figure| figure.at.keys()).collect();
    let differs = |name: &&&String| group.iter().any(|figure| figure.at.get(**name) != group[0].at.get(**name));
    names.iter().filter(differs).map(|name| (*name).clone()).collect()
}

/// The two conditions that span a matrix, if two do.
fn squares(group: &[&Figure]) -> Option<(&'static str, &'static str)> {
    let names = varying(group);
    let pairs = [("first", "second"), ("reader_node", "memory_node")];
    let (rows, columns) = *pairs
        .iter()
        .find(|(rows, columns)| [rows, columns].iter().all(|name| names.iter().any(|found| found == **name)))?;
    // Where thread counts differ as well, pairs of nodes are no matrix.
    if names.iter().any(|name| name == "threads") {
        return None;
    }
    let cell = |figure: &&Figure| (figure.at.get(rows).cloned(), figure.at.get(columns).cloned());
    let cells: BTreeSet<_> = group.iter().map(cell).collect();
    (cells.len() == group.len()).then_some((rows, columns))
}

fn heading(out: &mut String, group: &[&Figure]) {
    let names = varying(group);
    let fixed = group[0].at.iter().filter(|(name, _)| !names.contains(name));
    let fixed: Vec<_> = fixed.map(|(name, value)| format!("{name} {}", shown(name, value))).collect();
    let first = group[0];
    let _ = writeln!(out, "{} {}, {}", first.probe, first.measure, first.unit);
    let mut line = String::from(" ");
    for part in fixed {
        if line.len() + part.len() > 76 {
            let _ = writeln!(out, "{line}");
            line = String::from(" ");
        }
        let _ = write!(line, " {part},");
    }
    let _ = writeln!(out, "{}", line.trim_end_matches([',', ' ']));
}

/// A condition's value for people.
fn shown(name: &str, value: &str) -> String {
    match value.parse() {
        Ok(bytes) if name == "bytes" => knee_probes::size::text(bytes),
        _ => value.to_owned(),
    }
}

fn list(out: &mut String, group: &[&Figure], flags: &mut Flags) {
    heading(out, group);
    let names = varying(group);
    let cells: Vec<Vec<String>> = group
        .iter()
        .map(|figure| {
            names.iter().map(|name| figure.at.get(name).map_or_else(String::new, |value| shown(name, value))).collect()
        })
        .collect();
    let width =
        |column: usize| cells.iter().map(|row| row[column].len()).chain([names[column].len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    if !names.is_empty() {
        let head: Vec<_> = names.iter().zip(&widths).map(|(name, &width)| format!("{name:>width$}")).collect();
        let _ = writeln!(out, "  {}", head.join("  "));
    }
    let used = 2 + widths.iter().map(|width| width + 2).sum::<usize>();
    let most = group.iter().map(|figure| figure.value).fold(0.0, f64::max);
    let room = 76_usize.saturating_sub(used + 26).min(BAR);
    for (figure, row) in group.iter().zip(&cells) {
        let row: Vec<_> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
        let [low, high] = figure.quartiles;
        let spread = format!("{}..{}", number(low), number(high));
        let line = format!("  {}  {:>7} {spread:<15}", row.join("  "), number(figure.value));
        let _ =
            writeln!(out, "{}", format!("{line} {}{}", bar(figure.value, most, room), flags.mark(figure)).trim_end());
    }
    let _ = writeln!(out);
}

/// A bar in eighths of a column.
fn bar(value: f64, most: f64, columns: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a few columns")]
    let eighths = (value / most.max(f64::MIN_POSITIVE) * (columns * 8) as f64).round().max(0.0) as usize;
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

fn matrix(out: &mut String, group: &[&Figure], rows: &str, columns: &str, flags: &mut Flags) {
    heading(out, group);
    let order = |name: &str| {
        let mut values: Vec<String> = group.iter().filter_map(|figure| figure.at.get(name).cloned()).collect();
        values.sort_by_key(|text| (text.parse::<u64>().unwrap_or(u64::MAX), text.clone()));
        values.dedup();
        values
    };
    let (least, most) =
        group.iter().fold((f64::MAX, 0.0_f64), |(low, high), figure| (low.min(figure.value), high.max(figure.value)));
    let across = order(columns);
    for part in across.chunks(COLUMNS) {
        let head: Vec<_> = part.iter().map(|name| format!("{name:>7}")).collect();
        let _ = writeln!(out, "  {rows:>11} \\ {columns}\n  {:>5} {}", "", head.join(""));
        for row in order(rows) {
            let cell = |column: &String| {
                let at =
                    |figure: &&&Figure| figure.at.get(rows) == Some(&row) && figure.at.get(columns) == Some(column);
                group.iter().find(at).map_or_else(
                    || " ".repeat(7),
                    |figure| {
                        let shade = shade(figure.value, least, most);
                        format!(
                            "{:>5}{}",
                            number(figure.value),
                            if flags.mark(figure).is_empty() { shade } else { " !" }
                        )
                    },
                )
            };
            let cells: Vec<_> = part.iter().map(cell).collect();
            let _ = writeln!(out, "{}", format!("  {row:>5} {}", cells.join("")).trim_end());
        }
    }
    let _ = writeln!(out);
}

fn shade(value: f64, least: f64, most: f64) -> &'static str {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "one of five")]
    let step = ((value - least) / (most - least).max(f64::MIN_POSITIVE) * 4.0).round() as usize;
    SHADES[if most > 1.1 * least { step.min(4) } else { 0 }]
}

/// Three digits.
fn number(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn knees(out: &mut String, found: &MachineMemory) {
    if found.knees.is_empty() {
        return;
    }
    let _ = writeln!(out, "knees of the latency curve");
    for (page, knees) in &found.knees {
        for knee in knees {
            let size = knee_probes::size::text(knee.bytes);
            let _ = writeln!(
                out,
                "  {page:>4} pages: after {size:>5}, from {} to {} ns",
                number(knee.from_ns),
                number(knee.to_ns)
            );
        }
    }
    let claims: Vec<_> = found
        .claimed_caches
        .iter()
        .map(|(name, bytes)| format!("{name} {}", knee_probes::size::text(usize::try_from(*bytes).unwrap_or(0))))
        .collect();
    let _ = writeln!(out, "  cache sizes reported by the machine: {}\n", claims.join(", "));
}

/// Reasons for doubt. Those that differ only in their numbers are merged.
#[derive(Default)]
struct Flags(BTreeMap<String, Vec<f64>>);

impl Flags {
    /// A mark for a figure that has any.
    fn mark(&mut self, figure: &Figure) -> &'static str {
        for flag in &figure.flags {
            let (words, numbers) = taken_apart(flag);
            self.0.entry(words).or_default().extend(numbers.first().or(Some(&f64::NAN)));
        }
        if figure.flags.is_empty() { "" } else { " !" }
    }

    fn write(&self, out: &mut String) {
        if !self.0.is_empty() {
            let _ = writeln!(out, "! marks figures to be careful with:");
        }
        for (words, numbers) in &self.0 {
            let known = numbers.iter().copied().filter(|number| !number.is_nan());
            let (low, high) =
                known.fold((f64::MAX, f64::MIN), |(low, high), number| (low.min(number), high.max(number)));
            let range = if low < high { format!("{low} to {high}") } else { low.to_string() };
            let _ = writeln!(out, "  {} ({} figures)", words.replacen('#', &range, 1), numbers.len());
        }
    }
}

/// A flag's words without its first number, and that number.
fn taken_apart(flag: &str) -> (String, Vec<f64>) {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-' || letter == '+';
    let mut numbers = Vec::new();
    let words: Vec<String> = flag
        .split(' ')
        .map(|word| match word.parse::<f64>() {
            Ok(number) if numbers.is_empty() && word.chars().all(is_part) => {
                numbers.push(number);
                "#".to_owned()
            }
            _ => word.to_owned(),
        })
        .collect();
    (words.join(" "), numbers)
}

#[cfg(test)]
mod tests {

    use super::*;

    fn figure(flag: &str) -> Figure {
        let flag = (!flag.is_empty()).then(|| flag.to_owned());
        Figure::of("p", "m", "ns", vec![1.0]).flagged(flag)
    }

    #[test]
    fn doubts_of_one_kind_are_said_together() {
        let mut flags = Flags::default();
        for flag in
            ["had its cpus for 90 % of the time", "had its cpus for 40 % of the time", "others had 7 %", "no sibling"]
        {
            assert_eq!(flags.mark(&figure(flag)), " !");
        }
        assert_eq!(flags.mark(&figure("")), "");
        let mut out = String::new();
        flags.write(&mut out);
        let lines: Vec<_> = out.lines().skip(1).map(str::trim).collect();
        let expected = [
            "had its cpus for 40 to 90 % of the time (2 figures)",
            "no sibling (1 figures)",
            "others had 7 % (1 figures)",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn figures_of_pairs_are_a_matrix_and_all_lines_are_narrow() {
        let pair = |first: u32, second: u32, value: f64| {
            Figure::of("core-to-core", "one way", "ns", vec![value])
                .at("first", &first)
                .at("second", &second)
                .at("memory_node", "0")
        };
        let all: Vec<_> = (0..24).flat_map(|first| (first + 1..24).map(move |second| (first, second))).collect();
        let figures: Vec<_> =
            all.iter().map(|&(first, second)| pair(first, second, f64::from(first + 20 * second))).collect();
        let found = MachineMemory {
            schema: 1,
            start: String::new(),
            quick: true,
            seconds: 0.0,
            small: None,
            claimed_caches: BTreeMap::new(),
            knees: BTreeMap::new(),
            figures,
            unavailable: BTreeMap::new(),
        };
        let text = told(&found);
        assert!(text.contains("first \\ second") && text.contains('█'), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(bar(0.5, 1.0, 4), "██");
        assert_eq!(bar(1.0, 1.0, 2), "██");
        assert_eq!(number(1.234) + &number(12.34) + &number(1234.5), "1.2312.31234");
    }
}
