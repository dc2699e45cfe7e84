//! Reading and writing stored numbers and bytes: every length is checked before it is used.

/// What is wrong with some bytes. The caller knows the file and the offset.
pub(crate) type Damage = String;

/// Bytes being decoded. Everything fails at the end of them, nothing panics.
#[derive(Debug, Clone)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    length: usize,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, length: bytes.len() }
    }

    /// Bytes consumed so far.
    pub(crate) fn position(&self) -> usize {
        self.length - self.bytes.len()
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let Some((taken, rest)) = self.bytes.split_at_checked(length) else {
            return Err(format!(
                "{length} bytes wanted at {} of {}, which is too short",
                self.position(),
                self.length
            ));
        };
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Damage> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damage> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Damage> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn varint(&mut self) -> Result<u64, Damage> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(format!("varint of more than 64 bits before {} of {}", self.position(), self.length))
    }

    /// A length that something in memory has.
    pub(crate) fn varlen(&mut self) -> Result<usize, Damage> {
        let length = self.varint()?;
        usize::try_from(length).map_err(|_| format!("length {length}"))
    }

    /// A length of 32 bits and as many bytes.
    pub(crate) fn block(&mut self) -> Result<&'a [u8], Damage> {
        let length = self.u32()? as usize;
        self.bytes(length)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn end(&self) -> Result<(), Damage> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        Err(format!("{} bytes too many after {}", self.bytes.len(), self.position()))
    }
}

/// Appends seven bits a byte, the lowest first; the high bit says that more follow.
pub(crate) fn append_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).expect("seven bits") | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).expect("seven bits"));
}

/// Appends a length of 32 bits and the bytes.
pub(crate) fn put_block(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).expect("stored blocks are bounded far below 4 GiB");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(bytes);
}
