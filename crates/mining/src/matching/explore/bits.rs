//! A bit for each vertex of a graph.

pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// None set.
    pub(super) fn over(vertices: usize) -> Self {
        Self(vec![0; vertices.div_ceil(64)])
    }

    pub(super) fn set(&mut self, members: &[u32]) {
        for &member in members {
            self.0[member as usize / 64] |= 1 << (member % 64);
        }
    }

    /// Clears all, where these are the ones that are set.
    pub(super) fn wipe(&mut self, members: &[u32]) {
        for &member in members {
            self.0[member as usize / 64] = 0;
        }
    }

    pub(super) fn at(&self, vertex: u32) -> u64 {
        self.0[vertex as usize / 64] >> (vertex % 64) & 1
    }
}

/// The neighbours of one vertex at a time.
pub(super) struct Neighbourhood<'a> {
    members: &'a [u32],
    bits: Bits,
}

impl<'a> Neighbourhood<'a> {
    pub(super) fn over(vertices: usize) -> Self {
        Self { members: &[], bits: Bits::over(vertices) }
    }

    pub(super) fn hold(&mut self, members: &'a [u32]) {
        self.bits.wipe(std::mem::replace(&mut self.members, members));
        self.bits.set(members);
    }

    pub(super) fn has(&self, vertex: u32) -> bool {
        self.bits.at(vertex) == 1
    }
}

/// For each vertex a number; zero for most.
pub(super) struct Numbers {
    numbers: Vec<u32>,
    /// Those that are not zero.
    touched: Vec<u32>,
}

impl Numbers {
    pub(super) fn over(vertices: usize) -> Self {
        Self { numbers: vec![0; vertices], touched: Vec::new() }
    }

    pub(super) fn add_one(&mut self, members: &[u32]) {
        for &member in members {
            let number = &mut self.numbers[member as usize];
            if *number == 0 {
                self.touched.push(member);
            }
            *number += 1;
        }
    }

    pub(super) fn wipe(&mut self) {
        for member in self.touched.drain(..) {
            self.numbers[member as usize] = 0;
        }
    }

    pub(super) fn at(&self, vertex: u32) -> u64 {
        u64::from(self.numbers[vertex as usize])
    }
}
