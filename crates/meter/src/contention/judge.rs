//! Turns scores into a verdict, or a reason why there is none.

use serde::Serialize;

/// Siblings share one multiplier, so each gets about half of it.
const SIBLINGS_UP_TO: f64 = 0.70;
/// Separate cores share nothing; a lower score is noise.
const SEPARATE_FROM: f64 = 0.85;
/// Both quartiles have to lie on the same side of this as the median.
const BETWEEN: f64 = 0.78;
/// With fewer scores than this the quartiles say nothing.
const ENOUGH: usize = 7;
/// Share of scores against the verdict that is reported: one in twenty.
const WORTH_A_WORD: usize = 20;
/// The reason for two modes: seen on a guest of two cpus, in 10 % of the slices a score around 0.50, in the others
/// around 1.0, and next to nothing from 0.6 to 0.8 (AMD EPYC 7003 under Firecracker, 40 runs of `knee doctor
/// --siblings`, other work on the guest, 2026-11-21).
const MOVED: &str = "a hypervisor may move cpus between cores";

/// What two cpus, or one cpu and a crowd, are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// They do not slow each other.
    Separate,
    /// They share the execution units of one core.
    Siblings,
    /// Cannot tell; the reason is stored with it.
    Unknown,
}

/// A verdict and its evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// Median over slices; about 0.5 for siblings, 1 for separate cores. None without a slice that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The middle half of the scores: lower and upper quartile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<[f64; 2]>,
    /// Undisturbed slices, each of which gave a score.
    pub slices: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// Why there is no verdict, or what speaks against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Evidence {
    /// The same figures without a verdict.
    #[must_use]
    pub fn doubted(self, reason: String) -> Self {
        Self { verdict: Verdict::Unknown, reason: Some(reason), ..self }
    }
}

/// Judges the scores of one pair; `tried` is how many slices were tried for them.
#[must_use]
pub fn judge(scores: &[f64], tried: usize) -> Evidence {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let [low, median, high] = [1, 2, 3].map(|quarter| quantile(&sorted, quarter));
    let (verdict, reason) = match (low, median, high) {
        (Some(low), Some(median), Some(high)) if sorted.len() >= ENOUGH => verdict(&sorted, low, median, high),
        _ => (Verdict::Unknown, Some(too_few(sorted.len(), tried))),
    };
    let spread = low.zip(high).map(|(low, high)| [rounded(low), rounded(high)]);
    Evidence { score: median.map(rounded), spread, slices: sorted.len(), verdict, reason }
}

fn verdict(sorted: &[f64], low: f64, median: f64, high: f64) -> (Verdict, Option<String>) {
    let (number, slowed) = (sorted.len(), sorted.partition_point(|&score| score < BETWEEN));
    let worth_a_word = |against: usize| against * WORTH_A_WORD >= number;
    if median <= SIBLINGS_UP_TO && high < BETWEEN {
        let said = format!("{} of {number} slices were not slowed: {MOVED}", number - slowed);
        (Verdict::Siblings, worth_a_word(number - slowed).then_some(said))
    } else if median >= SEPARATE_FROM && low >= BETWEEN {
        let said = format!("{slowed} of {number} slices were slowed as by a sibling: {MOVED}");
        (Verdict::Separate, worth_a_word(slowed).then_some(said))
    } else if low < SIBLINGS_UP_TO && high > SEPARATE_FROM {
        let said = format!("{slowed} of {number} slices were slowed: {MOVED}");
        (Verdict::Unknown, Some(said))
    } else {
        (Verdict::Unknown, Some("the scores lie between those of siblings and of separate cores".into()))
    }
}

fn too_few(clean: usize, tried: usize) -> String {
    format!("{clean} of {tried} slices were undisturbed: other programs, a CPU quota or a hypervisor took the cpus")
}

/// The quantile at a number of quarters, the nearest score below; none of nothing.
pub(super) fn quantile(sorted: &[f64], quarters: usize) -> Option<f64> {
    sorted.len().checked_sub(1).map(|last| sorted[last * quarters / 4])
}

/// Three digits are more than slices can carry, and keep the output readable.
fn rounded(score: f64) -> f64 {
    (score * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(centre: f64, number: u32) -> Vec<f64> {
        (0..number).map(|i| centre + 0.02 * (f64::from(i % 5) - 2.0)).collect()
    }

    #[test]
    fn half_speed_is_siblings_and_full_speed_is_separate() {
        for (centre, verdict) in [(0.5, Verdict::Siblings), (0.62, Verdict::Siblings), (0.98, Verdict::Separate)] {
            let evidence = judge(&around(centre, 15), 15);
            assert_eq!((evidence.verdict, evidence.reason), (verdict, None), "{centre}");
            assert!((evidence.score.unwrap() - centre).abs() < 0.01);
            assert!(evidence.spread.unwrap()[0] < evidence.spread.unwrap()[1]);
        }
    }

    #[test]
    fn what_cannot_be_told_has_its_reason() {
        let reason = |scores: &[f64]| {
            let evidence = judge(scores, 30);
            assert_eq!(evidence.verdict, Verdict::Unknown);
            evidence.reason.unwrap()
        };
        assert!(reason(&around(0.78, 15)).starts_with("the scores lie between"));
        assert!(reason(&around(0.5, 6)).starts_with("6 of 30 slices were undisturbed"));
        assert!(reason(&[]).starts_with("0 of 30 slices were undisturbed"));
        let mixed = [around(0.5, 8), around(1.0, 8)].concat();
        assert!(reason(&mixed).starts_with("8 of 16 slices were slowed"));
        assert_eq!(judge(&[], 30).score, None);
    }

    #[test]
    fn a_few_outliers_are_said_and_do_not_decide() {
        let evidence = judge(&[around(1.0, 18), around(0.5, 2)].concat(), 20);
        assert_eq!(evidence.verdict, Verdict::Separate);
        assert_eq!(
            evidence.reason.unwrap(),
            "2 of 20 slices were slowed as by a sibling: a hypervisor may move cpus between cores"
        );
        let evidence = judge(&[around(0.5, 18), around(1.0, 2)].concat(), 20);
        assert_eq!(evidence.verdict, Verdict::Siblings);
        assert_eq!(
            evidence.reason.unwrap(),
            "2 of 20 slices were not slowed: a hypervisor may move cpus between cores"
        );
    }
}
