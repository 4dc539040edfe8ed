//! The readers of this crate as functions of any bytes, for the targets in `fuzz/` and for tests of what they found.
//!
//! Whatever the bytes are, each function returns. It panics where a reader does, and where two ways to answer one query
//! differ.

mod ask;
mod dump;
mod parquet;
mod seeds;
mod sql;

pub use dump::dump;
pub use parquet::parquet;
pub use seeds::write_parquet;
pub use sql::sql;

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use knee_runtime::Pool;

/// One worker: with more of them most of the time would be spent on waking each other.
static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::builder().workers(1).build().expect("there is a processor"));

/// Calls `read` on a worker with a file of these bytes. It lies in memory and has no name, so that nothing stays behind.
fn in_a_file(bytes: &[u8], read: impl FnOnce(&Path) + Send) {
    thread_local! {
        static FILE: File = {
            let name = format!("knee-fuzz-{}-{:?}", std::process::id(), std::thread::current().id());
            let path = PathBuf::from("/dev/shm").join(name);
            let file = File::options().read(true).write(true).create_new(true).open(&path).expect("it can be made");
            fs::remove_file(&path).expect("it was just made");
            file
        };
    }
    FILE.with(|file| {
        file.set_len(0).and_then(|()| file.write_all_at(bytes, 0)).expect("there is room");
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        POOL.install(|| read(&path));
    });
}
