//! The table as bytes: `docs/format/signal-table.md`.

use crate::error::{Error, Result};
use crate::id::Row;

use super::buckets::{Bucket, Buckets};
use super::cell::Cell;
use super::column::{Column, Form, Parts};
use super::decay::{Decay, Point, Points};
use super::table::{MAX_MICROS, SignalTable};
use super::uniques::{REGISTERS, Uniques};
use super::window::Resolution;

const VERSION: u8 = 1;

const HALF_LIVES: u8 = 0;
const LINEAR: u8 = 1;
const NO_DECAY: u8 = 2;

const FEW: u8 = 0;
const MANY: u8 = 1;

/// More events of one cell than there can be, and more than their weights can sum up to, forward decay included.
const MAX_EVENTS: u64 = 1 << 47;
const MAX_SUM: f64 = 1e50;

/// Bytes of a bucket: key, count, sum.
const BUCKET_BYTES: usize = 2 + 8 + 8;
/// Bytes of a point: time, weight.
const POINT_BYTES: usize = 8 + 8;
/// Fewest bytes of a cell: row, newest, count, sum, three empty sections, no users.
const CELL_BYTES: usize = 4 + 8 + 8 + 8 + 3 * 2 + 1 + 2;

impl SignalTable {
    /// The whole table. Rows are in order, so that equal states give equal bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_u32(&mut out, self.columns.len());
        for column in &self.columns {
            encode_form(&mut out, column.form());
            put_u32(&mut out, column.cells.len());
            let mut places: Vec<usize> = (0..column.cells.len()).collect();
            places.sort_unstable_by_key(|place| column.rows[*place]);
            for place in places {
                encode_cell(&mut out, column, place);
            }
        }
        out
    }

    /// The table that [`SignalTable::encode`] wrote, for the same signals or for more: signals that were added to the
    /// end of the list since start empty.
    ///
    /// # Errors
    /// `Corrupt` for any other bytes, and for the bytes of a table whose signals decay otherwise.
    pub fn decode(decays: &[Decay], bytes: &[u8]) -> Result<SignalTable> {
        let mut input = Input { bytes, at: 0 };
        let version = input.u8()?;
        if version != VERSION {
            return Err(input.error(&format!("version {version}, known is {VERSION}")));
        }
        let signals = input.u32()? as usize;
        if signals > decays.len() {
            return Err(input.error(&format!("{signals} signals, the schema has {}", decays.len())));
        }
        let mut table = SignalTable::new(decays);
        for column in &mut table.columns[..signals] {
            decode_column(&mut input, column)?;
        }
        if input.at != bytes.len() {
            return Err(input.error("bytes after the end"));
        }
        Ok(table)
    }
}

fn encode_form(out: &mut Vec<u8>, form: &Form) {
    match form {
        Form::HalfLives(half_lives) => {
            out.push(HALF_LIVES);
            put_u32(out, half_lives.len());
            for half_life in half_lives {
                out.extend(half_life.micros().to_le_bytes());
            }
        }
        Form::Linear(span) => {
            out.push(LINEAR);
            out.extend(span.to_le_bytes());
        }
        Form::None => out.push(NO_DECAY),
    }
}

fn encode_cell(out: &mut Vec<u8>, column: &Column, place: usize) {
    let (row, cell, sums, points) = column.parts(place);
    out.extend(row.0.to_le_bytes());
    out.extend(cell.newest.to_le_bytes());
    out.extend(cell.count.to_le_bytes());
    out.extend(cell.sum.to_le_bytes());
    for resolution in Resolution::ALL {
        let section = cell.buckets.section_buckets(resolution);
        put_u16(out, section.len());
        for bucket in section {
            out.extend(bucket.key.to_le_bytes());
            out.extend(bucket.count.to_le_bytes());
            out.extend(bucket.sum.to_le_bytes());
        }
    }
    match &cell.users {
        Uniques::Few(users) => {
            out.push(FEW);
            put_u16(out, users.len());
            out.extend(users.iter().flat_map(|user| user.to_le_bytes()));
        }
        Uniques::Many(registers) => {
            out.push(MANY);
            out.extend(registers.iter());
        }
    }
    out.extend(sums.iter().flat_map(|sum| sum.to_le_bytes()));
    if let Some(points) = points {
        put_u32(out, points.points().len());
        for point in points.points() {
            out.extend(point.at.to_le_bytes());
            out.extend(point.weight.to_le_bytes());
        }
    }
}

fn decode_column(input: &mut Input<'_>, column: &mut Column) -> Result<()> {
    let at = input.at;
    let mut expected = Vec::new();
    encode_form(&mut expected, column.form());
    if input.take(expected.len())? != expected {
        return Err(Error::corrupt(format!(
            "signal table, offset {at}: the decay is not the one of the schema"
        )));
    }
    let cells = input.length_u32(CELL_BYTES)?;
    let mut last: Option<Row> = None;
    for _ in 0..cells {
        let parts = decode_cell(input, column.form())?;
        if last.is_some_and(|last| last >= parts.row) {
            return Err(input.error("rows are not in order"));
        }
        last = Some(parts.row);
        column.push(parts);
    }
    Ok(())
}

fn decode_cell(input: &mut Input<'_>, form: &Form) -> Result<Parts> {
    let row = Row(input.u32()?);
    let newest = input.i64()?;
    let count = input.u64()?;
    let sum = input.f64()?;
    if newest.unsigned_abs() > MAX_MICROS.unsigned_abs() || !(1..=MAX_EVENTS).contains(&count) {
        return Err(input.error("a cell without events, or at an impossible time"));
    }
    let sections = [decode_section(input)?, decode_section(input)?, decode_section(input)?];
    let Some(buckets) = Buckets::from_sections(&sections, newest, count) else {
        return Err(input.error("buckets out of order, range or window"));
    };
    let users = match input.u8()? {
        FEW => {
            let count = input.length_u16(size_of::<u32>())?;
            Uniques::Few((0..count).map(|_| input.u32()).collect::<Result<_>>()?)
        }
        MANY => {
            let mut registers = Box::new([0; REGISTERS]);
            registers.copy_from_slice(input.take(REGISTERS)?);
            Uniques::Many(registers)
        }
        other => return Err(input.error(&format!("unknown form of users {other}"))),
    };
    if !users.is_valid() {
        return Err(input.error("users out of order or range"));
    }
    let sums = (0..form.half_lives().len()).map(|_| input.f64()).collect::<Result<_>>()?;
    let points = match form {
        Form::Linear(span) => {
            let count = input.length_u32(POINT_BYTES)?;
            let points = (0..count)
                .map(|_| Ok(Point { at: input.i64()?, weight: input.f64()? }))
                .collect::<Result<_>>()?;
            match Points::from_points(points, newest, *span) {
                Some(points) => points,
                None => return Err(input.error("events out of order or span")),
            }
        }
        Form::HalfLives(_) | Form::None => Points::default(),
    };
    Ok(Parts { row, cell: Cell { newest, count, sum, buckets, users }, sums, points })
}

fn decode_section(input: &mut Input<'_>) -> Result<Vec<Bucket>> {
    let count = input.length_u16(BUCKET_BYTES)?;
    (0..count).map(|_| Ok(Bucket { key: input.u16()?, count: input.u64()?, sum: input.f64()? })).collect()
}

fn put_u16(out: &mut Vec<u8>, length: usize) {
    out.extend(u16::try_from(length).expect("at most 366 buckets and 256 users").to_le_bytes());
}

fn put_u32(out: &mut Vec<u8>, length: usize) {
    out.extend(u32::try_from(length).expect("there are fewer than 2^32 of anything").to_le_bytes());
}

/// Bytes that are being read. Every read is checked; a length is believed only if that much can follow.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn error(&self, reason: &str) -> Error {
        Error::corrupt(format!("signal table, before offset {}: {reason}", self.at))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some(taken) = self.bytes[self.at..].get(..count) else {
            return Err(self.error(&format!("{count} more bytes expected")));
        };
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    fn f64(&mut self) -> Result<f64> {
        let value = f64::from_le_bytes(self.array()?);
        if value.abs() <= MAX_SUM { Ok(value) } else { Err(self.error("a sum out of range")) }
    }

    fn length_u16(&mut self, each: usize) -> Result<usize> {
        let length = usize::from(self.u16()?);
        self.fits(length, each)
    }

    fn length_u32(&mut self, each: usize) -> Result<usize> {
        let length = self.u32()? as usize;
        self.fits(length, each)
    }

    fn fits(&self, length: usize, each: usize) -> Result<usize> {
        if length <= (self.bytes.len() - self.at) / each {
            return Ok(length);
        }
        Err(self.error(&format!("a length of {length}, more than can follow")))
    }
}
