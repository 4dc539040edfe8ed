//! The two loops. Neither touches memory, so what one cpu does to another can only happen inside a core.

use std::hint::black_box;

/// Chains that are multiplied side by side: twelve keep three multipliers of four cycles busy, and with the multiplier
/// and the counter they still fit the registers of x86-64.
const CHAINS: usize = 12;
/// Rounds over the chains in one batch: 60 000 multiplications, about 20 µs at 3 GHz and one a cycle.
const STEPS: u32 = 5_000;
/// Links of the latency-bound chain in one batch: about 20 µs at 3 GHz and three cycles each.
const LINKS: u32 = 20_000;

/// What a worker does during a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loop {
    /// Bound by the throughput of the multiplier, of which the hardware threads of a core share one or a few.
    Port,
    /// Bound by the latency of dependent floating-point additions: a sibling hardly slows it.
    Chain,
}

impl Loop {
    /// Runs one batch, which is long compared with reading the clock and short compared with a slice.
    pub(super) fn batch(self) {
        match self {
            Self::Port => multiply(),
            Self::Chain => add(),
        }
    }
}

/// Independent chains of multiplications. The addition is needed: without it LLVM folds the factors of two rounds into
/// one. For plain x86-64, which packages are built for, this becomes twelve `imul` in registers; with AVX2 and more
/// switched on, LLVM uses the vector multiplier, which siblings share as well.
#[inline(never)]
fn multiply() {
    let (multiplier, mut chains) = black_box((6_364_136_223_846_793_005_u64, [1_u64; CHAINS]));
    for _ in 0..STEPS {
        for link in &mut chains {
            *link = link.wrapping_mul(multiplier).wrapping_add(1);
        }
    }
    black_box(chains);
}

/// One chain of floating-point additions, which the language forbids to reorder. Not the multiplications of the clock
/// proxy: they wait for the multiplier that a sibling keeps busy (slowed to 0.76 of their rate where these kept 1.0;
/// AMD EPYC 7003 guest, a prototype of this test, 2026-11-21).
#[inline(never)]
fn add() {
    let (step, mut sum) = black_box((1.0_f64, 1.0_f64));
    for _ in 0..LINKS {
        sum += step;
    }
    black_box(sum);
}
