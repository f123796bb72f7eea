//! The statistics by which the papers summarize a set of times.

use otus_draw::layout::plot::Spread;

/// The statistics of a set of numbers, as in the papers' tables.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Statistics {
    /// The least number.
    pub min: f64,
    /// The first quartile.
    pub q1: f64,
    /// The second quartile.
    pub median: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The third quartile.
    pub q3: f64,
    /// The greatest number.
    pub max: f64,
    /// The standard deviation, as of a sample.
    pub sd: f64,
}

impl Statistics {
    /// The names of the statistics, in the papers' order.
    pub const NAMES: [&'static str; 7] = ["min", "q1", "median", "mean", "q3", "max", "sd"];

    /// The statistics of some values, with quartiles interpolated between neighbours; all are zero without values.
    pub fn of(values: &[f64]) -> Statistics {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Statistics::default();
        };
        let last = sorted.len() - 1;
        let quartile = |quarters: usize| {
            let (below, rest) = (last * quarters / 4, last * quarters % 4);
            let above = sorted[(below + 1).min(last)];
            sorted[below] + (above - sorted[below]) * number(rest) / 4.0
        };
        let mean = sorted.iter().sum::<f64>() / number(sorted.len());
        let squares: f64 = sorted.iter().map(|value| (value - mean) * (value - mean)).sum();
        let sd = (squares / number(last.max(1))).sqrt();
        Statistics { min, q1: quartile(1), median: quartile(2), mean, q3: quartile(3), max, sd }
    }

    /// The statistics, in the order of [`Statistics::NAMES`].
    pub fn values(&self) -> [f64; 7] {
        [self.min, self.q1, self.median, self.mean, self.q3, self.max, self.sd]
    }

    /// The statistics with these values, in the order of [`Statistics::NAMES`].
    pub fn from_values([min, q1, median, mean, q3, max, sd]: [f64; 7]) -> Statistics {
        Statistics { min, q1, median, mean, q3, max, sd }
    }

    /// The numbers that a box plot shows.
    pub fn spread(&self) -> Spread {
        Spread { min: self.min, q1: self.q1, median: self.median, q3: self.q3, max: self.max }
    }
}

/// The median of some numbers.
pub fn median(values: &[f64]) -> f64 {
    Statistics::of(values).median
}

/// A count as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2⁵²")]
pub fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "quarters are exact")]
    fn quartiles_are_interpolated() {
        let values = |values: &[f64]| Statistics::of(values).values();
        assert_eq!(values(&[]), [0.0; 7]);
        assert_eq!(values(&[7.0]), [7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 0.0]);
        assert_eq!(values(&[4.0, 1.0, 3.0, 2.0])[..6], [1.0, 1.75, 2.5, 2.5, 3.25, 4.0]);
        assert_eq!(
            values(&[5.0, 4.0, 3.0, 2.0, 1.0]),
            [1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 2.5_f64.sqrt()]
        );
    }
}
