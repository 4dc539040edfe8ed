//! I/O: sums units of arithmetic, and writes some of the results to one file that it syncs.
//!
//! The dial is the share of the units after which 4 KiB are written and synced to the disk. All threads write the same
//! file, in the folder of temporary files; it has no name, so nothing stays.
mod work;

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

const STEPS: usize = 100_000;

fn main() {
    let asked = work::arguments();
    let mut options = OpenOptions::new();
    // 0o20200000 is O_TMPFILE.
    let file = options.read(true).write(true).custom_flags(0o20_200_000).open(std::env::temp_dir()).unwrap();
    let sum = asked.in_threads(|thread| {
        let mut sum = 0u64;
        for i in asked.first(thread)..asked.first(thread + 1) {
            let unit = work::unit(i, STEPS);
            if asked.picks(i) {
                file.write_all_at(&[unit as u8; 4096], 4096 * i as u64).unwrap();
                file.sync_data().unwrap();
            }
            sum = sum.wrapping_add(unit);
        }
        sum
    });
    println!("{sum:016x}");
}
