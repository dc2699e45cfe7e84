//! Places by row.

use super::bits::Bits;

/// Mean radius of the earth in metres (IUGG).
const EARTH_RADIUS_M: f64 = 6_371_008.8;

/// Latitudes and longitudes in degrees, and who has one.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    places: Vec<(f64, f64)>,
    present: Bits,
}

impl Places {
    pub(super) fn set(&mut self, row: u32, latitude: f64, longitude: f64) {
        let at = row as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, (0.0, 0.0));
        }
        self.places[at] = (latitude, longitude);
        self.present.set(row);
    }

    pub(super) fn clear(&mut self, row: u32) {
        self.present.clear(row);
    }

    pub(super) fn get(&self, row: u32) -> Option<(f64, f64)> {
        self.present.contains(row).then(|| self.places[row as usize])
    }

    pub(super) fn present(&self) -> &Bits {
        &self.present
    }

    pub(super) fn check_invariants(&self) -> Result<(), String> {
        match self.present.words().len() == self.places.len().div_ceil(64) {
            true => Ok(()),
            false => {
                Err(format!("{} places, {} words of presence", self.places.len(), self.present.words().len()))
            }
        }
    }
}

/// Metres between two places along a great circle of a sphere, by the haversine formula, which is exact for small
/// distances too. The earth is no sphere: within 0.6 percent.
pub(crate) fn distance_m(from: (f64, f64), to: (f64, f64)) -> f64 {
    let (from_latitude, to_latitude) = (from.0.to_radians(), to.0.to_radians());
    let half_latitude = ((to.0 - from.0).to_radians() / 2.0).sin();
    let half_longitude = ((to.1 - from.1).to_radians() / 2.0).sin();
    let squared = half_latitude * half_latitude
        + from_latitude.cos() * to_latitude.cos() * half_longitude * half_longitude;
    // Rounding can bring it above 1 for opposite points.
    2.0 * EARTH_RADIUS_M * squared.min(1.0).sqrt().asin()
}
