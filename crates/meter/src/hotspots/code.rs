//! Which memory the instructions around an address use, from the bytes of the code (x86-64).
//!
//! A sample has the address of the next instruction. One that was slow is that one, if it waits for what it reads, or one
//! of the few before it. What these used is known from the registers of the sample, as long as no instruction
//! between has written to them. What is read and written back later on, by the same registers, counts as written to.

use std::collections::HashMap;
use std::os::unix::fs::FileExt;
use std::path::Path;

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfo, InstructionInfoFactory, OpAccess, Register,
    UsedMemory,
};

use super::event::{REGISTERS, Registers};
use super::open;

/// Bytes of code that are read before an address, and from it.
const BEFORE: usize = 64;
const AFTER: usize = 192;

/// Addresses whose code is known; what is around further ones is not.
const MOST_KNOWN: usize = 1 << 16;

/// Instructions before an address whose memory may have been waited for.
const BACK: usize = 4;

/// Places of the general registers in a sample, by the processor's numbers: AX, CX, DX, BX, SP, BP, SI, DI, and R8 on.
const AT: [usize; REGISTERS] = [0, 2, 3, 1, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15];
const STACK: usize = 7;

/// Memory that an instruction uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operand {
    base: Option<usize>,
    index: Option<usize>,
    scale: u64,
    displacement: u64,
    pub(super) writes: bool,
}

impl Operand {
    /// Where it is.
    pub(super) fn address(&self, registers: &Registers) -> u64 {
        let value = |register: Option<usize>| register.map_or(0, |at| registers[at]);
        let index = value(self.index).wrapping_mul(self.scale);
        self.displacement.wrapping_add(value(self.base)).wrapping_add(index)
    }

    /// Whether both are the same memory.
    fn is_at(&self, other: &Self) -> bool {
        let place = |one: &Self| (one.base, one.index, one.scale, one.displacement);
        place(self) == place(other)
    }

    /// None for a thread's own stack, its thread-local data, and what the registers of a sample do not tell.
    fn of(memory: &UsedMemory) -> Option<Self> {
        let (base, index) = (number(memory.base())?, number(memory.index())?);
        let local = matches!(memory.segment(), Register::FS | Register::GS);
        (!local && base != Some(STACK)).then_some(Self {
            base,
            index,
            scale: u64::from(memory.scale()),
            displacement: memory.displacement(),
            writes: writes(memory.access()),
        })
    }
}

/// Where a register is in a sample: nowhere, if there is none; none if a sample does not have it.
#[allow(clippy::option_option, reason = "no register is not the same as an unknown one")]
fn number(register: Register) -> Option<Option<usize>> {
    let whole = register.full_register();
    // What is relative to the code has its whole address as displacement.
    if matches!(whole, Register::None | Register::RIP) {
        return Some(None);
    }
    let at = whole.is_gpr64().then(|| AT.get(whole.number()))??;
    Some(Some(*at))
}

fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// The memory that the next instruction and the few before it use, the one before first.
///
/// `code` holds [`BEFORE`] bytes before the address of the next instruction, and some from there on.
fn operands(code: &[u8], address: u64) -> Vec<Operand> {
    let mut factory = InstructionInfoFactory::new();
    let mut before = previous(code, address);
    let next = code.get(BEFORE..).map(|rest| decoder(rest, address).decode()).filter(|next| !next.is_invalid());
    let last = before.pop().map(|last| (last, false));
    let rest = before.into_iter().rev().map(|one| (one, false));
    let mut written: Vec<Register> = Vec::new();
    let mut found = Vec::new();
    for (instruction, is_next) in last.into_iter().chain(next.map(|next| (next, true))).chain(rest) {
        let info = factory.info(&instruction);
        if !is_next {
            written.extend(changed(info));
        }
        found
            .extend(info.used_memory().iter().filter(|memory| kept(memory, &written, is_next)).filter_map(Operand::of));
    }
    for store in stores(code.get(BEFORE..).unwrap_or_default(), address) {
        found.iter_mut().filter(|one| one.is_at(&store)).for_each(|one| one.writes = true);
    }
    found
}

/// The memory that instructions from an address on write to, by the registers that a sample has there.
fn stores(code: &[u8], address: u64) -> Vec<Operand> {
    let (mut factory, mut decoder) = (InstructionInfoFactory::new(), decoder(code, address));
    let (mut written, mut found): (Vec<Register>, Vec<Operand>) = (Vec::new(), Vec::new());
    while decoder.can_decode() {
        let one = decoder.decode();
        if one.is_invalid() || !straight(&one) {
            break;
        }
        let info = factory.info(&one);
        let stored = info.used_memory().iter().filter(|memory| writes(memory.access()));
        found.extend(stored.filter(|memory| kept(memory, &written, false)).filter_map(Operand::of));
        written.extend(changed(info));
    }
    found
}

/// Whether the next instruction in memory may be executed after this one: it neither jumps nor calls in any case.
fn straight(one: &Instruction) -> bool {
    matches!(one.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch)
}

/// Registers that an instruction writes to.
fn changed(info: &InstructionInfo) -> impl Iterator<Item = Register> + '_ {
    let used = info.used_registers().iter().filter(|register| writes(register.access()));
    used.map(|register| register.register().full_register())
}

/// Whether the registers that say where it is still have their values: no instruction up to the sample wrote to them.
fn kept(memory: &UsedMemory, written: &[Register], is_next: bool) -> bool {
    let same = |register: Register| !written.contains(&register.full_register());
    is_next || (same(memory.base()) && same(memory.index()))
}

fn decoder(code: &[u8], address: u64) -> Decoder<'_> {
    Decoder::with_ip(64, code, address, DecoderOptions::NONE)
}

/// The instructions right before an address, at most [`BACK`], the last one last.
///
/// Instructions have no fixed length, but decoding from anywhere soon meets the right ones. So the ones that most begins
/// lead to are taken.
fn previous(code: &[u8], address: u64) -> Vec<Instruction> {
    let Some(code) = code.get(..BEFORE) else { return Vec::new() };
    let start = address.wrapping_sub(BEFORE as u64);
    let ways: Vec<Vec<Instruction>> =
        (0..BEFORE).filter_map(|at| way(&code[at..], start.wrapping_add(at as u64))).collect();
    let last = |way: &Vec<Instruction>| way.last().map(Instruction::ip);
    let votes = |ip: Option<u64>| ways.iter().filter(|way| last(way) == ip).count();
    let Some(best) = ways.iter().max_by_key(|way| (votes(last(way)), way.len())) else { return Vec::new() };
    // What a jump or a call leaves for good was not executed right before.
    let mut found: Vec<Instruction> = best.iter().rev().take_while(|one| straight(one)).take(BACK).copied().collect();
    found.reverse();
    found
}

/// The instructions of some bytes, if the last one ends with them.
fn way(code: &[u8], address: u64) -> Option<Vec<Instruction>> {
    let mut decoder = decoder(code, address);
    let mut found = Vec::new();
    while decoder.can_decode() {
        let one = decoder.decode();
        if one.is_invalid() {
            return None;
        }
        found.push(one);
    }
    Some(found)
}

/// What is known of the code at addresses that were met.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// By process and address.
    known: HashMap<i32, HashMap<u64, Vec<Operand>>>,
    /// How many addresses that are.
    many: usize,
}

impl Codes {
    /// The memory that the instructions around an address of a process use; none where the code cannot be read.
    ///
    /// `file` is the file that is mapped there, and the place in it. Code that a program makes is read from its memory,
    /// as long as it runs.
    pub(super) fn operands(&mut self, pid: i32, address: u64, file: Option<(&str, u64)>) -> &[Operand] {
        let known = self.known.entry(pid).or_default();
        if self.many >= MOST_KNOWN && !known.contains_key(&address) {
            return &[];
        }
        known.entry(address).or_insert_with(|| {
            self.many += 1;
            let code = match file {
                Some((path, at)) => bytes(Path::new(path), at),
                None => bytes(Path::new(&format!("/proc/{pid}/mem")), address),
            };
            code.map(|code| operands(&code, address)).unwrap_or_default()
        })
    }

    /// A process has ended, or executes another program: other code is at its addresses from now on.
    pub(super) fn forget(&mut self, pid: i32) {
        self.many -= self.known.remove(&pid).map_or(0, |known| known.len());
    }
}

/// The bytes around a place of a file.
fn bytes(path: &Path, at: u64) -> Option<Vec<u8>> {
    let mut code = vec![0; BEFORE + AFTER];
    let start = at.checked_sub(BEFORE as u64)?;
    let read = open(path).ok()?.read_at(&mut code, start).ok()?;
    code.truncate(read);
    (read > BEFORE).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: u64 = 0x40_1000;
    const NEXT: &[u8] = &[0x48, 0x8b, 0x16]; // mov rdx, [rsi]

    /// Where the memory is that instructions use right before one that reads at RSI: each register holds its place in
    /// the sample times 0x1000.
    fn found(before: &[u8]) -> Vec<(u64, bool)> {
        let mut code = vec![0x90; BEFORE - before.len()];
        code.extend_from_slice(before);
        code.extend_from_slice(NEXT);
        code.resize(BEFORE + AFTER, 0x90);
        let registers: Registers = Box::new(std::array::from_fn(|at| 0x1000 * at as u64));
        operands(&code, ADDRESS).iter().map(|one| (one.address(&registers), one.writes)).collect()
    }

    #[test]
    fn the_memory_of_the_instruction_before_comes_first() {
        // lock xadd [rdi + rax * 8 + 16], rcx
        assert_eq!(found(&[0xf0, 0x48, 0x0f, 0xc1, 0x4c, 0xc7, 0x10]), [(0x5010, true), (0x4000, false)]);
        // add [rip + 16], rcx
        assert_eq!(found(&[0x48, 0x01, 0x0d, 0x10, 0, 0, 0]), [(ADDRESS + 16, true), (0x4000, false)]);
        // mov [r8], rcx; add rbx, 1
        assert_eq!(found(&[0x49, 0x89, 0x08, 0x48, 0x83, 0xc3, 1]), [(0x4000, false), (0x8000, true)]);
    }

    #[test]
    fn memory_is_not_known_once_its_register_was_written_to() {
        // mov rax, [rax]
        assert_eq!(found(&[0x48, 0x8b, 0]), [(0x4000, false)]);
        // mov [rbx], rcx; add rbx, 1
        assert_eq!(found(&[0x48, 0x89, 0x0b, 0x48, 0x83, 0xc3, 1]), [(0x4000, false)]);
    }

    #[test]
    fn what_is_written_back_later_counts_as_written_to() {
        let after = |code: &[u8]| {
            let mut around = vec![0x90; BEFORE - 3];
            around.extend_from_slice(&[0x48, 0x8b, 0x07]); // mov rax, [rdi]
            around.extend_from_slice(code);
            around.resize(BEFORE + AFTER, 0x90);
            operands(&around, ADDRESS)[0].writes
        };
        // add rax, 1; jne over the next; mov [rdi], rax
        assert!(after(&[0x48, 0x83, 0xc0, 1, 0x75, 0, 0x48, 0x89, 0x07]));
        // mov [rdi + 8], rax
        assert!(!after(&[0x48, 0x89, 0x47, 8]), "another place");
        // add rdi, 8; mov [rdi], rax
        assert!(!after(&[0x48, 0x83, 0xc7, 8, 0x48, 0x89, 0x07]), "another address");
        // ret; mov [rdi], rax
        assert!(!after(&[0xc3, 0x48, 0x89, 0x07]), "never executed after it");
    }

    #[test]
    fn what_a_thread_has_for_itself_is_left_out() {
        // mov [rsp + 8], rcx
        assert_eq!(found(&[0x48, 0x89, 0x4c, 0x24, 8]), [(0x4000, false)]);
        // mov rax, fs:[0]
        assert_eq!(found(&[0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0]), [(0x4000, false)]);
    }

    #[test]
    fn what_a_return_leaves_was_not_executed_right_before() {
        // mov [rbx], rcx; ret
        assert_eq!(found(&[0x48, 0x89, 0x0b, 0xc3]), [(0x4000, false)]);
    }

    #[test]
    fn code_that_cannot_be_read_uses_no_memory() {
        let mut codes = Codes::default();
        assert_eq!(codes.operands(1, 0x1000, Some(("/nowhere", 0x1000))), []);
        assert_eq!(codes.operands(1, 0x1000, Some(("/proc/self/exe", 3))), [], "before the begin");
        assert_eq!(operands(&[0x90; 3], 0x1000), []);
        assert_eq!(operands(&[0x90; BEFORE + AFTER], 1), [], "at the begin of all memory");
    }

    #[test]
    fn another_program_of_a_process_has_other_code_at_an_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let mut codes = Codes::default();
        // mov rdx, [rsi]; and of another program mov rdx, [rdi]
        let bases = [[0x48, 0x8b, 0x16], [0x48, 0x8b, 0x17]].map(|next| {
            let code = [&[0x90; BEFORE][..], &next, &[0x90; AFTER]].concat();
            std::fs::write(&path, code).unwrap();
            let found = codes.operands(7, ADDRESS, Some((path.to_str().unwrap(), BEFORE as u64)));
            let base = found[0].base;
            codes.forget(7);
            base
        });
        assert_eq!(bases, [Some(4), Some(5)]);
        assert_eq!((codes.known.len(), codes.many), (0, 0));
    }

    #[test]
    fn code_of_a_running_program_is_read_from_its_memory() {
        let here = code_of_a_running_program_is_read_from_its_memory as fn() as usize as u64;
        let own = std::process::id().cast_signed();
        let read = bytes(Path::new(&format!("/proc/{own}/mem")), here).unwrap();
        assert_eq!(read.len(), BEFORE + AFTER);
    }
}
