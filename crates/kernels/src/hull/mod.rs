//! Convex hull of random points.

mod fault;
mod quick;

use std::f64::consts::TAU;

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use self::fault::fault;
use self::quick::Cloud;
use crate::data::{Data, LAYOUT, Layout};
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{RUNTIME, Scheduler, on};
use crate::{number, random};

pub(crate) struct Hull;

impl Workload for Hull {
    fn name(&self) -> &'static str {
        "hull"
    }

    fn summary(&self) -> &'static str {
        "the convex hull of random points, by quickhull"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The convex hull of `n` random points in a disk or on a circle. The point farthest \
         beyond a line is a vertex; points beyond the two lines to it are kept, the others dropped. Maximum and filter \
         are parallel down to `leaf` points. The answer is the number of vertices. Phases: `fill`, `hull`.\n\n\
         **What it stresses.** In a disk, memory: few rounds, each a stream over what is left, most of it in the \
         first. On a circle nothing is dropped: as many rounds as a sort has, and points looked up ever farther apart, \
         a cache miss each; ten times the time.\n\n\
         **Where it should bend.** Where memory channels are full. Later rounds look up points that are far from where \
         their numbers lie now: across nodes no layout is right for all of them.\n\n\
         **Source.** Quickhull of the Problem Based Benchmark Suite (Shun et al., SPAA 2012); a benchmark of NUMA-WS \
         (Deters et al., IISWC 2018)."
    }

    fn phase(&self) -> &'static str {
        "hull"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("n", "points", "10000000"),
            Param::choice("points", "distribution of the points", "disk", &["disk", "circle"]),
            number("leaf", "points per task", "4096"),
            LAYOUT,
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        Ok(Box::new(Prepared::new(args, team, phases)?))
    }
}

struct Prepared {
    points: Data<Point>,
    numbers: Data<u32>,
    spare: Data<u32>,
    leaf: usize,
    scheduler: Scheduler,
    hull: Vec<u32>,
}

impl Prepared {
    fn new(args: &Args, team: &Team, phases: &mut Phases) -> Result<Self, Error> {
        let count = |name, least| {
            let count = args.number(name, least..=u64::from(u32::MAX));
            count.map(|count| usize::try_from(count).expect("inside the range"))
        };
        let (n, leaf, in_disk) = (count("n", 3)?, count("leaf", 1)?, args.text("points") == "disk");
        let (layout, scheduler) = (Layout::of(args, team)?, Scheduler::start(args, team)?);
        let leaf = if scheduler.is_serial() { n } else { leaf };
        let (points, numbers, spare) = on!(scheduler, phases, "fill", F => (
            layout.array::<F, _>(n, |index| Point::random(index as u64, in_disk)),
            layout.array::<F, _>(n, |index| u32::try_from(index).expect("inside the range")),
            layout.array::<F, _>(n, |_| 0),
        ));
        Ok(Self { points, numbers, spare, leaf, scheduler, hull: Vec::new() })
    }
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let cloud = Cloud { points: &self.points, leaf: self.leaf };
        self.hull = on!(self.scheduler, phases, "hull", F => cloud.hull::<F>(&mut self.numbers, &mut self.spare));
        self.hull.len().to_string()
    }

    fn check(&self, answer: &str) -> Check {
        if let Some(fault) = fault(&self.hull, &self.points) {
            return Check::Wrong(fault);
        }
        let expected = self.hull.len().to_string();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

/// Points are compared from left to right.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    /// A point evenly spread in the unit disk, or on its edge.
    fn random(index: u64, in_disk: bool) -> Self {
        let fraction = |number: u64| (number >> 11) as f64 / (1_u64 << 53) as f64;
        let radius = if in_disk { fraction(random(2 * index)).sqrt() } else { 1.0 };
        let (sin, cos) = (TAU * fraction(random(2 * index + 1))).sin_cos();
        Self { x: radius * cos, y: radius * sin }
    }
}

/// From one point to another. Points beyond it are to the left.
type Line = [Point; 2];

/// Twice the area of the triangle over a line; positive where the point is beyond.
fn area([from, to]: Line, point: Point) -> f64 {
    (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    fn after_run(words: &str) -> Prepared {
        let (args, team) = trial::arguments(&Hull, words);
        let mut run = Prepared::new(&args, &team, &mut Phases::default()).unwrap();
        run.run(&mut Phases::default());
        run
    }

    /// From each vertex on to the point beyond whose line there is no other, clockwise from the leftmost.
    fn brute_force(points: &[Point]) -> Vec<usize> {
        let is_next = |from: usize, to: usize| {
            from != to && points.iter().all(|&point| area([points[from], points[to]], point) <= 0.0)
        };
        let left = (0..points.len()).find(|&left| points.iter().all(|&point| points[left] <= point)).unwrap();
        let mut hull = vec![left];
        loop {
            let last = hull[hull.len() - 1];
            match (0..points.len()).find(|&to| is_next(last, to)).unwrap() {
                to if to == left => return hull,
                to => hull.push(to),
            }
        }
    }

    #[test]
    fn every_scheduler_agrees_with_brute_force() {
        for words in ["--n 3", "--n 300", "--n 300 --leaf 1", "--n 60 --points circle --leaf 4"] {
            trial::answer(&Hull, words);
            for runtime in RUNTIME.values {
                let run = after_run(&format!("{words} --runtime {runtime}"));
                let hull: Vec<_> = run.hull.iter().map(|&number| number as usize).collect();
                assert_eq!(hull, brute_force(&run.points), "{words}, {runtime}");
            }
        }
    }

    #[test]
    fn every_scheduler_handles_many_points() {
        assert_eq!(trial::answer(&Hull, "--n 20000 --points circle --leaf 100"), "20000");
        trial::answer(&Hull, "--n 50000 --leaf 1000");
    }

    #[test]
    fn a_hull_with_a_wrong_vertex_is_seen() {
        let is_seen = |spoil: fn(&mut Vec<u32>)| {
            let mut run = after_run("--n 5000 --points circle");
            spoil(&mut run.hull);
            matches!(run.check(&run.hull.len().to_string()), Check::Wrong(_))
        };
        assert!(!is_seen(|_| ()));
        assert!(is_seen(|hull| hull.retain(|&number| number != 1234)));
        assert!(is_seen(|hull| hull.truncate(4999)));
        assert!(is_seen(|hull| hull.truncate(1)));
        assert!(is_seen(Vec::clear));
        assert!(is_seen(|hull| hull.swap(1234, 1235)));
        assert!(is_seen(|hull| hull.insert(1234, hull[1234])));
    }

    #[test]
    fn a_vertex_inside_is_seen() {
        let mut run = after_run("--n 5000");
        let [before, after] = [1, 2].map(|vertex: usize| run.points[run.hull[vertex] as usize].x);
        let inside = run.points.iter().position(|point| before < point.x && point.x < after && point.y < 0.1);
        run.hull.insert(2, u32::try_from(inside.unwrap()).unwrap());
        assert!(matches!(run.check(&run.hull.len().to_string()), Check::Wrong(_)));
    }
}
