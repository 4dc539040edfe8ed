//! Sets text: breaks the words of many articles into lines, each word with the font it is set in, and spreads every
//! full line over its column. Threads fetch issue after issue of a few articles, and send to the main thread how they
//! came out.
//!
//! A word that waits for its line holds its font through an `Arc`. The dial is the share of the words that take it from
//! the house's one font, whose reference count all threads then change; the others take the copy of the font that the
//! thread has loaded for itself. A count costs the same, but the house's travels between the cpus: true sharing. (The
//! glyphs lie on cache lines of their own, which nobody writes.)
#[path = "work.rs"]
mod work;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

const ISSUE: usize = 20;
const WORDS: usize = 2500;
const COLUMN: u32 = 6000;
const GLYPHS: usize = 96;

#[repr(align(128))]
struct Font {
    advance: [u16; GLYPHS],
    kern: [i8; 256],
}

impl Font {
    fn load() -> Arc<Font> {
        let mut advance = [0; GLYPHS];
        for (i, one) in advance.iter_mut().enumerate() {
            *one = 40 + (work::unit(i, 2) >> 50) as u16 % 70;
        }
        let mut kern = [0; 256];
        for (i, one) in kern.iter_mut().enumerate() {
            *one = (work::unit(i + 999, 2) >> 57) as i8 % 5;
        }
        Arc::new(Font { advance, kern })
    }

    fn width(&self, mut letters: u64, count: u32) -> u32 {
        let mut last = 0usize;
        let mut width = 0i32;
        for _ in 0..count {
            let glyph = (letters % GLYPHS as u64) as usize;
            letters = letters.rotate_right(7).wrapping_add(0x9E37_79B9);
            width += i32::from(self.advance[glyph]) + i32::from(self.kern[(last * 7 + glyph) & 255]);
            last = glyph;
        }
        width as u32
    }
}

struct Word {
    font: Arc<Font>,
    width: u32,
    stretch: u32,
}

struct Article {
    lines: u32,
    ink: u64,
}

struct Setter<'a> {
    house: &'a Arc<Font>,
    own: Arc<Font>,
    cut: u64,
    line: Vec<Word>,
}

impl Setter<'_> {
    fn set(&mut self, number: usize) -> Article {
        let mut state = work::unit(number, 4);
        let mut article = Article { lines: 0, ink: 0 };
        let mut filled = 0;
        for _ in 0..WORDS {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let letters = state ^ state >> 29;
            let font = if state >> 32 < self.cut { self.house } else { &self.own };
            let font = Arc::clone(font);
            let width = font.width(letters, 4 + (letters >> 59) as u32 / 4);
            if filled + width > COLUMN {
                self.spread(&mut article, COLUMN - filled);
                filled = 0;
            }
            filled += width + 60;
            let stretch = 1 + (letters >> 40) as u32 % 7;
            self.line.push(Word { font, width, stretch });
            if filled >= COLUMN {
                self.spread(&mut article, 0);
                filled = 0;
            }
        }
        self.spread(&mut article, 0);
        article
    }

    fn spread(&mut self, article: &mut Article, slack: u32) {
        let give: u32 = self.line.iter().map(|word| word.stretch).sum();
        let mut at = 0;
        for word in self.line.drain(..) {
            let hyphen = u32::from(word.font.advance[13]);
            article.ink = (article.ink ^ u64::from(at * 3 + hyphen)).wrapping_mul(0x100_0000_01b3);
            at += word.width + 60 + slack * word.stretch / give;
        }
        article.lines += 1;
    }
}

/// Set issue after issue, each of a few articles, until there are no more.
fn desk(house: &Arc<Font>, cut: u64, next: &AtomicUsize, articles: usize, out: Sender<(usize, Vec<Article>)>) {
    let mut setter = Setter { house, own: Font::load(), cut, line: Vec::with_capacity(256) };
    loop {
        let begin = next.fetch_add(ISSUE, Ordering::Relaxed);
        if begin >= articles {
            return;
        }
        let issue = (begin..articles.min(begin + ISSUE)).map(|number| setter.set(number)).collect();
        out.send((begin, issue)).unwrap();
    }
}

fn main() {
    let asked = work::arguments();
    let house = Font::load();
    let next = AtomicUsize::new(0);
    let cut = (asked.dial * (1u64 << 32) as f64) as u64;
    let (mut lines, mut ink) = (0u64, 0u64);
    thread::scope(|scope| {
        let (out, printed) = mpsc::channel();
        for _ in 0..asked.threads {
            let (house, next, out) = (Arc::clone(&house), &next, out.clone());
            scope.spawn(move || desk(&house, cut, next, asked.work, out));
        }
        drop(out);
        for (begin, issue) in printed {
            for (i, article) in issue.iter().enumerate() {
                lines += u64::from(article.lines);
                ink = ink.wrapping_add(article.ink.rotate_left((begin + i) as u32 % 63));
            }
        }
    });
    println!("{lines} lines, ink {ink:016x}");
}
