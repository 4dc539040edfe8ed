//! SSE2, AVX2 and AVX-512: eight registers a round.

use std::arch::{asm, is_x86_feature_detected};

use super::{Isa, SCALE};

/// The sets that this cpu has, the widest first.
pub(super) fn found() -> Vec<Isa> {
    let mut found = Vec::new();
    if is_x86_feature_detected!("avx512f") {
        found.push(avx512::ISA);
    }
    if is_x86_feature_detected!("avx2") {
        found.push(avx2::ISA);
    }
    found.push(sse2::ISA);
    found
}

/// An operation of two operands, and the same with the result apart.
macro_rules! two {
    ($op:literal, $reg:literal, $n:literal, $source:expr) => {
        concat!($op, " ", $reg, $n, ", ", $source)
    };
}
macro_rules! three {
    ($op:literal, $reg:literal, $n:literal, $source:expr) => {
        concat!("v", $op, " ", $reg, $n, ", ", $reg, $n, ", ", $source)
    };
}

/// The loops of one set: `$moves` and `$nt` are its instructions, `$arith` how it writes additions, each `$n` a register
/// and `$at` the offset of what goes through it.
macro_rules! set {
    ($set:ident, $name:literal, $feature:literal, $width:literal, $round:literal, $reg:literal, $moves:literal, $nt:literal,
     $arith:ident, [$($n:literal $at:literal),*], $clobbers:tt) => {
        pub(super) mod $set {
            use super::*;

            pub(crate) const ISA: Isa = Isa {
                name: $name,
                width: $width,
                loops: [read, write, write_nt, copy, copy_nt, triad, triad_nt],
            };

            set!(@one read $feature, $round, $clobbers, [$(concat!($moves, " ", $reg, $n, ", [{a} + ", $at, "]")),*]);
            set!(@one write $feature, $round, $clobbers,
                [concat!($moves, " ", $reg, "7, [{s}]"), $(concat!($moves, " [{to} + ", $at, "], ", $reg, "7")),*]);
            set!(@one write_nt $feature, $round, $clobbers,
                [concat!($moves, " ", $reg, "7, [{s}]"), $(concat!($nt, " [{to} + ", $at, "], ", $reg, "7")),*]);
            set!(@one copy $feature, $round, $clobbers, [
                $(concat!($moves, " ", $reg, $n, ", [{a} + ", $at, "]")),*,
                $(concat!($moves, " [{to} + ", $at, "], ", $reg, $n)),*]);
            set!(@one copy_nt $feature, $round, $clobbers, [
                $(concat!($moves, " ", $reg, $n, ", [{a} + ", $at, "]")),*,
                $(concat!($nt, " [{to} + ", $at, "], ", $reg, $n)),*]);
            set!(@one triad $feature, $round, $clobbers, [
                $(concat!($moves, " ", $reg, $n, ", [{b} + ", $at, "]")),*,
                $($arith!("mulpd", $reg, $n, "[{s}]")),*,
                $($arith!("addpd", $reg, $n, concat!("[{a} + ", $at, "]"))),*,
                $(concat!($moves, " [{to} + ", $at, "], ", $reg, $n)),*]);
            set!(@one triad_nt $feature, $round, $clobbers, [
                $(concat!($moves, " ", $reg, $n, ", [{b} + ", $at, "]")),*,
                $($arith!("mulpd", $reg, $n, "[{s}]")),*,
                $($arith!("addpd", $reg, $n, concat!("[{a} + ", $at, "]"))),*,
                $(concat!($nt, " [{to} + ", $at, "], ", $reg, $n)),*]);
        }
    };
    (@one $kernel:ident $feature:literal, $round:literal, ($($clobber:tt)*), [$($line:expr),*]) => {
        #[target_feature(enable = $feature)]
        #[inline(never)]
        /// # Safety
        /// As for every loop: see `Loop`.
        unsafe fn $kernel(to: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
            // SAFETY: the arrays are as long as the caller says, and the bytes a multiple of a round; only registers that
            // are named are changed. Stores past the caches are put in order by the fence.
            unsafe {
                asm!(
                    "prefetcht0 [{s}]",
                    "2:",
                    $($line,)*
                    concat!("add {a}, ", $round),
                    concat!("add {b}, ", $round),
                    concat!("add {to}, ", $round),
                    concat!("sub {bytes}, ", $round),
                    "jnz 2b",
                    "sfence",
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    to = inout(reg) to => _,
                    bytes = inout(reg) bytes => _,
                    s = in(reg) &raw const SCALE,
                    $(out($clobber) _,)*
                    options(nostack),
                );
            }
        }
    };
}

set!(sse2, "SSE2", "sse2", 16, 128, "xmm", "movaps", "movntps", two,
    [0 0, 1 16, 2 32, 3 48, 4 64, 5 80, 6 96, 7 112], ("xmm0" "xmm1" "xmm2" "xmm3" "xmm4" "xmm5" "xmm6" "xmm7"));
set!(avx2, "AVX2", "avx2", 32, 256, "ymm", "vmovaps", "vmovntps", three,
    [0 0, 1 32, 2 64, 3 96, 4 128, 5 160, 6 192, 7 224], ("ymm0" "ymm1" "ymm2" "ymm3" "ymm4" "ymm5" "ymm6" "ymm7"));
set!(avx512, "AVX-512", "avx512f", 64, 512, "zmm", "vmovaps", "vmovntps", three,
    [0 0, 1 64, 2 128, 3 192, 4 256, 5 320, 6 384, 7 448], ("zmm0" "zmm1" "zmm2" "zmm3" "zmm4" "zmm5" "zmm6" "zmm7"));
