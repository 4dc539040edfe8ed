//! A kernel and a machine that answer what was written down.
#![allow(dead_code, reason = "not every test that shares this file asks everything")]

use std::io;
use std::path::Path;

use knee_meter::perf::{Encoding, Handle, Kernel, Opening, Raw};

/// Whether an event opens, or with which error number it does not.
type Opens = dyn Fn(&Encoding, Opening) -> Result<(), i32>;

/// A kernel with recorded answers.
pub(crate) struct Recorded {
    open: Box<Opens>,
    read: Box<dyn Fn(&Encoding) -> Raw>,
    /// All that was opened, in order.
    pub(crate) opened: Vec<(Encoding, Opening)>,
}

impl Recorded {
    pub(crate) fn new(
        open: impl Fn(&Encoding, Opening) -> Result<(), i32> + 'static,
        read: impl Fn(&Encoding) -> Raw + 'static,
    ) -> Self {
        Self { open: Box::new(open), read: Box::new(read), opened: Vec::new() }
    }

    /// One that refuses every hardware event with this error number, and counts software events.
    pub(crate) fn refusing(number: i32) -> Self {
        Self::new(move |event, _| if event.pmu == "software" { Ok(()) } else { Err(number) }, |_| all(1))
    }
}

/// A count that was counted all the time.
pub(crate) fn all(count: u64) -> Raw {
    Raw { count, enabled_ns: 1_000_000, running_ns: 1_000_000 }
}

impl Kernel for Recorded {
    fn open(&mut self, event: &Encoding, how: Opening) -> io::Result<Handle> {
        (self.open)(event, how).map_err(io::Error::from_raw_os_error)?;
        self.opened.push((event.clone(), how));
        Ok(Handle(self.opened.len() - 1))
    }

    fn enable(&mut self, _counter: Handle) -> io::Result<()> {
        Ok(())
    }

    fn disable(&mut self, _counter: Handle) -> io::Result<()> {
        Ok(())
    }

    fn read(&mut self, counter: Handle) -> io::Result<Raw> {
        Ok((self.read)(&self.opened[counter.0].0))
    }
}

/// A machine's files, in a folder of their own.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// One without a PMU: the software PMU alone, paranoid 2, a user without capabilities.
    pub(crate) fn bare() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        machine
            .put("sys/bus/event_source/devices/software/type", "1")
            .put("proc/sys/kernel/perf_event_paranoid", "2")
            .put("proc/self/status", "CapEff:\t0000000000000000\nSeccomp:\t0\n")
            .put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc hypervisor\n")
    }

    /// One with Intel's PMU of one kind of core, as Linux lists it.
    pub(crate) fn with_pmu() -> Self {
        let pmu = "sys/bus/event_source/devices/cpu";
        Self::bare()
            .put(&format!("{pmu}/type"), "4")
            .put(&format!("{pmu}/format/event"), "config:0-7")
            .put(&format!("{pmu}/format/umask"), "config:8-15")
            .put(&format!("{pmu}/format/edge"), "config:18")
            .put(&format!("{pmu}/format/offcore_rsp"), "config1:0-63")
            .put(&format!("{pmu}/events/mem-loads"), "event=0xcd,umask=0x1,ldlat=3")
            .put(&format!("{pmu}/events/topdown-slots"), "event=0x00,umask=0x4")
            .put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc\n")
    }

    pub(crate) fn put(self, file: &str, text: &str) -> Self {
        let path = self.root().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{text}\n")).unwrap();
        self
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }
}
