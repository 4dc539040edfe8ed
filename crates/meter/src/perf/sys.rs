//! A loop of known length: the only room of this crate with `unsafe`.

/// Executes two instructions `turns` times, and a handful around them. Returns how many that was; none on an
/// architecture that this loop was not written for.
pub(crate) fn turn(turns: u64) -> Option<u64> {
    let turns = turns.max(1);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the loop counts one register down to zero. It touches no memory and no stack, and ends because the register
    // is at least 1 when it begins.
    unsafe {
        std::arch::asm!("2:", "sub {0}, 1", "jnz 2b", inout(reg) turns => _, options(nomem, nostack));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("2:", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) turns => _, options(nomem, nostack));
    }
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")).then_some(2 * turns)
}
