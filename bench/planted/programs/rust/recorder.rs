//! Watches the sky for meteors with a fast camera, and records what it sees.
//!
//! usage: recorder THREADS DIAL FRAMES
//!
//! Every frame is flattened: each pixel becomes the difference from the running mean of its row. A frame that belongs to
//! an event is appended to the recording. The recording bypasses the page cache, so that a night of frames does not drive
//! everything else out of memory; its frames carry their numbers and may come in any order. DIAL is the share of the
//! frames that belong to an event. The recording is made in the folder of temporary files, and removed at the end.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const ROWS: usize = 512;
const COLUMNS: usize = 512;
/// O_DIRECT of Linux on x86.
const PAST_THE_CACHE: i32 = 0o40_000;

/// A frame as it goes to the disk, aligned as that needs.
#[repr(C, align(4096))]
struct Frame {
    pixels: [[u8; 4]; ROWS * COLUMNS],
}

fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 29
}

fn in_event(number: usize, dial: f64) -> bool {
    ((mixed(number as u64 ^ 0x3E7E08) >> 11) as f64) < dial * (1u64 << 53) as f64
}

impl Frame {
    /// Expose a frame of noise, flatten it, and return how bright it is.
    fn take(&mut self, number: usize) -> u64 {
        let mut light = mixed(number as u64);
        let mut bright = 0;
        for row in self.pixels.chunks_exact_mut(COLUMNS) {
            let mut mean = 128i32 << 8;
            for pixel in row {
                light = light.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let grey = ((light >> 56) as i32) << 8;
                let difference = grey - mean;
                mean += difference >> 4;
                *pixel = difference.to_le_bytes();
                bright += difference.unsigned_abs() as u64;
            }
        }
        self.pixels[0] = (number as u32).to_le_bytes();
        bright
    }
}

/// A file of frames that goes when it is dropped.
struct Recording {
    path: PathBuf,
    file: File,
}

impl Recording {
    fn create() -> io::Result<Recording> {
        let path = std::env::temp_dir().join(format!("meteors-{}.raw", std::process::id()));
        let file = OpenOptions::new().append(true).create_new(true).custom_flags(PAST_THE_CACHE).open(&path)?;
        Ok(Recording { path, file })
    }

    fn append(&self, frame: &Frame) -> io::Result<()> {
        let bytes = frame.pixels.as_flattened();
        let written = (&self.file).write(bytes)?;
        if written == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().expect("THREADS");
    let dial: f64 = words[2].parse().expect("DIAL");
    let frames: usize = words[3].parse().expect("FRAMES");

    let recording = Recording::create()?;
    let taken = AtomicUsize::new(0);
    let watch = || -> io::Result<u64> {
        let mut frame = Box::new(Frame { pixels: [[0; 4]; ROWS * COLUMNS] });
        let mut bright = 0;
        loop {
            let number = taken.fetch_add(1, Ordering::Relaxed);
            if number >= frames {
                return Ok(bright);
            }
            bright += frame.take(number);
            if in_event(number, dial) {
                recording.append(&frame)?;
            }
        }
    };
    let bright = thread::scope(|scope| {
        let watchers: Vec<_> = (0..threads).map(|_| scope.spawn(watch)).collect();
        watchers.into_iter().map(|watcher| watcher.join().unwrap()).sum::<io::Result<u64>>()
    })?;
    println!("{frames} frames, brightness {bright}");
    Ok(())
}
