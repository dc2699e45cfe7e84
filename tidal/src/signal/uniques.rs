//! How many different users: a set while they are few, a sketch beyond.
//!
//! 1. Up to [`EXACT_UNIQUES`] users are a sorted list, and the count is exact.
//! 2. Beyond, 1,024 registers of HyperLogLog: a user's hash picks a register by its low 10 bits, and the register keeps
//!    the longest run of leading zeros (plus one) of the other 54 bits that it has seen.
//! 3. The estimate is the one of Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017),
//!    section 4: without bias over the whole range. Standard error 1.04 / sqrt(1024) = 3.3 %.
//!
//! Both forms depend only on the set of users, not on the order or number of their events.

use crate::id::Row;

/// Most users that are counted exactly.
pub const EXACT_UNIQUES: usize = 256;

pub(crate) const REGISTERS: usize = 1 << REGISTER_BITS;
const REGISTER_BITS: u32 = 10;
const HASH_BITS: u8 = 54;
const _: () = assert!(HASH_BITS as u32 + REGISTER_BITS == u64::BITS);

/// Different users of one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Uniques {
    /// Sorted, without doubles.
    Few(Vec<u32>),
    Many(Box<[u8; REGISTERS]>),
}

impl Uniques {
    pub(crate) fn new() -> Uniques {
        Uniques::Few(Vec::new())
    }

    pub(crate) fn add(&mut self, user: Row) {
        match self {
            Uniques::Few(users) => {
                let Err(place) = users.binary_search(&user.0) else {
                    return;
                };
                if users.len() < EXACT_UNIQUES {
                    if users.len() == users.capacity() {
                        users.reserve_exact((users.len() / 4).max(3));
                    }
                    users.insert(place, user.0);
                } else {
                    let mut registers = Box::new([0; REGISTERS]);
                    for user in users.iter().copied().chain([user.0]) {
                        register(&mut registers, user);
                    }
                    *self = Uniques::Many(registers);
                }
            }
            Uniques::Many(registers) => register(registers, user.0),
        }
    }

    pub(crate) fn count(&self) -> f64 {
        match self {
            Uniques::Few(users) => users.len() as f64,
            Uniques::Many(registers) => estimate(registers),
        }
    }

    /// Whether this could have come about by [`Uniques::add`].
    pub(crate) fn is_valid(&self) -> bool {
        match self {
            Uniques::Few(users) => {
                users.len() <= EXACT_UNIQUES && users.windows(2).all(|pair| pair[0] < pair[1])
            }
            Uniques::Many(registers) => registers.iter().all(|rank| *rank <= HASH_BITS + 1),
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Uniques::Few(users) => users.capacity() * size_of::<u32>(),
            Uniques::Many(_) => REGISTERS,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a place is below 1,024 and a rank at most 55")]
fn register(registers: &mut [u8; REGISTERS], user: u32) {
    let hash = mix(u64::from(user));
    let place = (hash % REGISTERS as u64) as usize;
    // The lowest bit set stands for the end of the hash, so that the rank ends at 55.
    let rest = (hash >> REGISTER_BITS << REGISTER_BITS) | (1 << (REGISTER_BITS - 1));
    let rank = rest.leading_zeros() as u8 + 1;
    registers[place] = registers[place].max(rank);
}

/// The finaliser of SplitMix64: every bit of the row reaches every bit of the hash.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn estimate(registers: &[u8; REGISTERS]) -> f64 {
    let m = REGISTERS as f64;
    let mut histogram = [0_u32; HASH_BITS as usize + 2];
    for rank in registers {
        histogram[usize::from(*rank)] += 1;
    }
    let last = usize::from(HASH_BITS) + 1;
    let mut z = m * tau(1.0 - f64::from(histogram[last]) / m);
    for count in histogram[1..last].iter().rev() {
        z = 0.5 * (z + f64::from(*count));
    }
    z += m * sigma(f64::from(histogram[0]) / m);
    m * m / (2.0 * std::f64::consts::LN_2 * z)
}

fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let mut y = 1.0;
    let mut z = x;
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z <= before {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let mut y = 1.0;
    let mut z = 1.0 - x;
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z >= before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests;
