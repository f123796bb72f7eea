//! Monotone constraints between pairs of dimensions: the input of [`lattice`](super::Diagram::lattice).

use otus_core::budget::Stop;

use crate::pace::Pace;

/// The bounds that a value of one dimension sets for another one.
pub(crate) trait Clocks {
    /// The least value that `other` may have where `dimension` has `value`: monotone in `value`, 0 for the
    /// value 0, and at most the bound of `other`.
    fn lower(&self, dimension: usize, value: u32, other: usize) -> u32;

    /// The greatest value that `other` may have where `dimension` has `value`: the greatest `y` with
    /// `lower(other, y, dimension) <= value`.
    fn upper(&self, dimension: usize, value: u32, other: usize) -> u32;
}

/// Clocks as tables: every bound is one lookup.
#[derive(Debug, Clone)]
pub(crate) struct ClockTable {
    dimensions: usize,
    /// For each dimension: a table with one row per value and one column per other dimension.
    lower: Vec<Vec<u32>>,
    upper: Vec<Vec<u32>>,
}

impl ClockTable {
    /// The tables of `lower`, which is called in ascending order of values from 1 on. A result that is less than
    /// an earlier one is replaced by the earlier one, so that the table is monotone. No entry exceeds the bound.
    pub(crate) fn new(
        bounds: &[u32],
        mut lower: impl FnMut(usize, u32, usize) -> u32,
        pace: &mut Pace,
    ) -> Result<Self, Stop> {
        let dimensions = bounds.len();
        pace.budget.check_bytes(ClockTable::bytes(bounds))?;
        let mut below: Vec<Vec<u32>> = Vec::with_capacity(dimensions);
        for (dimension, &bound) in bounds.iter().enumerate() {
            let mut reached = vec![0; dimensions];
            let mut rows = Vec::with_capacity((bound as usize + 1) * dimensions);
            rows.extend_from_slice(&reached);
            for value in 1..=bound {
                pace.step(dimensions)?;
                for (other, reached) in reached.iter_mut().enumerate() {
                    if other != dimension {
                        *reached = lower(dimension, value, other).min(bounds[other]).max(*reached);
                    }
                }
                rows.extend_from_slice(&reached);
            }
            below.push(rows);
        }
        let mut above = Vec::with_capacity(dimensions);
        for (dimension, &bound) in bounds.iter().enumerate() {
            let mut rows = Vec::with_capacity((bound as usize + 1) * dimensions);
            // Both sides are monotone, so one pass along each suffices.
            let mut reached = vec![0_u32; dimensions];
            for value in 0..=bound {
                pace.step(dimensions)?;
                for (other, reached) in reached.iter_mut().enumerate() {
                    let demands = |next: u32| below[other][next as usize * dimensions + dimension];
                    while other != dimension
                        && *reached < bounds[other]
                        && demands(*reached + 1) <= value
                    {
                        *reached += 1;
                    }
                }
                rows.extend_from_slice(&reached);
            }
            above.push(rows);
        }
        Ok(ClockTable { dimensions, lower: below, upper: above })
    }

    /// The number of bytes that the tables for some bounds take.
    pub(crate) fn bytes(bounds: &[u32]) -> usize {
        let rows: usize = bounds.iter().map(|&bound| bound as usize + 1).sum();
        rows.saturating_mul(2 * bounds.len() * size_of::<u32>())
    }
}

impl Clocks for ClockTable {
    #[inline]
    fn lower(&self, dimension: usize, value: u32, other: usize) -> u32 {
        self.lower[dimension][value as usize * self.dimensions + other]
    }

    #[inline]
    fn upper(&self, dimension: usize, value: u32, other: usize) -> u32 {
        self.upper[dimension][value as usize * self.dimensions + other]
    }
}
