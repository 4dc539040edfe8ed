//! The real kernel, through `perf_event_open`.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use perf_event::events::Event;
use perf_event::{Builder, Counter};
use perf_event_open_sys::bindings::perf_event_attr;

use super::kernel::{Handle, Kernel, Opening, Raw, Target};
use super::pmu::Encoding;

/// The real kernel. What was opened is closed when this is dropped.
#[derive(Debug, Default)]
pub struct Linux {
    counters: Vec<Counter>,
}

impl Event for &Encoding {
    fn update_attrs(self, attr: &mut perf_event_attr) {
        attr.type_ = self.kind;
        attr.config = self.config;
        attr.__bindgen_anon_3.config1 = self.config1;
        attr.__bindgen_anon_4.config2 = self.config2;
    }
}

/// An event of the thread that opens it, counted from then on.
pub(super) fn of_a_thread(event: &Encoding, user_only: bool) -> perf_event_attr {
    let mut builder = Builder::new(event);
    builder.enabled(true).exclude_kernel(user_only).exclude_hv(user_only);
    *builder.attrs()
}

impl Linux {
    /// The descriptor of a counter.
    pub(super) fn descriptor(&self, counter: Handle) -> Option<RawFd> {
        self.counters.get(counter.0).map(AsRawFd::as_raw_fd)
    }

    fn counter(&mut self, handle: Handle) -> io::Result<&mut Counter> {
        self.counters.get_mut(handle.0).ok_or_else(|| io::Error::other("no such counter"))
    }
}

impl Kernel for Linux {
    fn open(&mut self, event: &Encoding, how: Opening) -> io::Result<Handle> {
        let mut builder = Builder::new(event);
        // A member of a group follows its leader, so it is never switched on by itself.
        builder.enabled(how.leader.is_some()).exclude_kernel(how.user_only).exclude_hv(how.user_only);
        match how.target {
            Target::Descendants => {
                builder.inherit(true).enable_on_exec(how.leader.is_none());
            }
            Target::Caller => {}
            Target::Cpu(cpu) => {
                builder.any_pid().one_cpu(cpu as usize);
            }
        }
        let counter = match how.leader {
            Some(leader) => builder.build_with_group(self.counter(leader)?)?,
            None => builder.build()?,
        };
        self.counters.push(counter);
        Ok(Handle(self.counters.len() - 1))
    }

    fn enable(&mut self, counter: Handle) -> io::Result<()> {
        self.counter(counter)?.enable()
    }

    fn disable(&mut self, counter: Handle) -> io::Result<()> {
        self.counter(counter)?.disable()
    }

    fn read(&mut self, counter: Handle) -> io::Result<Raw> {
        let read = self.counter(counter)?.read_count_and_time()?;
        Ok(Raw { count: read.count, enabled_ns: read.time_enabled, running_ns: read.time_running })
    }
}
