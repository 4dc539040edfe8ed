//! The functions for C. `include/knee_region.h` declares them; its inline functions stop calling them once they know
//! that there is no listener.

use std::ffi::{CStr, c_char, c_int};

use crate::names::{Name, intern};
use crate::{listener, published, thread};

/// Whether there is a listener: `KNEE_REGION_SILENT` (1) or `KNEE_REGION_LISTENING` (2).
#[unsafe(no_mangle)]
extern "C" fn knee_region_state() -> c_int {
    listener::state().into()
}

/// Enters the region of a name, and returns [`knee_region_state`].
///
/// # Safety
/// `name` is null or a string that ends in a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_region_begin_by_name(name: *const c_char) -> c_int {
    if !listener::silent() {
        // SAFETY: the caller keeps our own promise.
        thread::begin(unsafe { known(name) });
    }
    listener::state().into()
}

/// Leaves the region of a name, and returns [`knee_region_state`].
///
/// # Safety
/// `name` is null or a string that ends in a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_region_end_by_name(name: *const c_char) -> c_int {
    if !listener::silent() {
        // SAFETY: the caller keeps our own promise.
        thread::end(unsafe { known(name) });
    }
    listener::state().into()
}

/// The handle of a region; null without a listener.
///
/// # Safety
/// `name` is null or a string that ends in a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_region(name: *const c_char) -> Option<&'static Name> {
    // SAFETY: the caller keeps our own promise.
    (!listener::silent()).then(|| unsafe { known(name) })
}

/// Enters a region by its handle.
///
/// # Safety
/// `name` is null or came from [`knee_region`].
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_region_begin_known(name: Option<&'static Name>) {
    if let Some(name) = name {
        thread::begin(name);
    }
}

/// Leaves a region by its handle.
///
/// # Safety
/// `name` is null or came from [`knee_region`].
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_region_end_known(name: Option<&'static Name>) {
    if let Some(name) = name {
        thread::end(name);
    }
}

/// Adds to the running counter of a name, and returns [`knee_region_state`].
///
/// # Safety
/// `name` is null or a string that ends in a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_count_by_name(name: *const c_char, more: u64) -> c_int {
    if !listener::silent() {
        // SAFETY: the caller keeps our own promise.
        published::add(unsafe { known(name) }, more);
    }
    listener::state().into()
}

/// The handle of a running counter; null without a listener.
///
/// # Safety
/// `name` is null or a string that ends in a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_counter(name: *const c_char) -> Option<&'static Name> {
    // SAFETY: the caller keeps our own promise.
    (!listener::silent()).then(|| unsafe { known(name) })
}

/// Adds to a running counter by its handle.
///
/// # Safety
/// `name` is null or came from [`knee_counter`].
#[unsafe(no_mangle)]
unsafe extern "C" fn knee_counter_add_known(name: Option<&'static Name>, more: u64) {
    if let Some(name) = name {
        published::add(name, more);
    }
}

/// The name behind a pointer from C; the empty name if it is null.
///
/// # Safety
/// `name` is null or a string that ends in a zero byte.
unsafe fn known(name: *const c_char) -> &'static Name {
    if name.is_null() {
        return intern(b"");
    }
    // SAFETY: it is not null, so by our own promise it is a string that ends in a zero byte.
    intern(unsafe { CStr::from_ptr(name) }.to_bytes())
}
