//! Reads court opinions for the statutes that they cite. Clerks (threads) have opinions of their own; statutes are shared.
//!
//! An opinion has citations. For each one the clerk looks its statute up in the code of laws, weighs some words around
//! the citation, and notes the statute. The dial is the share of the opinions whose notes own their statutes (a clone of
//! the `Arc`, dropped with the note); the notes of other opinions borrow them. Few statutes are cited by nearly everybody,
//! so all clerks write the same counts: true sharing.
use std::env;
use std::sync::Arc;
use std::thread;

const CITATIONS: usize = 64;
const WORDS: usize = 22;

#[repr(align(128))]
struct Statute {
    chapter: u64,
    weight: u64,
}

enum Note<'a> {
    Owned(Arc<Statute>),
    Borrowed(&'a Statute),
}

impl Note<'_> {
    fn statute(&self) -> &Statute {
        match self {
            Note::Owned(statute) => statute,
            Note::Borrowed(statute) => statute,
        }
    }
}

fn hash(mut x: u64) -> u64 {
    x = (x ^ (x >> 31)).wrapping_mul(0x7FB5_D329_728E_A185);
    x = (x ^ (x >> 27)).wrapping_mul(0x81DA_DEF4_BC2D_D44D);
    x ^ (x >> 33)
}

/// Weigh the words around a citation.
fn context(seed: u64) -> u64 {
    (0..WORDS).fold(seed, |x, _| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add((x >> 33) | 1))
}

fn read(opinion: u64, code: &[Arc<Statute>], owned: bool) -> u64 {
    let mut seed = hash(opinion + 1);
    let mut total = 0u64;
    for _ in 0..CITATIONS {
        let statute = &code[(seed >> 20) as usize % code.len()];
        let note = if owned { Note::Owned(Arc::clone(statute)) } else { Note::Borrowed(statute) };
        seed = context(seed);
        let cited = note.statute();
        total = total.rotate_left(3).wrapping_add(cited.chapter ^ seed.wrapping_mul(cited.weight));
    }
    total
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [clerks, dial, opinions] = &words[..] else { panic!("THREADS DIAL WORK") };
    let (clerks, dial, opinions): (u64, f64, u64) =
        (clerks.parse().unwrap(), dial.parse().unwrap(), opinions.parse().unwrap());
    let code: Vec<_> = (0..3).map(|k| Arc::new(Statute { chapter: hash(k), weight: hash(k + 50) | 1 })).collect();
    let total = thread::scope(|scope| {
        let code = &code;
        let readers: Vec<_> = (0..clerks)
            .map(|clerk| {
                scope.spawn(move || {
                    let mut total = 0u64;
                    for opinion in opinions * clerk / clerks..opinions * (clerk + 1) / clerks {
                        let owned = (hash(opinion ^ 0x5EED) >> 11) as f64 / (1u64 << 53) as f64;
                        total = total.wrapping_add(read(opinion, code, owned < dial));
                    }
                    total
                })
            })
            .collect();
        readers.into_iter().fold(0u64, |all, one| all.wrapping_add(one.join().unwrap()))
    });
    println!("{total:016x}");
}
