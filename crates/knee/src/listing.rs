//! Lists in help: a heading, then names with their meaning.

/// Where help breaks its lines.
const WIDTH: usize = 80;

/// A heading and a row for each name. Meanings are aligned, and so are their further lines.
pub(crate) fn listed<'a>(heading: &str, rows: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let rows: Vec<_> = rows.into_iter().collect();
    let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = format!("{heading}:");
    for (name, meaning) in rows {
        let mut line = format!("  {name:<widest$} ");
        for word in meaning.split_whitespace() {
            if line.len() + 1 + word.len() > WIDTH {
                text = format!("{text}\n{line}");
                line = " ".repeat(widest + 3);
            }
            line += " ";
            line += word;
        }
        text = format!("{text}\n{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn long_meanings_go_on_below_themselves() {
        let long = "word ".repeat(20);
        let text = listed("Things", [("a", "first".to_owned()), ("longer", long)]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..2], ["Things:", "  a       first"]);
        assert_eq!(lines[2].find("word"), lines[3].find("word"));
        assert!(lines.len() == 4 && lines.iter().all(|line| line.len() <= 80), "{text}");
    }
}
