//! The table of measures, 80 columns wide.

use super::measures::Measure;

const WIDTHS: [usize; 4] = [18, 9, 26, 21];

/// Draws the table: measure, available, reason, substitute.
pub(super) fn drawn(measures: &[Measure]) -> String {
    let head = ["measure", "available", "reason", "substitute"].map(str::to_owned);
    let rule = WIDTHS.map(|width| "-".repeat(width));
    let rows = measures.iter().map(|measure| {
        let sign = if measure.available { "yes" } else { "no" };
        [measure.name.into(), sign.into(), measure.reason.clone(), measure.substitute.into()]
    });
    [head, rule].into_iter().chain(rows).map(|row| drawn_row(&row)).collect()
}

fn drawn_row(cells: &[String; 4]) -> String {
    let columns: Vec<Vec<String>> = cells.iter().zip(WIDTHS).map(|(cell, width)| wrapped(cell, width)).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let cell = |(column, width): (&Vec<String>, usize)| {
            let text = column.get(at).map_or("", String::as_str);
            format!("{text:<width$}")
        };
        let cells: Vec<String> = columns.iter().zip(WIDTHS).map(cell).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    (0..height).map(line).collect()
}

/// Breaks a text at blanks; a word that is wider than the column exceeds it.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_cells_go_on_in_their_own_column() {
        let measure = Measure {
            name: "energy",
            available: false,
            reason: "no RAPL: the kernel lists no intel-rapl zones under /sys/class/powercap".into(),
            substitute: "none",
        };
        let drawn = drawn(&[measure]);
        let lines: Vec<&str> = drawn.lines().collect();
        assert!(lines[2].starts_with("energy              no         no RAPL: the kernel lists"), "{drawn}");
        assert!(lines[3].starts_with("                               no intel-rapl zones under"), "{drawn}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{drawn}");
    }
}
