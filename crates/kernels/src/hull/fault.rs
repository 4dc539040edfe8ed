//! Checks a hull without computing one.

use super::{Line, Point, area};

/// Distances that are rounding: no coordinate is above 1. A vertex left out among ten million on the circle is about
/// twenty times as far from the line of its neighbours.
const CLOSE: f64 = 1e-14;

/// A hull goes right along its upper chain and back along the lower one, turns one way, and has all points inside.
pub(super) fn fault(numbers: &[u32], points: &[Point]) -> Option<String> {
    let hull: Vec<Point> = numbers.iter().map(|&number| points[number as usize]).collect();
    let Some(right) = (0..hull.len()).reduce(|a, b| if hull[b] > hull[a] { b } else { a }) else {
        return Some("there are no vertices".to_owned());
    };
    let upper = &hull[..=right];
    let lower = [&hull[right..], &hull[..1]].concat();
    if !upper.is_sorted_by(|a, b| a < b) || !lower.is_sorted_by(|a, b| a > b) {
        return Some("vertices are out of order".to_owned());
    }
    if let Some(vertex) = inward_turn(&hull) {
        return Some(format!("the hull turns inwards at {vertex:?}"));
    }
    let nearest = |point: Point| {
        if area([hull[0], hull[right]], point) > 0.0 {
            edge(upper, upper.partition_point(|&vertex| vertex <= point))
        } else {
            edge(&lower, lower.partition_point(|&vertex| vertex >= point))
        }
    };
    let outside = others(numbers, points).find(|&point| is_outside(nearest(point), point));
    outside.map(|point| format!("{point:?} is outside"))
}

fn inward_turn(hull: &[Point]) -> Option<Point> {
    let around = |vertex: usize| hull[vertex % hull.len()];
    let inward = |&vertex: &usize| is_outside([around(vertex), around(vertex + 1)], around(vertex + 2));
    (0..hull.len()).find(inward).map(|vertex| around(vertex + 1))
}

/// The points that are no vertices.
fn others(numbers: &[u32], points: &[Point]) -> impl Iterator<Item = Point> {
    let mut is_vertex = vec![false; points.len()];
    for &number in numbers {
        is_vertex[number as usize] = true;
    }
    points.iter().zip(is_vertex).filter(|(_, is_vertex)| !is_vertex).map(|(&point, _)| point)
}

/// The edge of a chain that ends at a vertex, or the nearest one there is.
fn edge(chain: &[Point], end: usize) -> Line {
    let end = end.clamp(1, chain.len() - 1);
    [chain[end - 1], chain[end]]
}

fn is_outside([from, to]: Line, point: Point) -> bool {
    area([from, to], point) > CLOSE * (to.x - from.x).hypot(to.y - from.y)
}
