//! Loops that move memory at the machine's rate, independent of the compiler: one set for each instruction set, in
//! assembly, so that a pass reads and writes exactly what it says. The set is chosen at run time.

#[cfg(target_arch = "aarch64")]
mod arm;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// What a loop does with three arrays of doubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Reads `a`.
    Read,
    /// Writes `to`.
    Write,
    /// Writes `to` past the caches (non-temporal stores).
    WriteNt,
    /// `to = a`.
    Copy,
    /// The same past the caches.
    CopyNt,
    /// `to = a + s b` (STREAM).
    Triad,
    /// The same past the caches.
    TriadNt,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Write, Self::WriteNt, Self::Copy, Self::CopyNt, Self::Triad, Self::TriadNt];
    /// Their names, as a parameter's values.
    pub const NAMES: &'static [&'static str] = &["read", "write", "write-nt", "copy", "copy-nt", "triad", "triad-nt"];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The kernel of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kernel| kernel.name() == name)
    }

    /// How many of the three arrays it touches, which is the bytes moved for each byte of one array. As in STREAM,
    /// reading a cache line before it is written does not count.
    #[must_use]
    pub fn streams(self) -> usize {
        match self {
            Self::Read | Self::Write | Self::WriteNt => 1,
            Self::Copy | Self::CopyNt => 2,
            Self::Triad | Self::TriadNt => 3,
        }
    }
}

/// A loop: `to`, `a`, `b`, and the bytes of one array.
///
/// # Safety
/// The cpu has the instruction set. The bytes are a multiple of [`STEP`]; each array that the kernel touches has so
/// many, begins at a multiple of 64, and no other thread writes what is read or touches what is written.
type Loop = unsafe fn(*mut u8, *const u8, *const u8, usize);

/// Bytes of an array that are moved in one step: eight registers of the widest set.
pub const STEP: usize = 512;

/// The loops of one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Isa {
    /// Its name.
    pub name: &'static str,
    /// Bytes of one load.
    pub width: usize,
    /// In the order of [`Kernel::ALL`].
    loops: [Loop; 7],
}

impl Isa {
    /// Those that this cpu has, the widest first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        found.extend(x86::found());
        #[cfg(target_arch = "aarch64")]
        found.push(arm::NEON);
        found.push(portable::PORTABLE);
        found
    }

    /// The widest one.
    #[must_use]
    pub fn best() -> Self {
        Self::all()[0]
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if name == "best" { Some(Self::best()) } else { Self::all().into_iter().find(|isa| isa.name == name) }
    }

    /// Runs a kernel once.
    ///
    /// # Safety
    /// The bytes are a multiple of [`STEP`]; each array that the kernel touches has so many, begins at a multiple of
    /// 64, and no other thread writes what is read or touches what is written.
    pub unsafe fn run(&self, kernel: Kernel, to: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
        debug_assert!(bytes.is_multiple_of(STEP));
        if bytes > 0 {
            // SAFETY: the caller's; and the set was found on this cpu.
            unsafe { self.loops[kernel as usize](to, a, b, bytes) };
        }
    }
}

/// The factor of `b` in a triad, in a register's width.
#[repr(align(64))]
struct Scale([f64; 8]);
static SCALE: Scale = Scale([3.0; 8]);

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
mod tests {
    use super::*;

    #[repr(align(64))]
    #[derive(Clone)]
    struct Line([f64; 8]);

    fn array(lines: usize, value: impl Fn(usize) -> f64) -> Vec<Line> {
        (0..lines).map(|line| Line(std::array::from_fn(|lane| value(line * 8 + lane)))).collect()
    }

    /// Every kernel of every set does to every double what it says, and nothing beyond the end.
    #[test]
    fn every_kernel_does_what_it_says() {
        let lines = 3 * STEP / 64;
        for isa in Isa::all() {
            for kernel in Kernel::ALL {
                let (a, b) = (array(lines, |at| at as f64), array(lines, |at| (at * at) as f64));
                let mut to = array(lines + 1, |_| -7.0);
                // SAFETY: three steps of each array, which are aligned and our own.
                unsafe {
                    let to = to.as_mut_ptr().cast::<u8>();
                    isa.run(kernel, to, a.as_ptr().cast(), b.as_ptr().cast(), lines * 64);
                }
                let expected = |at: usize| match kernel {
                    Kernel::Read => -7.0,
                    Kernel::Write | Kernel::WriteNt => 3.0,
                    Kernel::Copy | Kernel::CopyNt => at as f64,
                    Kernel::Triad | Kernel::TriadNt => at as f64 + 3.0 * (at * at) as f64,
                };
                for (line, found) in to.iter().take(lines).enumerate() {
                    let right: [f64; 8] = std::array::from_fn(|lane| expected(line * 8 + lane));
                    assert_eq!(found.0, right, "{} {}, line {line}", isa.name, kernel.name());
                }
                assert_eq!(to[lines].0, [-7.0; 8], "{} {} wrote too far", isa.name, kernel.name());
            }
        }
    }

    #[test]
    fn names_lead_back() {
        assert!(Kernel::ALL.iter().all(|kernel| Kernel::named(kernel.name()) == Some(*kernel)));
        assert!(Isa::all().iter().all(|isa| Isa::named(isa.name).is_some_and(|found| found.width == isa.width)));
        assert!(Isa::named("abacus").is_none());
    }
}
