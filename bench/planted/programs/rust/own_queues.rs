//! No cause: integrates functions by halving intervals; every interval is a task in a box in a queue behind a `Mutex`.
//!
//! There is no dial. The program takes a lock several million times and allocates and frees a task as often, so it
//! looks like one that suffers from a lock or from malloc. But each thread has a queue of its own on lines of its own,
//! nobody else takes its lock, and a task is freed by the thread that made it, within malloc's cache of that thread.
//! Functions are dealt out in turn, and their tasks cost the same on average.
mod work;

use std::collections::VecDeque;
use std::sync::Mutex;

struct Task {
    from: f64,
    to: f64,
    depth: u32,
}

#[repr(align(128))]
struct Queue(Mutex<VecDeque<Box<Task>>>);

/// A smooth function with a narrow peak; both depend on its number.
fn value(number: usize, x: f64) -> f64 {
    let far = x - 0.1 - (number % 80) as f64 * 0.01;
    1.0 / (1e-4 + far * far) + x * (1.0 - x)
}

/// Simpson's rule for one interval.
fn simpson(number: usize, from: f64, to: f64) -> f64 {
    (to - from) / 6.0 * (value(number, from) + 4.0 * value(number, (from + to) / 2.0) + value(number, to))
}

/// Compute a task, or halve it into two more.
fn compute(number: usize, task: &Task, queue: &Queue) -> f64 {
    let middle = (task.from + task.to) / 2.0;
    let rough = simpson(number, task.from, task.to);
    let fine = simpson(number, task.from, middle) + simpson(number, middle, task.to);
    if (rough - fine).abs() < 1e-6 || task.depth == 0 {
        return fine;
    }
    for (from, to) in [(task.from, middle), (middle, task.to)] {
        let half = Box::new(Task { from, to, depth: task.depth - 1 });
        queue.0.lock().unwrap().push_back(half);
    }
    0.0
}

fn main() {
    let asked = work::arguments();
    let queues: Vec<Queue> = (0..asked.threads).map(|_| Queue(Mutex::new(VecDeque::with_capacity(64)))).collect();
    let sum = asked.in_threads(|thread| {
        let queue = &queues[thread];
        let mut sum = 0u64;
        for number in (thread..asked.work).step_by(asked.threads) {
            let mut area = 0.0;
            queue.0.lock().unwrap().push_back(Box::new(Task { from: 0.0, to: 1.0, depth: 20 }));
            loop {
                let Some(task) = queue.0.lock().unwrap().pop_back() else { break };
                area += compute(number, &task, queue);
            }
            sum = sum.wrapping_add(f64::to_bits(area));
        }
        sum
    });
    println!("{sum:016x}");
}
