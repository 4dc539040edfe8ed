//! Bakes loaves: the heat moves through a loaf from its crust, and the crumb sets where it is hot for long enough.
//!
//! Spinning. A village has one stone oven, and every baker has a small one as well. The dial is the share of the
//! loaves that are for the stone oven, which bakes one loaf at a time. Its door is a lock of our own making: a baker
//! who finds it shut looks at it again and again, in longer and longer turns, and does not sleep. A loaf takes some 3
//! us.
mod work;

use std::cell::UnsafeCell;
use std::hint;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const LAYERS: usize = 24;
const MINUTES: usize = 90;
const TRAY: usize = 32;

/// Nobody who looks at the door touches the lines of the cache that the oven has.
#[derive(Default)]
#[repr(align(128))]
struct Oven {
    loaf: [i32; LAYERS],
    set: [i32; LAYERS],
    baked: u64,
}

impl Oven {
    fn bake(&mut self, number: usize) {
        let heat = 180_000 + (number.wrapping_mul(2_654_435_761) >> 7 & 0xFFFF) as i32;
        self.loaf = [20_000 + (number & 1023) as i32; LAYERS];
        self.set = [0; LAYERS];
        for _ in 0..MINUTES {
            let mut outer = heat;
            for layer in 0..LAYERS {
                let (here, inner) = (self.loaf[layer], self.loaf[(layer + 1).min(LAYERS - 1)]);
                self.loaf[layer] = here + ((outer - 2 * here + inner) >> 2);
                self.set[layer] += (self.loaf[layer] - 60_000).max(0) >> 8;
                outer = here;
            }
        }
        let crumb = self.set.iter().fold(number as u64, |sum, &set| sum.wrapping_mul(31).wrapping_add(set as u64));
        self.baked = self.baked.wrapping_add(crumb);
    }
}

struct Door<T> {
    shut: AtomicBool,
    inside: UnsafeCell<T>,
}

// SAFETY: what is inside can only be reached through `Opened`, and there is one of these at a time.
unsafe impl<T: Send> Sync for Door<T> {}

struct Opened<'a, T>(&'a Door<T>);

impl<T> Door<T> {
    fn open(&self) -> Opened<'_, T> {
        let mut patience = 4;
        while self.shut.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            while self.shut.load(Ordering::Relaxed) {
                (0..patience).for_each(|_| hint::spin_loop());
                patience = (2 * patience).min(16);
            }
        }
        Opened(self)
    }
}

impl<T> Deref for Opened<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the door is shut behind us.
        unsafe { &*self.0.inside.get() }
    }
}

impl<T> DerefMut for Opened<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.0.inside.get() }
    }
}

impl<T> Drop for Opened<'_, T> {
    fn drop(&mut self) {
        self.0.shut.store(false, Ordering::Release);
    }
}

fn main() {
    let asked = work::arguments();
    let stone = Door { shut: AtomicBool::new(false), inside: UnsafeCell::new(Oven::default()) };
    let dough = AtomicUsize::new(0);
    let small = asked.in_threads(|_| {
        let mut own = Oven::default();
        loop {
            let tray = dough.fetch_add(TRAY, Ordering::Relaxed);
            if tray >= asked.work {
                return own.baked;
            }
            for loaf in tray..asked.work.min(tray + TRAY) {
                if asked.picks(loaf) { stone.open().bake(loaf) } else { own.bake(loaf) }
            }
        }
    });
    println!("{:016x}", small.wrapping_add(stone.open().baked));
}
