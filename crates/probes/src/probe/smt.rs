//! SMT: how much siblings slow each other down (issue slots).

use std::time::Instant;

use knee_workload::{Args, Error, Param};

use super::{Given, Probe, Row, Step, Trial};
use crate::context::Context;
use crate::pinned::together;

/// Additions of a trial and thread, in rounds of [`ROUND`].
const ROUNDS: u64 = 100_000;
const ROUND: u64 = 64;

pub(crate) struct Smt;

impl Probe for Smt {
    fn name(&self) -> &'static str {
        "smt"
    }

    fn summary(&self) -> &'static str {
        "register additions on one or more hardware threads of a core: cost of sharing it"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Additions a nanosecond on 1 to k hardware threads of one core, all together: eight chains that \
         do not depend on each other, and one chain in which each addition waits for the one before. Nothing touches \
         memory. The chain does one addition a clock cycle, so that the ratio of the two is additions a cycle.\n\n\
         **What it stresses.** The integer units of a core.\n\n\
         **Where it should bend.** Independent additions fill the core with one thread: siblings add next to nothing, and \
         eight threads of one core are not eight cores. Chains leave slots free, so siblings gain.\n\n\
         **Source.** The comparison of 8 hardware threads of a core with 8 cores in the GHC study."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] =
            &[Param::new("core", "core number; first: the first of those with most hardware threads", "first")];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let allowed = &context.machine.allowed.cpus;
        let named = given.get("core").map(String::as_str).filter(|core| *core != "first");
        let siblings = |core: &knee_machine::topology::Core| {
            core.cpus.iter().filter(|cpu| allowed.contains(*cpu)).collect::<Vec<u32>>()
        };
        let cores = context.machine.cores.iter().filter(|core| named.is_none_or(|name| name == core.id.to_string()));
        // The first of those that have most.
        let most = cores.rev().map(siblings).max_by_key(Vec::len).filter(|cpus| !cpus.is_empty());
        let Some(cpus) = most else {
            return Err(Error::new(format!("no such core: {}: see knee machine", named.unwrap_or("first"))));
        };
        Ok((1..=cpus.len()).map(|count| Step::new(given, &[], &cpus[..count], 0.2)).collect())
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let named = args.text("core");
        if named != "first" {
            let core = context.machine.cores.iter().find(|core| core.id.to_string() == named);
            let elsewhere = cpus.iter().find(|cpu| !core.is_some_and(|core| core.cpus.contains(**cpu)));
            if let Some(cpu) = elsewhere {
                let message = format!("bad argument: core '{named}': it does not have cpu {cpu}, where this runs");
                return Err(Error::new(message));
            }
        }
        Ok(Box::new(Siblings { cpus: cpus.to_vec() }))
    }
}

struct Siblings {
    cpus: Vec<u32>,
}

impl Siblings {
    fn rate(&self, add: fn(u64)) -> Result<f64, Error> {
        let times = together(&self.cpus, |thread| {
            thread.meet();
            let begin = Instant::now();
            add(ROUNDS);
            (begin, Instant::now())
        })?;
        let begin = times.iter().map(|(begin, _)| *begin).min().expect("there is a thread");
        let end = times.iter().map(|(_, end)| *end).max().expect("there is a thread");
        let additions = ROUNDS * ROUND * self.cpus.len() as u64;
        Ok(additions as f64 / (end - begin).as_nanos() as f64)
    }
}

impl Trial for Siblings {
    fn rows(&self) -> Vec<Row> {
        let row = |measure, work: &str| Row {
            measure,
            unit: "additions/ns",
            at: vec![("siblings", self.cpus.len().to_string()), ("work", work.into())],
        };
        vec![row("rate", "independent"), row("rate", "chain")]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        Ok(vec![self.rate(adds::independent)?, self.rate(adds::chain)?])
    }

    fn flag(&self) -> Option<String> {
        (self.cpus.len() == 1).then(|| "the rate without a sibling".into())
    }
}

/// Rounds of 64 additions: eight times these lines, between registers that begin with 1. Of registers to registers: a
/// constant may be added while names are given, at no cost.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod adds {
    use std::arch::asm;

    macro_rules! rounds {
        ($name:ident, [$($end:literal)*], [$($register:tt)*], $step:tt, [$($line:literal),*]) => {
            #[inline(never)]
            pub(super) fn $name(rounds: u64) {
                // SAFETY: only registers that are named are changed.
                unsafe {
                    asm!(
                        "2:",
                        ".rept 8", $($line,)* ".endr",
                        $($end,)*
                        rounds = inout(reg) rounds => _,
                        $(inout($register) 1_u64 => _,)*
                        in($step) 3_u64,
                        options(nomem, nostack),
                    );
                }
            }
        };
    }

    #[cfg(target_arch = "x86_64")]
    macro_rules! here {
        ($name:ident, $($line:literal),*) => {
            rounds!(
                $name, ["dec {rounds}" "jnz 2b"], ["rax" "rcx" "rdx" "rsi" "rdi" "r8" "r9" "r10"], "r11", [$($line),*]
            );
        };
    }
    #[cfg(target_arch = "x86_64")]
    here!(
        independent,
        "add rax, r11",
        "add rcx, r11",
        "add rdx, r11",
        "add rsi, r11",
        "add rdi, r11",
        "add r8, r11",
        "add r9, r11",
        "add r10, r11"
    );
    #[cfg(target_arch = "x86_64")]
    here!(
        chain,
        "add rax, rcx",
        "add rcx, rax",
        "add rax, rcx",
        "add rcx, rax",
        "add rax, rcx",
        "add rcx, rax",
        "add rax, rcx",
        "add rcx, rax"
    );

    #[cfg(target_arch = "aarch64")]
    macro_rules! here {
        ($name:ident, $($line:literal),*) => {
            rounds!(
                $name, ["subs {rounds}, {rounds}, #1" "b.ne 2b"], ["x1" "x2" "x3" "x4" "x5" "x6" "x7" "x8"], "x9",
                [$($line),*]
            );
        };
    }
    #[cfg(target_arch = "aarch64")]
    here!(
        independent,
        "add x1, x1, x9",
        "add x2, x2, x9",
        "add x3, x3, x9",
        "add x4, x4, x9",
        "add x5, x5, x9",
        "add x6, x6, x9",
        "add x7, x7, x9",
        "add x8, x8, x9"
    );
    #[cfg(target_arch = "aarch64")]
    here!(
        chain,
        "add x1, x1, x2",
        "add x2, x2, x1",
        "add x1, x1, x2",
        "add x2, x2, x1",
        "add x1, x1, x2",
        "add x2, x2, x1",
        "add x1, x1, x2",
        "add x2, x2, x1"
    );
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod adds {
    use std::hint::black_box;

    /// Hides the addend, so that the compiler cannot fold the additions.
    pub(super) fn independent(rounds: u64) {
        let (mut sums, step) = ([0_u64; 8], black_box(3));
        for _ in 0..rounds * 8 {
            sums = black_box(sums.map(|sum| sum.wrapping_add(step)));
        }
    }

    pub(super) fn chain(rounds: u64) {
        let (mut low, mut high) = (black_box(1_u64), black_box(1_u64));
        for _ in 0..rounds * 32 {
            low = low.wrapping_add(high);
            high = high.wrapping_add(low);
        }
        black_box(high);
    }
}
