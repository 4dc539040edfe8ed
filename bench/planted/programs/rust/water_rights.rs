//! Water rights of a dry valley: who must close the headgate when the river carries too little?
//!
//! Sleeping lock. The rights stand in a register, oldest first, and a question walks down the whole register and hands
//! out the flow of that day, hour by hour. The register counts how often each right was consulted. Clerks have a copy of their own;
//! the dial is the share of the questions that are put to the court's register, which is one structure behind one mutex.
use std::collections::BTreeMap;
use std::env;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What makes a right older than another: the year, then the number of the decree.
type Priority = (u16, u32);

#[derive(Clone)]
struct Right {
    reach: u32,
    cubic_feet: u64,
    consulted: u64,
}

#[derive(Clone, Default)]
struct Register {
    by_age: BTreeMap<Priority, Right>,
}

impl Register {
    fn recorded(decrees: u32) -> Self {
        let mut register = Register::default();
        let mut noise = 0x2545_F491_4F6C_DD1Du64;
        for decree in 0..decrees {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            let year = 1862 + (noise % 120) as u16;
            let right = Right { reach: (noise >> 20) as u32 % 32, cubic_feet: 3 + (noise >> 40) % 60, consulted: 0 };
            register.by_age.insert((year, decree), right);
        }
        register
    }

    /// Hand out the flow of a day, hour by hour; return a number that says who got how much.
    fn administer(&mut self, day: u64) -> u64 {
        let mut flow = day.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut call = 0u64;
        for _hour in 0..24 {
            let mut left = [0u64; 32];
            for reach in &mut left {
                flow = flow.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *reach = 40 + (flow >> 56);
            }
            for ((year, decree), right) in &mut self.by_age {
                let reach = right.reach as usize;
                let given = right.cubic_feet.min(left[reach]);
                left[reach] -= given;
                if given < right.cubic_feet {
                    call = call.rotate_left(5) ^ u64::from(*year) ^ u64::from(*decree) << 16;
                }
                right.consulted += 1;
                call = call.wrapping_mul(31).wrapping_add(given);
            }
        }
        call
    }

    fn consultations(&self) -> u64 {
        self.by_age.values().map(|right| right.consulted).sum()
    }
}

/// The register at the court.
#[derive(Clone)]
struct Court(Arc<Mutex<Register>>);

impl Court {
    fn administer(&self, day: u64) -> u64 {
        self.0.lock().unwrap().administer(day)
    }
}

fn disputed(day: u64, share: f64) -> bool {
    let mut x = (day + 77).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 31).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x >> 16) % 1_000_000) < (share * 1e6) as u64
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let clerks: u64 = words[0].parse().unwrap();
    let share: f64 = words[1].parse().unwrap();
    let days: u64 = words[2].parse().unwrap();
    let printed = Arc::new(Register::recorded(240));
    let court = Court(Arc::new(Mutex::new(Register::clone(&printed))));
    let desks: Vec<JoinHandle<(u64, u64)>> = (0..clerks)
        .map(|clerk| {
            let court = court.clone();
            let printed = Arc::clone(&printed);
            thread::spawn(move || {
                let mut own = Register::clone(&printed);
                let mut calls = 0u64;
                for day in days * clerk / clerks..days * (clerk + 1) / clerks {
                    let call = if disputed(day, share) { court.administer(day) } else { own.administer(day) };
                    calls = calls.wrapping_add(call);
                }
                (calls, own.consultations())
            })
        })
        .collect();
    let mut calls = 0u64;
    let mut consultations = 0;
    for desk in desks {
        let (some, consulted) = desk.join().unwrap();
        calls = calls.wrapping_add(some);
        consultations += consulted;
    }
    consultations += court.0.lock().unwrap().consultations();
    println!("{calls:016x} {consultations}");
}
