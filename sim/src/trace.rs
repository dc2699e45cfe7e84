//! A running hash of what happened.

use std::fmt::{self, Write};

/// FNV-1a over everything that is written to it: a fingerprint, not a checksum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trace(u64);

impl Trace {
    pub(crate) fn new() -> Trace {
        Trace(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, what: &impl fmt::Debug) {
        write!(self, "{what:?};").expect("writing into a hash cannot fail");
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

impl Write for Trace {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
