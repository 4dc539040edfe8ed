//! NEON: pairs of 16-byte registers.

use std::arch::asm;

use super::{Isa, SCALE};

pub(super) const NEON: Isa =
    Isa { name: "NEON", width: 16, loops: [read, write, write_nt, copy, copy_nt, triad, triad_nt] };

/// One loop: its lines, and what it does in a round of 128 bytes.
macro_rules! kernel {
    ($kernel:ident, [$($line:expr),*]) => {
        /// # Safety
        /// As for every loop: see `Loop`.
        #[inline(never)]
        unsafe fn $kernel(to: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
            // SAFETY: the arrays are as long as the caller says, and the bytes a multiple of a round; only registers that
            // are named are changed.
            unsafe {
                asm!(
                    "ldr q16, [{s}]",
                    "2:",
                    $($line,)*
                    "add {a}, {a}, #128",
                    "add {b}, {b}, #128",
                    "add {to}, {to}, #128",
                    "subs {bytes}, {bytes}, #128",
                    "b.ne 2b",
                    "dmb ish",
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    to = inout(reg) to => _,
                    bytes = inout(reg) bytes => _,
                    s = in(reg) &raw const SCALE,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _, out("v21") _, out("v22") _,
                    out("v23") _, out("v24") _,
                    options(nostack),
                );
            }
        }
    };
}

kernel!(read, ["ldp q0, q1, [{a}]", "ldp q2, q3, [{a}, #32]", "ldp q4, q5, [{a}, #64]", "ldp q6, q7, [{a}, #96]"]);

/// The kernels whose results go out by this instruction.
macro_rules! writers {
    ($write:ident, $copy:ident, $triad:ident, $store:literal) => {
        kernel!(
            $write,
            [
                concat!($store, " q16, q16, [{to}]"),
                concat!($store, " q16, q16, [{to}, #32]"),
                concat!($store, " q16, q16, [{to}, #64]"),
                concat!($store, " q16, q16, [{to}, #96]")
            ]
        );
        kernel!(
            $copy,
            [
                "ldp q0, q1, [{a}]",
                "ldp q2, q3, [{a}, #32]",
                "ldp q4, q5, [{a}, #64]",
                "ldp q6, q7, [{a}, #96]",
                concat!($store, " q0, q1, [{to}]"),
                concat!($store, " q2, q3, [{to}, #32]"),
                concat!($store, " q4, q5, [{to}, #64]"),
                concat!($store, " q6, q7, [{to}, #96]")
            ]
        );
        // Multiplied and added apart, as on other machines: a fused result would differ in its last digit.
        kernel!(
            $triad,
            [
                "ldp q0, q1, [{b}]",
                "ldp q2, q3, [{b}, #32]",
                "ldp q4, q5, [{b}, #64]",
                "ldp q6, q7, [{b}, #96]",
                "ldp q17, q18, [{a}]",
                "ldp q19, q20, [{a}, #32]",
                "ldp q21, q22, [{a}, #64]",
                "ldp q23, q24, [{a}, #96]",
                "fmul v0.2d, v0.2d, v16.2d",
                "fmul v1.2d, v1.2d, v16.2d",
                "fmul v2.2d, v2.2d, v16.2d",
                "fmul v3.2d, v3.2d, v16.2d",
                "fmul v4.2d, v4.2d, v16.2d",
                "fmul v5.2d, v5.2d, v16.2d",
                "fmul v6.2d, v6.2d, v16.2d",
                "fmul v7.2d, v7.2d, v16.2d",
                "fadd v0.2d, v0.2d, v17.2d",
                "fadd v1.2d, v1.2d, v18.2d",
                "fadd v2.2d, v2.2d, v19.2d",
                "fadd v3.2d, v3.2d, v20.2d",
                "fadd v4.2d, v4.2d, v21.2d",
                "fadd v5.2d, v5.2d, v22.2d",
                "fadd v6.2d, v6.2d, v23.2d",
                "fadd v7.2d, v7.2d, v24.2d",
                concat!($store, " q0, q1, [{to}]"),
                concat!($store, " q2, q3, [{to}, #32]"),
                concat!($store, " q4, q5, [{to}, #64]"),
                concat!($store, " q6, q7, [{to}, #96]")
            ]
        );
    };
}

writers!(write, copy, triad, "stp");
writers!(write_nt, copy_nt, triad_nt, "stnp");
