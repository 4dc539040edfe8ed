//! Helper threads of runtimes, by their names: they collect garbage, compile or keep time, and do no work of the program.

/// How their names begin (the kernel keeps 15 letters of a name).
const HELPERS: [&str; 24] = [
    "ghc_ticker",
    "GC Thread#",
    "G1 ",
    "ZWorker",
    "ZDriver",
    "Shenandoah ",
    "C1 CompilerThre",
    "C2 CompilerThre",
    "VM Thread",
    "VM Periodic Tas",
    "Signal Dispatch",
    "Finalizer",
    "Reference Handl",
    "Common-Cleaner",
    "Notification Th",
    "Service Thread",
    "Monitor Deflati",
    "Sweeper thread",
    "Attach Listener",
    "Cleaner-",
    "process reaper",
    "JFR ",
    "jemalloc_bg_thd",
    "OMPT ",
];

/// Whether this is the name of a helper. Threads name themselves, so a young one may not have done so yet.
#[must_use]
pub fn is_helper(name: &str) -> bool {
    HELPERS.iter().any(|helper| name.starts_with(helper))
}
