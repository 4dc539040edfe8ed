//! For any content of the file, the reader returns a result or an error; it does not panic or make up data.

use std::io::Cursor;
use std::os::unix::fs::FileExt;

use knee_region::format::{
    COUNTER_BYTES, COUNTER_NAME_BYTES, COUNTERS_AT, EVENTS, FILE_BYTES, HEAD_BYTES, LOCKED_SLOTS, NATIVE_COUNTERS,
    NATIVE_SLOTS, SLOT_BYTES,
};
use knee_region::{Contents, Malformed, Reading, Totals, blank, read};
use proptest::collection::vec;
use proptest::prelude::*;

/// A file with these slots at the beginning of each table, and these counts in its head.
fn file(native: &[u8], locked: &[u8], counts: [u32; 4]) -> Vec<u8> {
    let mut bytes = blank(&[]);
    bytes[24..40].copy_from_slice(&counts.map(u32::to_ne_bytes).concat());
    bytes.extend_from_slice(native);
    if !locked.is_empty() {
        bytes.resize(HEAD_BYTES + NATIVE_SLOTS as usize * SLOT_BYTES, 0);
        bytes.extend_from_slice(locked);
    }
    bytes
}

/// The slot of a thread that has made `calls` calls of 10 ns, one every 100 ns from 1000 on, with seven events of the
/// first kind in each.
fn slot(name: &str, calls: u64, turn: u32) -> Vec<u8> {
    let mut times = [0; 6 + 3 * EVENTS];
    times[..6].copy_from_slice(&[calls, calls * 10, calls * 9, calls * 18, 1000, 1000 + calls * 100]);
    times[6..9].copy_from_slice(&[calls * 7, calls * 10, calls * 5]);
    let mut bytes: Vec<u8> = [1_u32, 7, 7, turn].into_iter().flat_map(u32::to_ne_bytes).collect();
    bytes.extend([0; 16]);
    let garbage = [u64::MAX; 6 + 3 * EVENTS];
    let copies = if turn & 1 == 0 { [times, garbage] } else { [garbage, times] };
    bytes.extend(copies.into_iter().flatten().flat_map(u64::to_ne_bytes));
    bytes.extend(u32::try_from(name.len()).unwrap().to_ne_bytes());
    bytes.extend(name.bytes().take(124));
    bytes.resize(SLOT_BYTES, 0);
    bytes
}

fn contents(bytes: Vec<u8>) -> Contents {
    read(Cursor::new(bytes)).unwrap()
}

#[test]
fn both_tables_are_read_and_the_copy_in_force_counts() {
    let native = [slot("load", 3, 0), slot("solve", 5, 1)].concat();
    let found = contents(file(&native, &slot("draw", 2, 7), [2, 1, 4, 0]));
    let numbers: Vec<_> =
        found.uses.iter().map(|one| (one.name.as_str(), one.calls, one.wall_ns, one.cpu_ns)).collect();
    assert_eq!(numbers, [("load", 3, 30, 27), ("solve", 5, 50, 45), ("draw", 2, 20, 18)]);
    assert_eq!(found.uses[0].process_cpu_ns, Some(54));
    assert_eq!((found.uses[1].first_begin_ns, found.uses[1].last_end_ns, found.uses[1].open), (1000, 1500, false));
    assert_eq!((found.refused, found.senseless), (4, 0));
    let counted = Reading { count: 35, enabled_ns: 50, running_ns: 25 };
    assert_eq!(found.uses[1].counts[..2], [counted, Reading::default()]);
}

/// A file of its own with these counters at the beginning of each table.
fn counted(native: &[Vec<u8>], locked: &[Vec<u8>]) -> std::fs::File {
    let file = tempfile::tempfile().unwrap();
    let mut head = blank(&[]);
    let claimed = [native.len(), locked.len()].map(|many| u32::try_from(many).unwrap().to_ne_bytes());
    head[100..108].copy_from_slice(claimed.as_flattened());
    file.write_all_at(&head, 0).unwrap();
    file.set_len(FILE_BYTES).unwrap();
    file.write_all_at(&native.concat(), COUNTERS_AT as u64).unwrap();
    let locked_at = COUNTERS_AT + NATIVE_COUNTERS as usize * COUNTER_BYTES;
    file.write_all_at(&locked.concat(), locked_at as u64).unwrap();
    file
}

fn counter(name: &str, value: u64, ready: u32) -> Vec<u8> {
    let mut bytes = value.to_ne_bytes().to_vec();
    let size = u32::try_from(name.len()).unwrap();
    bytes.extend([ready, 7, 8, size].into_iter().flat_map(u32::to_ne_bytes));
    bytes.extend(name.bytes().take(COUNTER_NAME_BYTES));
    bytes.resize(COUNTER_BYTES, 0);
    bytes
}

#[test]
fn running_counters_are_summed_by_name_as_they_stand() {
    let native = [counter("matches", 5, 1), counter("lists", 2, 1), counter("matches", 30, 1), counter("torn", 9, 0)];
    let file =
        counted(&native, &[counter("lists", u64::MAX, 1), counter(&"n".repeat(200), 1, 1), counter("a\n", 1, 1)]);
    let mut totals = Totals::of(&file).unwrap();
    let long = "n".repeat(COUNTER_NAME_BYTES) + "…";
    assert_eq!(totals.read(), [("matches", 35), ("lists", 1), (long.as_str(), 1), ("a\u{fffd}", 1)]);
    file.write_all_at(&8_u64.to_ne_bytes(), COUNTERS_AT as u64).unwrap();
    file.write_all_at(&counter("torn", 9, 1), (COUNTERS_AT + 3 * COUNTER_BYTES) as u64).unwrap();
    assert_eq!(totals.read()[0], ("matches", 38), "read where they are");
    assert_eq!(totals.read()[4], ("torn", 9), "ready since");
}

#[test]
fn a_head_that_claims_more_counters_than_there_are_is_not_believed() {
    let file = counted(&[counter("a", 1, 1)], &[]);
    file.write_all_at(&[0xff; 8], 100).unwrap();
    assert_eq!(Totals::of(&file).unwrap().read(), [("a", 1)]);
    file.set_len(FILE_BYTES - 1).unwrap();
    assert!(Totals::of(&file).is_err());
}

#[test]
fn what_is_claimed_and_not_ready_is_nothing_and_what_cannot_be_is_counted() {
    let mut torn = slot("torn", 1, 0);
    torn[0] = 0;
    let mut wrong = slot("wrong", 1, 0);
    wrong[32 + 8..32 + 16].copy_from_slice(&5000_u64.to_ne_bytes());
    let found = contents(file(&[torn, wrong].concat(), &[], [2, 0, 0, 0]));
    assert_eq!((found.uses.len(), found.senseless), (0, 1));
}

#[test]
fn a_long_name_is_cut_and_says_so_and_a_strange_one_stays_on_its_line() {
    let (long, strange) = ("n".repeat(200), "a\n\u{1b}[2J");
    let slots = [slot(&long, 1, 0), slot(strange, 1, 0), slot("", 1, 0)].concat();
    let names: Vec<String> = contents(file(&slots, &[], [3, 0, 0, 0])).uses.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["n".repeat(124) + "…", "a\u{fffd}\u{fffd}[2J".into(), "(no name)".into()]);
}

#[test]
fn a_head_that_was_overwritten_or_cut_off_is_refused() {
    let mut bytes = file(&slot("x", 1, 0), &[], [1, 0, 0, 0]);
    bytes[3] = b'!';
    assert!(matches!(read(Cursor::new(bytes)), Err(Malformed::Overwritten)));
    assert!(matches!(read(Cursor::new(&blank(&[])[..20])), Err(Malformed::Overwritten)));
    assert!(matches!(read(Cursor::new(b"")), Err(Malformed::Overwritten)));
}

#[test]
fn a_file_that_ends_early_has_fewer_slots() {
    let mut bytes = file(&[slot("a", 1, 0), slot("b", 1, 0)].concat(), &[], [2, 9, 0, 0]);
    bytes.truncate(HEAD_BYTES + SLOT_BYTES + 100);
    assert_eq!(contents(bytes).uses.len(), 1);
    assert!(FILE_BYTES > HEAD_BYTES as u64 + u64::from(LOCKED_SLOTS));
}

proptest! {
    #[test]
    fn no_slots_make_the_reader_panic(
        mut native in vec(any::<u8>(), 0..6 * SLOT_BYTES),
        // Rarely: the second table lies 52 MiB behind the first one.
        locked in prop::option::weighted(0.05, vec(any::<u8>(), 0..3 * SLOT_BYTES)),
        counts in any::<[u32; 4]>(),
        ready in any::<bool>(),
    ) {
        for slot in native.chunks_mut(SLOT_BYTES).filter(|_| ready) {
            slot[..1].copy_from_slice(&[1]);
            slot.iter_mut().skip(1).take(3).for_each(|byte| *byte = 0);
        }
        let found = contents(file(&native, &locked.unwrap_or_default(), counts));
        prop_assert!(found.uses.len() + found.senseless <= 9 + LOCKED_SLOTS as usize);
        for one in &found.uses {
            prop_assert!(one.wall_ns <= one.last_end_ns - one.first_begin_ns);
            prop_assert!(!one.name.is_empty() && !one.name.chars().any(char::is_control));
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in vec(any::<u8>(), 0..2048), begun in any::<bool>()) {
        let head = if begun { blank(&[]) } else { Vec::new() };
        let _ = read(Cursor::new([head, bytes].concat()));
    }
}
