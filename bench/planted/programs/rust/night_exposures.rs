//! Serial part: reduces the exposures of a telescope night by night: flat field, median filter, brightest star.
//!
//! The dial is the share of a night's exposures that are calibration frames. The lead reduces these alone before the
//! night's other frames are dealt out evenly to all threads. The work on a frame is the same either way.

mod work;

const NIGHTS: usize = 8;
const SIDE: usize = 40;

type Frame = [[u16; SIDE]; SIDE];

/// What the camera saw: a sloping sky with noise, a few stars, and hot pixels.
fn expose(number: usize, frame: &mut Frame) {
    let mut seed = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut draw = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 32) as usize
    };
    for (y, row) in frame.iter_mut().enumerate() {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = (300 + 2 * x + 3 * y + draw() % 64) as u16;
        }
    }
    for _ in 0..5 {
        let (x, y, light) = (2 + draw() % (SIDE - 4), 2 + draw() % (SIDE - 4), 1000 + draw() % 6000);
        for dy in 0..5usize {
            for dx in 0..5usize {
                let far = dx.abs_diff(2) + dy.abs_diff(2);
                frame[y + dy - 2][x + dx - 2] += (light >> far) as u16;
            }
        }
    }
    for _ in 0..12 {
        frame[draw() % SIDE][draw() % SIDE] = 60_000;
    }
}

/// The middle one of nine values, by a partial sort of exchanges.
fn median(mut v: [u16; 9]) -> u16 {
    for (a, b) in [
        (1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3), (5, 8), (4, 7), (3, 6), (1, 4),
        (2, 5), (4, 7), (4, 2), (6, 4), (4, 2),
    ] {
        (v[a], v[b]) = (v[a].min(v[b]), v[a].max(v[b]));
    }
    v[4]
}

/// One exposure from camera to catalogue entry: the light and the place of its brightest star.
fn reduce(number: usize) -> u64 {
    let mut raw: Frame = [[0; SIDE]; SIDE];
    let mut clean: Frame = [[0; SIDE]; SIDE];
    expose(number, &mut raw);
    for y in 1..SIDE - 1 {
        for x in 1..SIDE - 1 {
            let mut near = [0; 9];
            for (slot, value) in near.iter_mut().enumerate() {
                *value = raw[y + slot / 3 - 1][x + slot % 3 - 1];
            }
            clean[y][x] = median(near);
        }
    }
    let mut levels = [0u32; 256];
    for pixel in clean.iter().flatten() {
        levels[(*pixel >> 3).min(255) as usize] += 1;
    }
    let (mut seen, mut sky) = (0, 0);
    while seen < (SIDE * SIDE / 2) as u32 {
        seen += levels[sky];
        sky += 1;
    }
    let (mut peak, mut place) = (0, 0);
    for y in 2..SIDE - 2 {
        for x in 2..SIDE - 2 {
            let light: u64 = (y - 1..=y + 1).map(|v| clean[v][x - 1..=x + 1].iter().map(|p| *p as u64).sum::<u64>()).sum();
            if light > peak {
                (peak, place) = (light, y * SIDE + x);
            }
        }
    }
    (peak << 20 | (place as u64) << 8 | sky as u64).wrapping_mul(number as u64 | 1)
}

fn main() {
    let asked = work::arguments();
    let mut catalogue = 0u64;
    for night in 0..NIGHTS {
        let (opens, closes) = (asked.work * night / NIGHTS, asked.work * (night + 1) / NIGHTS);
        let dusk = opens + ((closes - opens) as f64 * asked.dial) as usize;
        let flats = (opens..dusk).map(reduce).fold(0, u64::wrapping_add);
        let frames = asked.in_threads(|thread| {
            let share = |t: usize| dusk + (closes - dusk) * t / asked.threads;
            (share(thread)..share(thread + 1)).map(reduce).fold(0, u64::wrapping_add)
        });
        catalogue = catalogue.rotate_left(9) ^ flats.wrapping_add(frames);
    }
    println!("{catalogue:016x}");
}
