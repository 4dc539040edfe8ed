//! Why there is no ring.

use std::io;
use std::path::Path;

use crate::perf::{Permissions, Subject};

/// Step at which a ring could not be had.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The event could not be opened.
    Open(io::Error),
    /// Its ring could not be mapped.
    Map(io::Error),
}

impl Refused {
    /// The reason in words.
    pub(crate) fn explained(&self) -> String {
        match self {
            Self::Open(error) => Permissions::under(Path::new("/")).explain(error, Subject::OwnWork, &[]).reason,
            Self::Map(error) if error.raw_os_error() == Some(libc::EPERM) => {
                "no memory left for rings: this user has mapped what kernel.perf_event_mlock_kb and ulimit -l allow"
                    .into()
            }
            Self::Map(error) => format!("cannot map a ring: {error}"),
        }
    }
}
