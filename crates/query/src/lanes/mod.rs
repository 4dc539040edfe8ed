//! Operations on blocks of lanes: arrays of 16, 32 or 64 bits with one value for each row.
//!
//! Arithmetic wraps. It is exact all the same wherever the result fits its lane, whatever lies between, as whole numbers
//! modulo a power of two form a ring; who chooses a lane has bounds that say so.
//!
//! Each operation is written once and compiled for each instruction set, where the compiler vectorises it. Written by
//! hand are sums of products (`dots`), which live on one instruction, and comparisons whose results are bits. All instruction sets give the same bits.

mod between;
mod bits;
mod code;
mod dots;
mod few;
mod floats;
mod isa;
mod lookup;
mod mask;
mod numbers;
mod prefetch;

pub(crate) use between::between;
pub(crate) use bits::{Bits, bits, first, ones, spread};
pub(crate) use code::{Code, Lane, digit, load};
pub(crate) use dots::{Dots, MOST_AT_ONCE, MOST_GROUPS, dots};
pub(crate) use few::few;
pub(crate) use floats::{float_extremes, float_sum, floats_below, floats_equal};
pub use isa::Isa;
pub(crate) use lookup::{SHORT, look_up};
pub(crate) use mask::{How, all_within, any, combine, count, hide, hide_or_first, invert, range, rows, table};
pub(crate) use numbers::{add, extremes, greatest, last_position, least, minus, multiply, sum};
pub(crate) use prefetch::prefetch;

/// Rows of a block: arrays of that many lanes stay in the first-level cache.
pub(crate) const BLOCK: usize = 2048;

/// A lane of a mask where the row counts; 0 where it does not.
pub(crate) const YES: u16 = u16::MAX;

/// The group of rows that do not count.
pub(crate) const HIDDEN: u16 = u16::MAX;

/// Defines functions whose bodies are compiled once for each instruction set. The first argument says for which.
macro_rules! for_each_isa {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident $(<$($generic:ident : $bound:path),*>)? (
        $($argument:ident : $type:ty),* $(,)?
    ) $(-> $returns:ty)? $body:block)*) => {$(
        $(#[$doc])*
        $vis fn $name $(<$($generic: $bound),*>)? (isa: $crate::lanes::Isa, $($argument: $type),*) $(-> $returns)? {
            #[allow(clippy::inline_always, reason = "its body is compiled as a part of each of the functions below")]
            #[inline(always)]
            fn body $(<$($generic: $bound),*>)? ($($argument: $type),*) $(-> $returns)? $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
            fn avx2 $(<$($generic: $bound),*>)? ($($argument: $type),*) $(-> $returns)? { body($($argument),*) }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            fn avx512 $(<$($generic: $bound),*>)? ($($argument: $type),*) $(-> $returns)? { body($($argument),*) }
            match isa {
                $crate::lanes::Isa::Portable => body($($argument),*),
                // SAFETY: an `Isa` is made only where the processor has it.
                #[cfg(target_arch = "x86_64")]
                $crate::lanes::Isa::Avx2(_) => unsafe { avx2($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::lanes::Isa::Avx512 { .. } => unsafe { avx512($($argument),*) },
            }
        }
    )*};
}
pub(crate) use for_each_isa;
