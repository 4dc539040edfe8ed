//! Complex numbers for the transform.

use std::ops::{Add, Mul, Sub};

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    /// e^(-2πi · part / whole).
    pub(super) fn root(part: usize, whole: usize) -> Self {
        let (sin, cos) = (-std::f64::consts::TAU * (part as f64 / whole as f64)).sin_cos();
        Self { re: cos, im: sin }
    }

    pub(super) fn conjugate(self) -> Self {
        Self { im: -self.im, ..self }
    }

    /// This times -i.
    pub(super) fn turned(self) -> Self {
        Self { re: self.im, im: -self.re }
    }

    /// The square of its magnitude.
    pub(super) fn energy(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The Fourier transform at one frequency, by its definition.
pub(super) fn direct(signal: &[Complex], frequency: usize) -> Complex {
    /// Roots that are computed once; one more rotates them to the beginning of a stretch of the signal.
    const STRETCH: usize = 256;
    let root = |time: usize| Complex::root(time * frequency % signal.len(), signal.len());
    let roots: Vec<_> = (0..STRETCH).map(root).collect();
    let stretch = |(index, values): (usize, &[Complex])| {
        let terms = values.iter().zip(&roots).map(|(&value, &root)| value * root);
        root(index * STRETCH) * terms.fold(Complex::default(), Add::add)
    };
    signal.chunks(STRETCH).enumerate().map(stretch).fold(Complex::default(), Add::add)
}
