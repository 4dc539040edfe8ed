//! Sets of whole numbers as ranges: what a condition on one number allows.

/// Disjoint ranges in order, both ends inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<(i128, i128)>);

impl Ranges {
    /// Numbers from `low` to `high`; none if there are none.
    pub(crate) fn between(low: i128, high: i128) -> Self {
        Self(if low <= high { vec![(low, high)] } else { Vec::new() })
    }

    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn list(&self) -> &[(i128, i128)] {
        &self.0
    }

    pub(crate) fn contains(&self, value: i128) -> bool {
        let after = self.0.partition_point(|(low, _)| *low <= value);
        after > 0 && self.0[after - 1].1 >= value
    }

    /// Whether they have all numbers from `low` to `high`, or none of them; none if some.
    pub(crate) fn decided(&self, low: i128, high: i128) -> Option<bool> {
        let at = self.0.partition_point(|(_, end)| *end < low);
        match self.0.get(at) {
            Some((begin, end)) if *begin <= low && high <= *end => Some(true),
            Some((begin, _)) if *begin <= high => None,
            _ => Some(false),
        }
    }

    /// Numbers that any of them has.
    pub(crate) fn any(sets: Vec<Self>) -> Self {
        let mut all: Vec<(i128, i128)> = sets.into_iter().flat_map(|set| set.0).collect();
        all.sort_unstable();
        let mut joined: Vec<(i128, i128)> = Vec::new();
        for (low, high) in all {
            match joined.last_mut() {
                Some((_, end)) if low <= end.saturating_add(1) => *end = high.max(*end),
                _ => joined.push((low, high)),
            }
        }
        Self(joined)
    }

    pub(crate) fn not(&self) -> Self {
        let mut gaps = Vec::new();
        let mut next = Some(i128::MIN);
        for (low, high) in &self.0 {
            if let Some(from) = next
                && from < *low
            {
                gaps.push((from, low - 1));
            }
            next = high.checked_add(1);
        }
        gaps.extend(next.map(|from| (from, i128::MAX)));
        Self(gaps)
    }

    /// Numbers that all of them have.
    #[allow(clippy::needless_pass_by_value, reason = "it is called where `any` could be")]
    pub(crate) fn all(sets: Vec<Self>) -> Self {
        Self::any(sets.iter().map(Self::not).collect()).not()
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        Self::all(vec![self.clone(), other.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[(i128, i128)]) -> Ranges {
        Ranges::any(list.iter().map(|(low, high)| Ranges::between(*low, *high)).collect())
    }

    #[test]
    fn sets_are_what_their_members_are() {
        let sets =
            [of(&[]), of(&[(0, 3)]), of(&[(-2, 0), (2, 2), (5, 9)]), of(&[(i128::MIN, -1)]), of(&[(4, i128::MAX)])];
        for one in &sets {
            for other in &sets {
                for value in [i128::MIN, -3, -2, -1, 0, 1, 2, 3, 4, 5, 9, 10, i128::MAX] {
                    let (a, b) = (one.contains(value), other.contains(value));
                    let any = Ranges::any(vec![one.clone(), other.clone()]);
                    assert_eq!(any.contains(value), a || b, "{one:?} or {other:?}: {value}");
                    assert_eq!(one.and(other).contains(value), a && b, "{one:?} and {other:?}: {value}");
                    assert_eq!(one.not().contains(value), !a, "not {one:?}: {value}");
                    assert_eq!(one.decided(value, value), Some(a), "{one:?}: {value}");
                }
            }
        }
    }

    #[test]
    fn all_numbers_between_two_are_in_a_set_or_none_or_some() {
        let set = of(&[(0, 3), (6, 6), (8, 9)]);
        for (low, high) in (-2..11).flat_map(|low| (low..11).map(move |high| (low, high))) {
            let inside = (low..=high).filter(|value| set.contains(*value)).count() as i128;
            let expected = if inside == 0 { Some(false) } else { (inside == high - low + 1).then_some(true) };
            assert_eq!(set.decided(low, high), expected, "{low} to {high}");
        }
        assert_eq!(of(&[(i128::MIN, i128::MAX)]).decided(i128::MIN, i128::MAX), Some(true));
    }

    #[test]
    fn neighbours_are_one_range() {
        assert_eq!(of(&[(3, 3), (1, 1), (2, 2)]), Ranges::between(1, 3));
        assert_eq!(Ranges::between(2, 1), Ranges::none());
    }
}
