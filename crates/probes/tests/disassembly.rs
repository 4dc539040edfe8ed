//! Checks the compiled loops of the probes: number and width of loads and stores.

#![cfg(target_arch = "x86_64")]

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;

use knee_probes::isa::{Isa, Kernel, STEP};

/// What a round of a loop does to memory.
#[derive(Debug, Default, PartialEq, Eq)]
struct Traffic {
    loaded: usize,
    stored: usize,
    stored_past_caches: usize,
    /// Bytes by which the arrays' addresses advance.
    step: usize,
}

/// The program's functions: for each its lines, address and instruction.
fn functions() -> Option<BTreeMap<String, Vec<(u64, String)>>> {
    let program = std::env::current_exe().expect("this program has a path");
    let done =
        Command::new("objdump").args(["-d", "-C", "-M", "intel", "--no-show-raw-insn"]).arg(program).output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut functions = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        if let Some((_, found)) = line.strip_suffix(">:").and_then(|head| head.split_once(" <")) {
            found.clone_into(&mut name);
        } else if let Some((address, instruction)) = line.trim().split_once(":\t")
            && let Ok(address) = u64::from_str_radix(address, 16)
        {
            functions.entry(name.clone()).or_insert_with(Vec::new).push((address, instruction.trim().to_owned()));
        }
    }
    Some(functions)
}

/// The lines from where a backward jump leads to up to the jump.
fn round(lines: &[(u64, String)]) -> &[(u64, String)] {
    let target = |instruction: &str| {
        let rest = instruction.strip_prefix('j')?.split_whitespace().nth(1)?;
        u64::from_str_radix(rest, 16).ok()
    };
    let jump = lines.iter().position(|(address, line)| target(line).is_some_and(|to| to < *address));
    let jump = jump.expect("there is a loop");
    let to = target(&lines[jump].1).expect("it is a jump");
    let begin = lines.iter().position(|(address, _)| *address == to).expect("it leads into the function");
    &lines[begin..=jump]
}

fn traffic(lines: &[(u64, String)]) -> Traffic {
    let mut found = Traffic::default();
    let mut steps = Vec::new();
    for (_, line) in lines {
        let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let operands = operands.trim();
        let width =
            ["XMMWORD", "YMMWORD", "ZMMWORD"].iter().position(|word| operands.contains(word)).map(|at| 16 << at);
        match width {
            // What `b` is multiplied by is one line that stays in the first cache.
            Some(_) if name.contains("mul") => {}
            Some(width) if operands.starts_with(['X', 'Y', 'Z']) => {
                found.stored += width;
                found.stored_past_caches += if name.contains("movnt") { width } else { 0 };
            }
            // So does what is written.
            Some(width) if !operands.starts_with("xmm7") || operands.contains("+0x") => found.loaded += width,
            Some(_) | None => {}
        }
        if name == "add"
            && let Some(step) = operands.split_once(",0x").and_then(|(_, hex)| usize::from_str_radix(hex, 16).ok())
        {
            steps.push(step);
        }
        if name == "sub"
            && let Some(step) =
                operands.split_once(",0xffffffffffffff").and_then(|(_, hex)| usize::from_str_radix(hex, 16).ok())
        {
            // An addition of 128 is shorter as a subtraction of -128.
            steps.push(256 - step);
        }
    }
    steps.sort_unstable();
    found.step = steps.first().copied().unwrap_or(0);
    found
}

#[test]
fn loops_move_what_they_say() {
    let Some(functions) = functions() else {
        let note = "SKIPPED crates/probes/tests/disassembly.rs: there is no objdump: install binutils";
        eprintln!("{note}");
        if let Some(skips) = std::env::var_os("KNEE_SKIPS") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(skips);
            // In one write: other tests write there as well.
            file.and_then(|mut file| file.write_all(format!("{note}\n").as_bytes())).unwrap();
        }
        return;
    };
    // Makes the linker keep all of them.
    assert!(!Isa::all().is_empty());
    for (set, width) in [("sse2", 16), ("avx2", 32), ("avx512", 64)] {
        for kernel in Kernel::ALL {
            let name = format!("knee_probes::isa::x86::{set}::{}", kernel.name().replace('-', "_"));
            let lines = functions.get(&name).unwrap_or_else(|| panic!("{name} is in the program"));
            let step = 8 * width;
            assert!(STEP.is_multiple_of(step));
            let past = kernel.name().ends_with("-nt");
            let writes = kernel != Kernel::Read;
            let expected = Traffic {
                loaded: step * (kernel.streams() - usize::from(writes)),
                stored: if writes { step } else { 0 },
                stored_past_caches: if past { step } else { 0 },
                step,
            };
            let mut found = traffic(round(lines));
            if matches!(kernel, Kernel::Write | Kernel::WriteNt) {
                // The register that is stored is loaded again each round, from the first cache.
                found.loaded = 0;
            }
            assert_eq!(found, expected, "{name}:\n{lines:#?}");
        }
    }
}
