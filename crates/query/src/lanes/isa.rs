//! Instruction sets, chosen when the program runs.

use std::sync::OnceLock;

/// Proof that the processor has what a variant of [`Isa`] needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked(());

/// An instruction set that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// What every processor of this kind has.
    Portable,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Checked),
    /// AVX-512 with bytes and words.
    #[cfg(target_arch = "x86_64")]
    Avx512 {
        /// Whether it has the dot products of VNNI, too.
        vnni: bool,
        /// That it has the others.
        checked: Checked,
    },
}

impl Isa {
    /// Names for the command line; `auto` is the best of the others.
    pub const NAMES: &'static [&'static str] = &["auto", "portable", "avx2", "avx512"];

    /// The one of this name, if it is known and this processor has it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::best()),
            "portable" => Some(Self::Portable),
            #[cfg(target_arch = "x86_64")]
            "avx2" => avx2(),
            #[cfg(target_arch = "x86_64")]
            "avx512" => avx512(),
            _ => None,
        }
    }

    /// All that this processor has, the best one last.
    #[must_use]
    pub fn all() -> Vec<Self> {
        Self::NAMES[1..].iter().filter_map(|name| Self::named(name)).collect()
    }

    /// The best one that this processor has. It is asked for often, and the processor only once.
    pub(crate) fn best() -> Self {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::all().pop().expect("every processor has the portable one"))
    }

    /// Its name, as in [`Self::NAMES`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 { .. } => "avx512",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn avx2() -> Option<Isa> {
    let has = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("fma");
    has.then_some(Isa::Avx2(Checked(())))
}

#[cfg(target_arch = "x86_64")]
fn avx512() -> Option<Isa> {
    let has = avx2().is_some()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    has.then(|| Isa::Avx512 { vnni: is_x86_feature_detected!("avx512vnni"), checked: Checked(()) })
}
