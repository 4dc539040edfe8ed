//! Codes of columns become lanes.

use super::for_each_isa;

/// A code as it is stored. Each operation is in the code's own width, so that a vector holds as many as it can.
pub(crate) trait Code: bytemuck::Pod + Send + Sync {
    /// Its low 16 bits.
    fn low_16(self) -> u16;
    /// Its low 32 bits, with its sign where it has fewer.
    fn low_32(self) -> u32;
    /// As 64 bits, with its sign.
    fn wide(self) -> u64;
    /// This number of codes above another one.
    fn minus(self, other: Self) -> Self;
    /// Whether it is `span` or less above `low`.
    fn is_within(self, low: Self, span: Self) -> bool;
    /// It without its lowest bits.
    fn shifted(self, bits: u32) -> Self;
    /// The low bits of a number.
    fn low(value: u64) -> Self;
}

/// A number of a block, without a sign: arithmetic wraps.
pub(crate) trait Lane: bytemuck::Pod + Send + Sync {
    /// The low bits of a code.
    fn of_code(code: impl Code) -> Self;
    /// The low bits of a number.
    fn low(value: u64) -> Self;
    /// The low bits of an exact number.
    fn of(value: i128) -> Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// As a number with a sign.
    fn signed(self) -> i64;
    /// The smallest and the largest number with a sign.
    const LEAST: Self;
    const MOST: Self;
    /// The smaller one, as numbers with a sign.
    fn lesser(self, other: Self) -> Self;
    /// The larger one, as numbers with a sign.
    fn greater(self, other: Self) -> Self;
}

macro_rules! code {
    ($($code:ty, $signed:ty, $unsigned:ty);*) => {$(
        #[allow(clippy::cast_lossless, reason = "some of them are lossless")]
        impl Code for $code {
            #[inline]
            fn low_16(self) -> u16 {
                self as u16
            }

            #[inline]
            fn low_32(self) -> u32 {
                self as u32
            }

            #[inline]
            fn wide(self) -> u64 {
                self as $signed as u64
            }

            #[inline]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline]
            fn is_within(self, low: Self, span: Self) -> bool {
                self.wrapping_sub(low) as $unsigned <= span as $unsigned
            }

            #[inline]
            fn shifted(self, bits: u32) -> Self {
                (self as $unsigned).wrapping_shr(bits) as Self
            }

            #[inline]
            fn low(value: u64) -> Self {
                value as Self
            }
        }
    )*};
}
// Dates have a sign; the other codes have none, and plain numbers of 64 bits need none, since arithmetic wraps.
code!(u8, u64, u8; u16, u64, u16; u32, u64, u32; u64, u64, u64; i32, i64, u32);

macro_rules! lane {
    ($($lane:ty, $signed:ty, $of_code:ident);*) => {$(
        impl Lane for $lane {
            #[inline]
            fn of_code(code: impl Code) -> Self {
                code.$of_code()
            }

            #[inline]
            fn low(value: u64) -> Self {
                value as Self
            }

            #[inline]
            fn of(value: i128) -> Self {
                value as Self
            }

            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline]
            fn signed(self) -> i64 {
                (self as $signed).into()
            }

            const LEAST: Self = <$signed>::MIN as Self;
            const MOST: Self = <$signed>::MAX as Self;

            #[inline]
            fn lesser(self, other: Self) -> Self {
                (self as $signed).min(other as $signed) as Self
            }

            #[inline]
            fn greater(self, other: Self) -> Self {
                (self as $signed).max(other as $signed) as Self
            }
        }
    )*};
}
lane!(u16, i16, low_16; u32, i32, low_32; u64, i64, wide);

for_each_isa! {
    /// `out` = constant + factor × code, or `out` + factor × code where there is no constant.
    pub(crate) fn load<C: Code, L: Lane>(codes: &[C], factor: L, constant: Option<L>, out: &mut [L]) {
        match constant {
            Some(constant) => {
                for (out, code) in out.iter_mut().zip(codes) {
                    *out = constant.plus(factor.times(L::of_code(*code)));
                }
            }
            None => {
                for (out, code) in out.iter_mut().zip(codes) {
                    *out = out.plus(factor.times(L::of_code(*code)));
                }
            }
        }
    }

    /// `out` = (code − base) shifted right, and no more of it than the mask has.
    pub(crate) fn digit<C: Code>(codes: &[C], base: C, shift: u32, mask: u16, out: &mut [u16]) {
        for (out, code) in out.iter_mut().zip(codes) {
            *out = code.minus(base).shifted(shift).low_16() & mask;
        }
    }
}
