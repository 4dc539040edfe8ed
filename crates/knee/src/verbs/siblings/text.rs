//! The result of `knee doctor --siblings` as text.

use std::fmt::{Result, Write};

use knee_machine::CpuSet;
use knee_meter::contention::{Crowded, Evidence, Verdict};

use super::{Siblings, Tested, of};

/// Up to this many pairs all are listed; of more, only those that are not clearly separate cores.
const FEW: usize = 10;
/// Lines that can be read; the rest is in the JSON form.
const MOST_LINES: usize = 40;
const WIDTH: usize = 78;

/// All of it, the conclusion last.
pub(super) fn told(siblings: &Siblings, cores: &[CpuSet]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = match &siblings.untested {
        Some(reason) => write_wrapped(&mut text, "", &format!("siblings not tested: {reason}")),
        None => write_all(&mut text, siblings, cores),
    };
    text
}

fn write_all(text: &mut String, siblings: &Siblings, cores: &[CpuSet]) -> Result {
    write_pairs(text, &siblings.pairs)?;
    write_crowd(text, &siblings.crowd)?;
    writeln!(text)?;
    let denied = of(&siblings.pairs, (Verdict::Separate, Verdict::Siblings));
    if !denied.is_empty() {
        write_wrapped(text, "", &format!("siblings in /sys that the test does not confirm: {}", listed(&denied)))?;
    }
    if siblings.hidden.is_empty() {
        return writeln!(text, "{}", nothing_hidden(siblings));
    }
    write_wrapped(text, "", &format!("siblings missing from /sys: {}", listed(&siblings.hidden)))?;
    // Not wrapped, so that it can be copied.
    let single = one_per_core(&siblings.hidden, cores);
    writeln!(text, "These cpus share a core. For one thread per core: --placement\n{single}")
}

fn nothing_hidden(siblings: &Siblings) -> &'static str {
    let of_pairs = siblings.pairs.iter().map(|tested| tested.pair.evidence.verdict);
    let of_crowd = siblings.crowd.iter().map(|crowded| crowded.evidence.verdict);
    let (unknown, told): (Vec<_>, Vec<_>) = of_pairs.chain(of_crowd).partition(|v| *v == Verdict::Unknown);
    match (unknown.is_empty(), told.is_empty()) {
        (true, _) => "no hidden siblings",
        (false, false) => "no hidden siblings among the cpus with a clear result",
        (false, true) => "cannot tell; try again on a quiet machine",
    }
}

fn write_pairs(text: &mut String, pairs: &[Tested]) -> Result {
    let worth_a_line = |tested: &Tested| {
        tested.verdicts() != (Verdict::Separate, Verdict::Separate) || tested.pair.evidence.reason.is_some()
    };
    let (shown, plain): (Vec<_>, Vec<_>) = pairs.iter().partition(|t| pairs.len() <= FEW || worth_a_line(t));
    if !shown.is_empty() {
        writeln!(text, "cpus         score  middle half   slices  verdict   /sys says")?;
    }
    for Tested { pair, sysfs } in shown.iter().take(MOST_LINES) {
        let cpus = format!("{} {}", pair.cpus[0], pair.cpus[1]);
        writeln!(text, "{cpus:<11} {}  {}", figures(&pair.evidence), word(*sysfs))?;
        write_reason(text, &pair.evidence)?;
    }
    if shown.len() > MOST_LINES {
        writeln!(text, "and {} more; --json shows all", shown.len() - MOST_LINES)?;
    }
    write_plain(text, &plain)
}

fn write_plain(text: &mut String, pairs: &[&Tested]) -> Result {
    let scores = || pairs.iter().filter_map(|tested| tested.pair.evidence.score);
    let Some((low, high)) = scores().reduce(f64::min).zip(scores().reduce(f64::max)) else { return Ok(()) };
    writeln!(text, "{} pairs are separate cores, scores {low:.2} to {high:.2}", pairs.len())
}

fn figures(evidence: &Evidence) -> String {
    let score = evidence.score.map_or("-".into(), |score| format!("{score:.2}"));
    let spread = evidence.spread.map_or("-".into(), |[low, high]| format!("{low:.2} to {high:.2}"));
    format!("{score:>6}  {spread:<12} {:>7}  {:<8}", evidence.slices, word(evidence.verdict))
}

fn write_reason(text: &mut String, evidence: &Evidence) -> Result {
    evidence.reason.as_ref().map_or(Ok(()), |reason| write_wrapped(text, "     ", reason))
}

fn write_crowd(text: &mut String, crowd: &[Crowded]) -> Result {
    let (separate, unclear): (Vec<&Crowded>, Vec<&Crowded>) =
        crowd.iter().partition(|crowded| crowded.evidence.verdict == Verdict::Separate);
    if let Some(one) = separate.first() {
        let cpus: CpuSet = separate.iter().map(|crowded| crowded.cpu).collect();
        write_wrapped(text, "", &format!("not slowed by {} others running at the same time: cpus {cpus}", one.others))?;
    }
    for crowded in unclear.iter().take(MOST_LINES) {
        writeln!(text, "cannot tell: cpu {}", crowded.cpu)?;
        write_reason(text, &crowded.evidence)?;
    }
    if unclear.len() > MOST_LINES {
        writeln!(text, "and {} more; --json shows all", unclear.len() - MOST_LINES)?;
    }
    Ok(())
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Separate => "separate",
        Verdict::Siblings => "siblings",
        Verdict::Unknown => "unknown",
    }
}

fn listed(pairs: &[[u32; 2]]) -> String {
    pairs.iter().map(|[a, b]| format!("{a} and {b}")).collect::<Vec<_>>().join(", ")
}

/// The first cpu of each core that `/sys` names, without those that share the core of a lower one.
fn one_per_core(hidden: &[[u32; 2]], cores: &[CpuSet]) -> CpuSet {
    let seconds: CpuSet = hidden.iter().map(|pair| pair[1]).collect();
    cores.iter().filter_map(CpuSet::first).collect::<CpuSet>().difference(&seconds)
}

/// `said` in lines that fit a terminal, each behind `indent`; a long list of cpus is broken behind a comma.
fn write_wrapped(text: &mut String, indent: &str, said: &str) -> Result {
    let mut line = String::new();
    for word in said.split_inclusive([' ', ',']) {
        if !line.is_empty() && indent.len() + line.len() + word.trim_end().len() > WIDTH {
            writeln!(text, "{indent}{}", line.trim_end())?;
            line.clear();
        }
        line += word;
    }
    writeln!(text, "{indent}{line}")
}

#[cfg(test)]
mod tests {
    use knee_meter::contention::{Pair, Report, judge};

    use super::*;

    fn cores(texts: &[&str]) -> Vec<CpuSet> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn pair(a: u32, b: u32, score: f64) -> Pair {
        Pair { cpus: [a, b], evidence: judge(&[score; 11], 11) }
    }

    fn text_of(pairs: Vec<Pair>, crowd: Vec<Crowded>, cores: &[CpuSet]) -> String {
        told(&Siblings::new(Report { pairs, crowd }, cores), cores)
    }

    #[test]
    fn hidden_siblings_are_named_with_a_placement_around_them() {
        let cores = cores(&["0", "1", "2", "3"]);
        let pairs = vec![pair(0, 1, 0.53), pair(0, 2, 1.0), pair(2, 3, 0.51)];
        let text = text_of(pairs, Vec::new(), &cores);
        assert!(text.contains("0 1           0.53  0.53 to 0.53      11  siblings  separate\n"), "{text}");
        assert!(text.contains("siblings missing from /sys: 0 and 1, 2 and 3\n"), "{text}");
        assert!(text.ends_with("These cpus share a core. For one thread per core: --placement\n0,2\n"), "{text}");
    }

    #[test]
    fn many_separate_pairs_are_one_line_and_a_control_that_fails_is_said() {
        let cores = cores(&["0,8", "1", "2"]);
        let mut pairs: Vec<Pair> = (0..30).map(|other| pair(40 + other, 80, 0.98 + f64::from(other) / 1e3)).collect();
        pairs.push(pair(0, 8, 1.0));
        let text = text_of(pairs, Vec::new(), &cores);
        assert!(text.contains("0 8           1.00  1.00 to 1.00      11  separate  siblings\n"), "{text}");
        assert!(text.contains("30 pairs are separate cores, scores 0.98 to 1.01\n"), "{text}");
        assert!(
            text.ends_with("siblings in /sys that the test does not confirm: 0 and 8\nno hidden siblings\n"),
            "{text}"
        );
    }

    #[test]
    fn a_crowd_and_what_cannot_be_told_fit_the_terminal() {
        let one = |cpu: u32, score| Crowded { cpu, others: 63, evidence: judge(&[score; 11], 11) };
        let mut crowd: Vec<Crowded> = (0..63).map(|cpu| one(2 * cpu, 1.0)).collect();
        crowd.push(one(127, 0.78));
        let unclear = |a, b| text_of(vec![Pair { cpus: [a, b], evidence: judge(&[], 33) }], Vec::new(), &[]);
        assert!(unclear(0, 1).ends_with("\ncannot tell; try again on a quiet machine\n"));
        let text = text_of(vec![Pair { cpus: [1020, 1023], evidence: judge(&[], 33) }], crowd, &[]);
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(text.contains("cannot tell: cpu 127\n     the scores lie between"), "{text}");
        assert!(text.contains("1020 1023        -  -                  0  unknown   separate\n"), "{text}");
        assert!(text.ends_with("no hidden siblings among the cpus with a clear result\n"), "{text}");
    }
}
