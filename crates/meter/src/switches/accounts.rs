//! Follows every thread from event to event, and adds up what it did.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event::{Event, What};
use super::profile::{Activity, Concurrency, Profile};
use super::spells::Spells;

/// Ended threads whose sums are kept one by one; those of later ones are in the totals only.
const MOST_KEPT: usize = 1 << 16;

/// What one thread did, or several together, according to context-switch records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SwitchSums {
    /// Time on a cpu.
    pub on_ns: u64,
    /// Time off the cpu after it was preempted, yielded, or was stopped by its group's quota: ready to go on.
    pub ready_ns: u64,
    /// Time off the cpu after it gave it up: asleep, waiting for a disk, stopped, and then ready until it got a cpu. The
    /// last part is the run delay of schedstat less `ready_ns`.
    pub asleep_ns: u64,
    /// Times it gave up its cpu.
    pub voluntary: u64,
    /// Times it was preempted, or yielded.
    pub involuntary: u64,
}

impl SwitchSums {
    pub(crate) fn add(&mut self, more: &Self) {
        self.on_ns += more.on_ns;
        self.ready_ns += more.ready_ns;
        self.asleep_ns += more.asleep_ns;
        self.voluntary += more.voluntary;
        self.involuntary += more.involuntary;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    On,
    Ready,
    Asleep,
}

impl State {
    fn activity(self) -> Activity {
        match self {
            Self::On => Activity::Running,
            Self::Ready => Activity::Ready,
            Self::Asleep => Activity::Off,
        }
    }
}

/// One thread, from its first event to its last. Times are those of the events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Life {
    pub(crate) pid: i32,
    pub(crate) tid: i32,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) sums: SwitchSums,
    state: State,
    alone_ns: u64,
}

/// All threads.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    living: HashMap<i32, Life>,
    ended: Vec<Life>,
    threads: u64,
    totals: SwitchSums,
    profile: Option<Profile>,
    begin_ns: u64,
    /// The thread that was alone for longest among those that ended.
    most_alone: Option<(i32, u64)>,
    odd: u64,
}

/// What was found of all threads.
#[derive(Debug)]
pub(crate) struct Followed {
    pub(crate) lives: Vec<Life>,
    pub(crate) threads: u64,
    pub(crate) totals: SwitchSums,
    pub(crate) concurrency: Concurrency,
    pub(crate) spells: Spells,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) odd: u64,
}

impl Accounts {
    /// Takes the next event; they come in order of time, and one that comes too late is taken to happen now.
    pub(crate) fn note(&mut self, event: &Event) {
        let t_ns = self.advance(event.t_ns);
        let Event { pid, tid, .. } = *event;
        match event.what {
            What::Exec => {
                // An exec ends the other threads, and the one that executes takes the number of the first.
                let others = self.living.values().filter(|life| life.pid == pid && life.tid != tid);
                for other in others.map(|life| life.tid).collect::<Vec<_>>() {
                    self.end(other, t_ns);
                }
                if self.living.contains_key(&tid) {
                    self.turn(tid, t_ns, State::On);
                } else {
                    self.begin(pid, tid, t_ns, State::On);
                }
            }
            What::Fork => {
                if self.living.contains_key(&tid) {
                    self.odd += 1;
                    self.end(tid, t_ns);
                }
                self.begin(pid, tid, t_ns, State::Ready);
            }
            What::In => self.switch(event, t_ns, State::On),
            What::Preempted => self.switch(event, t_ns, State::Ready),
            What::Slept => self.switch(event, t_ns, State::Asleep),
            What::Exit => {
                if !self.living.get(&tid).is_some_and(|life| life.state == State::On) {
                    self.odd += 1;
                }
                self.end(tid, t_ns);
            }
        }
    }

    fn advance(&mut self, t_ns: u64) -> u64 {
        let profile = self.profile.get_or_insert_with(|| {
            self.begin_ns = t_ns;
            Profile::from(t_ns)
        });
        if let Some((tid, alone)) = profile.advance(t_ns)
            && let Some(life) = self.living.get_mut(&tid)
        {
            life.alone_ns += alone;
        }
        profile.now_ns()
    }

    /// A thread gets or loses its cpu.
    fn switch(&mut self, event: &Event, t_ns: u64, to: State) {
        let known = self.living.get(&event.tid).map(|life| life.state);
        // A thread gets a cpu when it has none, and loses one when it has one.
        if known.is_none_or(|from| (from == State::On) == (to == State::On)) {
            self.odd += 1;
        }
        if known.is_none() {
            return self.begin(event.pid, event.tid, t_ns, to);
        }
        self.turn(event.tid, t_ns, to);
        if let Some(life) = self.living.get_mut(&event.tid) {
            life.sums.voluntary += u64::from(to == State::Asleep);
            life.sums.involuntary += u64::from(to == State::Ready);
        }
    }

    fn begin(&mut self, pid: i32, tid: i32, t_ns: u64, state: State) {
        self.change(tid, Activity::Off, state.activity());
        let sums = SwitchSums::default();
        self.living.insert(tid, Life { pid, tid, begin_ns: t_ns, end_ns: t_ns, sums, state, alone_ns: 0 });
    }

    fn turn(&mut self, tid: i32, t_ns: u64, to: State) {
        let Some(life) = self.living.get_mut(&tid) else { return };
        let from = life.until(t_ns);
        life.state = to;
        self.change(tid, from.activity(), to.activity());
    }

    fn end(&mut self, tid: i32, t_ns: u64) {
        let Some(mut life) = self.living.remove(&tid) else { return };
        let from = life.until(t_ns);
        self.change(tid, from.activity(), Activity::Off);
        self.threads += 1;
        self.totals.add(&life.sums);
        if life.alone_ns > self.most_alone.map_or(0, |(_, most)| most) {
            self.most_alone = Some((tid, life.alone_ns));
        }
        if self.ended.len() < MOST_KEPT {
            self.ended.push(life);
        }
    }

    fn change(&mut self, tid: i32, from: Activity, to: Activity) {
        if let Some(profile) = &mut self.profile {
            profile.change(tid, from, to);
        }
    }

    /// Ends every thread that still lives, at this time or at the last event, whichever is later. Where all have ended,
    /// the last event was the end. None without any event.
    pub(crate) fn finish(mut self, t_ns: u64) -> Option<Followed> {
        let reached = self.profile.as_ref()?.now_ns();
        let end_ns = if self.living.is_empty() { reached } else { self.advance(t_ns) };
        for tid in self.living.keys().copied().collect::<Vec<_>>() {
            self.end(tid, end_ns);
        }
        let (concurrency, spells) = self.profile?.finish(self.most_alone);
        Some(Followed {
            lives: self.ended,
            threads: self.threads,
            totals: self.totals,
            concurrency,
            spells,
            begin_ns: self.begin_ns,
            end_ns,
            odd: self.odd,
        })
    }
}

impl Life {
    /// Adds the time until now to what the thread was doing. Returns what that was.
    fn until(&mut self, t_ns: u64) -> State {
        let passed = t_ns.saturating_sub(self.end_ns);
        self.end_ns = t_ns;
        match self.state {
            State::On => self.sums.on_ns += passed,
            State::Ready => self.sums.ready_ns += passed,
            State::Asleep => self.sums.asleep_ns += passed,
        }
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(events: &[(u64, i32, What)], end_ns: u64) -> Followed {
        let mut accounts = Accounts::default();
        for &(t_ns, tid, what) in events {
            accounts.note(&Event { t_ns, pid: 1, tid, what });
        }
        accounts.finish(end_ns).unwrap()
    }

    fn sums(on_ns: u64, ready_ns: u64, asleep_ns: u64, voluntary: u64, involuntary: u64) -> SwitchSums {
        SwitchSums { on_ns, ready_ns, asleep_ns, voluntary, involuntary }
    }

    #[test]
    fn a_thread_is_followed_from_its_exec_to_its_end() {
        let events = [
            (10, 1, What::Exec),
            (15, 1, What::Preempted),
            (18, 1, What::In),
            (20, 1, What::Slept),
            (90, 1, What::In),
            (91, 1, What::Exit),
        ];
        let found = followed(&events, 200);
        assert_eq!((found.begin_ns, found.end_ns, found.threads, found.odd), (10, 91, 1, 0));
        assert_eq!(found.totals, sums(8, 3, 70, 1, 1));
        assert_eq!(found.concurrency.running_ns, [73, 8]);
        assert_eq!(found.concurrency.runnable_ns, [70, 11]);
    }

    #[test]
    fn a_number_that_is_used_again_is_another_thread() {
        let mut events = vec![(0, 1, What::Exec), (1, 1, What::Slept)];
        for start in [10, 20, 30] {
            events.extend([(start, 7, What::Fork), (start + 2, 7, What::In), (start + 5, 7, What::Exit)]);
        }
        let found = followed(&events, 40);
        assert_eq!((found.threads, found.lives.len(), found.odd), (4, 4, 0));
        assert_eq!(found.totals, sums(10, 6, 39, 1, 0));
    }

    #[test]
    fn an_exec_ends_the_other_threads_of_its_process() {
        let events = [
            (0, 1, What::Exec),
            (1, 2, What::Fork),
            (2, 2, What::In),
            (3, 1, What::Slept),
            // Thread 2 executes a program: thread 1 ends, and 2 goes on under its number.
            (5, 1, What::In),
            (6, 1, What::Exit),
            (9, 1, What::Exec),
            (12, 1, What::Exit),
        ];
        let found = followed(&events, 99);
        assert_eq!((found.threads, found.end_ns, found.odd), (3, 12, 0));
        assert_eq!(found.concurrency.running_ns, [0, 10, 2]);
    }

    #[test]
    fn events_that_do_not_fit_are_counted_and_break_nothing() {
        let events = [
            (5, 3, What::Slept),
            (6, 3, What::Slept),
            (4, 3, What::In),
            (7, 3, What::In),
            (8, 9, What::Exit),
            (9, 3, What::Fork),
        ];
        let found = followed(&events, 20);
        assert_eq!(found.odd, 5, "an unknown thread twice, asleep twice, running twice, begun twice");
        assert_eq!((found.threads, found.end_ns), (2, 20));
        assert_eq!(found.concurrency.running_ns.iter().sum::<u64>(), 15);
        assert!(Accounts::default().finish(20).is_none());
    }
}
