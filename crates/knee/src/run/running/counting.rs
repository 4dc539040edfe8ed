//! The counters of one run: opened before the program starts, read when it has ended.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::path::Path;

use knee_machine::CpuSet;
use knee_meter::Gauges;
use knee_meter::events::Table;
use knee_meter::hotspots::HotspotRecorder;
use knee_meter::perf::{Counter, Counters, Lent, Linux, Marks, Request};
use knee_meter::switches::SwitchRecorder;

use crate::measures;

/// The counters and gauges of a run, by default none.
#[derive(Default)]
pub(crate) struct Counting {
    events: Option<Counters<Linux>>,
    gauges: Gauges,
    impossible: BTreeMap<String, Counter>,
    switches: Option<SwitchRecorder>,
    hotspots: Option<HotspotRecorder>,
}

impl Counting {
    /// Opens the requested counters for the program that the calling thread starts next.
    pub(crate) fn open(asked: &[String], own: Option<&Path>) -> Self {
        if asked.is_empty() {
            return Self::default();
        }
        let (mut events, mut gauges, mut impossible) = (Vec::new(), Vec::new(), BTreeMap::new());
        for name in asked {
            match Request::parse(name) {
                Ok(Request::Gauge(gauge)) => gauges.push(gauge),
                Ok(request) => events.push((name.clone(), request)),
                Err(reason) => drop(impossible.insert(name.clone(), Counter::unavailable(reason))),
            }
        }
        let root = Path::new("/");
        let own = own.map(Table::read);
        let names = |name: &str| measures::named(name, own.as_ref());
        let counters = |events: Vec<_>| Counters::open(Linux::default(), root, &events, &names);
        let events = (!events.is_empty()).then(|| counters(events));
        // Last: they count from their first reading.
        Self { events, gauges: Gauges::open(root, &gauges), impossible, switches: None, hotspots: None }
    }

    /// Also records the context switches of the program that the calling thread starts next, on these cpus.
    pub(crate) fn and_switches(self, cpus: &CpuSet) -> Self {
        Self { switches: Some(SwitchRecorder::open(cpus)), ..self }
    }

    /// Also samples where that program computes.
    pub(crate) fn and_hotspots(self, cpus: &CpuSet) -> Self {
        Self { hotspots: Some(HotspotRecorder::open(cpus)), ..self }
    }

    /// Reads the records of switches and the samples that are there.
    pub(crate) fn drain(&mut self) {
        if let Some(switches) = &mut self.switches {
            switches.drain();
        }
        if let Some(hotspots) = &mut self.hotspots {
            hotspots.drain();
        }
    }

    /// Readable when there are many.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let switches = self.switches.iter().flat_map(SwitchRecorder::fds);
        switches.chain(self.hotspots.iter().flat_map(HotspotRecorder::fds))
    }

    /// The records of switches, when the whole tree has ended.
    pub(crate) fn take_switches(&mut self) -> Option<SwitchRecorder> {
        self.switches.take()
    }

    /// The samples of where it computed, likewise.
    pub(crate) fn take_hotspots(&mut self) -> Option<HotspotRecorder> {
        self.hotspots.take()
    }

    /// The same for the regions of the program's threads, at most so many events.
    pub(crate) fn marks(&self, most: usize) -> Marks {
        self.events.as_ref().map(|events| events.marks(most)).unwrap_or_default()
    }

    /// The program's events, for itself to read where its phases begin and end.
    pub(crate) fn lend(&self) -> Lent {
        self.events.as_ref().map(Counters::lend).unwrap_or_default()
    }

    /// Call this when the program has started.
    pub(crate) fn started(&mut self) {
        self.gauges.step_out();
    }

    /// The gauges, for the sampler.
    pub(crate) fn gauges(&mut self) -> &mut Gauges {
        &mut self.gauges
    }

    /// Call this as soon as the program has ended: it stops the counters of the whole machine.
    pub(crate) fn ended(&mut self) {
        self.gauges.stop();
        if let Some(events) = &mut self.events {
            events.stop_machine();
        }
    }

    /// Reads everything, when the whole tree has ended.
    pub(crate) fn finish(self) -> BTreeMap<String, Counter> {
        let mut found = self.events.map(Counters::finish).unwrap_or_default();
        found.extend(self.gauges.finish());
        found.extend(self.impossible);
        found
    }
}
