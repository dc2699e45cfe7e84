//! The generator behind both sources of randomness.

/// xoshiro256** (Blackman and Vigna), which passes the usual batteries and has a period of 2^256 - 1.
#[derive(Debug, Clone)]
pub(crate) struct Generator {
    state: [u64; 4],
}

impl Generator {
    /// A generator whose numbers are a function of the seed. The seed is spread by splitmix64, as its authors advise.
    pub(crate) fn from_seed(seed: u64) -> Generator {
        let mut spread = seed;
        let state = std::array::from_fn(|_| {
            spread = spread.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (spread ^ (spread >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Generator::from_state(state)
    }

    /// A generator with this state; all zeros, from which it would never leave, is replaced.
    pub(crate) fn from_state(state: [u64; 4]) -> Generator {
        if state == [0; 4] { Generator::from_seed(0) } else { Generator { state } }
    }

    /// The next 64 bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`, which is not 0. Uneven by less than `bound` / 2^64.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no number is below 0");
        let wide = u128::from(self.next_u64()) * u128::from(bound);
        u64::try_from(wide >> 64).expect("the upper half of 128 bits is 64 bits")
    }
}

#[cfg(test)]
mod tests;
