//! The choices that there are.

use super::{Choice, Tail};
use crate::pattern::{Pattern, Relabelling, members};

/// Whether a pattern can be matched in this way: all choices of a large one would take minutes to list.
pub(crate) fn is_choice(pattern: &Pattern, choice: &Choice) -> bool {
    let mut matched = 0_u8;
    let follows = |vertex: &usize| {
        let is_new = *vertex < pattern.vertices() && matched >> *vertex & 1 == 0;
        let is_near = is_new && (matched == 0 || pattern.neighbours(*vertex) & matched != 0);
        if is_near {
            matched |= 1 << *vertex;
        }
        is_near
    };
    choice.order.len() == pattern.vertices()
        && choice.order.iter().all(follows)
        && with_tails(pattern, &choice.order).contains(choice)
}

/// All choices: every order with every tail, with and without tables.
#[cfg(test)]
pub(crate) fn choices(pattern: &Pattern) -> Vec<Choice> {
    orders(pattern).iter().flat_map(|order| with_tails(pattern, order)).collect()
}

/// All orders in which each vertex is joined to one before it, one of those that differ by a symmetry.
pub(super) fn orders(pattern: &Pattern) -> Vec<Vec<usize>> {
    let mut orders = Vec::new();
    extend(pattern, &mut Vec::new(), &pattern.automorphisms(), &mut orders);
    orders
}

/// An order with a tail of one vertex, with and without conditions on it, and with the longest that it may have; each
/// with and without tables, and with all vertices of the tail different or not.
pub(super) fn with_tails(pattern: &Pattern, order: &[usize]) -> Vec<Choice> {
    let longest = longest_tail(pattern, order);
    let one = [Tail::Ranked, Tail::Free(1), Tail::Loose(1)];
    let more = if longest > 1 { vec![Tail::Free(longest), Tail::Loose(longest)] } else { Vec::new() };
    let choice = |tail| {
        let choice = plain(order, tail);
        [Choice { tables: true, ..choice.clone() }, choice]
    };
    one.into_iter().chain(more).flat_map(choice).collect()
}

/// An order with a tail, without tables.
pub(super) fn plain(order: &[usize], tail: Tail) -> Choice {
    Choice { order: order.to_vec(), tail, tables: false, turned: false }
}

/// Extends an order by each vertex that may come next; of those that a symmetry exchanges, which leaves what is ordered
/// in its place, by the first.
fn extend(pattern: &Pattern, order: &mut Vec<usize>, symmetries: &[Relabelling], orders: &mut Vec<Vec<usize>>) {
    if order.len() == pattern.vertices() {
        return orders.push(order.clone());
    }
    let near = order.iter().fold(0, |near, vertex| near | pattern.neighbours(*vertex));
    let may = if order.is_empty() { pattern.all() } else { near };
    for vertex in members(may).filter(|vertex| !order.contains(vertex)).collect::<Vec<_>>() {
        if symmetries.iter().any(|to| usize::from(to[vertex]) < vertex) {
            continue;
        }
        let left: Vec<_> = symmetries.iter().copied().filter(|to| usize::from(to[vertex]) == vertex).collect();
        order.push(vertex);
        extend(pattern, order, &left, orders);
        order.pop();
    }
}

/// How many of the last vertices no two of which are joined. At least one vertex is matched.
fn longest_tail(pattern: &Pattern, order: &[usize]) -> usize {
    let mut tail = 0_u8;
    let apart = |vertex: &&usize| {
        let apart = pattern.neighbours(**vertex) & tail == 0;
        tail |= 1 << **vertex;
        apart
    };
    order[1..].iter().rev().take_while(apart).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_choices_is_one_and_what_cannot_be_matched_is_none() {
        for text in ["edge", "diamond", "square", "house", "star-7"] {
            let pattern = Pattern::parse(text).unwrap();
            assert!(choices(&pattern).iter().all(|choice| is_choice(&pattern, choice)), "{text}");
        }
        let square = Pattern::parse("square").unwrap();
        let order: Vec<usize> = choices(&square)[0].order.clone();
        let known = |order: &[usize], tail| is_choice(&square, &plain(order, tail));
        assert!(known(&order, Tail::Ranked));
        assert!(!known(&order[..3], Tail::Ranked), "a vertex is missing");
        assert!(!known(&[order[0], order[1], order[1], order[3]], Tail::Ranked), "one is there twice");
        assert!(!known(&[order[0], order[1], order[2], 4], Tail::Ranked), "one is no vertex of it");
        assert!(!known(&order, Tail::Free(3)), "the last three are joined");
        let far = members(square.all() & !square.neighbours(order[0]) & !(1 << order[0])).next().unwrap();
        let others = members(square.neighbours(order[0])).collect::<Vec<_>>();
        assert!(!known(&[order[0], far, others[0], others[1]], Tail::Ranked), "the second is joined to none before it");
    }

    #[test]
    fn symmetric_orders_are_kept_once() {
        for (text, orders, longest) in [
            ("edge", 1, 1),
            ("triangle", 1, 1),
            ("4-clique", 1, 1),
            // From the middle, or from an end; from the middle both leaves follow.
            ("wedge", 2, 2),
            ("star-7", 2, 7),
            // From an end of the chord in three ways, from another vertex in two.
            ("diamond", 5, 2),
            ("square", 2, 1),
        ] {
            let found = choices(&Pattern::parse(text).unwrap());
            let once: Vec<_> = found.iter().filter(|choice| choice.tail == Tail::Ranked && !choice.tables).collect();
            assert_eq!(once.len(), orders, "{text}");
            assert_eq!(found.iter().map(|choice| choice.tail.len()).max(), Some(longest), "{text}");
        }
    }
}
