//! "Did you mean": the known name most like a mistyped one.

/// How similar a known name must be to be suggested, from 0 to 1.
const ALIKE: f64 = 0.65;

/// The most similar known name, if any is similar enough.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let alike = known.into_iter().map(|one| (strsim::normalized_damerau_levenshtein(name, one), one));
    let (likeness, one) = alike.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness >= ALIKE).then_some(one)
}
