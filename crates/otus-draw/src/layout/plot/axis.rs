//! Axes: round ranges and readable ticks.

use crate::geometry::float;

/// An axis before its range is known.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    /// The quantity, with its unit.
    pub label: String,
    /// The scale.
    pub scale: Scale,
    /// The format of numbers.
    pub unit: Unit,
}

/// The scale of an axis.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Scale {
    /// Linear, from zero on if no number is negative.
    #[default]
    Linear,
    /// Logarithmic; only for positive numbers.
    Log,
    /// Categories: 0 is the first name, 1 the second.
    Names(Vec<String>),
}

/// The format of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Plain.
    #[default]
    Plain,
    /// Times, given in seconds.
    Seconds,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Log, unit: Unit::Plain }
    }

    /// A linear axis of times.
    pub fn seconds(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Linear, unit: Unit::Seconds }
    }

    /// A logarithmic axis of times.
    pub fn log_seconds(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Log, unit: Unit::Seconds }
    }

    /// An axis of categories.
    pub fn names<T: Into<String>>(
        label: impl Into<String>,
        names: impl IntoIterator<Item = T>,
    ) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Axis { label: label.into(), scale: Scale::Names(names), unit: Unit::Plain }
    }
}

impl Scale {
    /// Whether the axis can show a number.
    pub fn shows(&self, value: f64) -> bool {
        match self {
            Scale::Linear | Scale::Names(_) => value.is_finite(),
            Scale::Log => value.is_finite() && value > 0.0,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Ruler {
    scale: Scale,
    unit: Unit,
    /// The ends of the range; on a logarithmic axis, their logarithms to base ten.
    range: [f64; 2],
    /// The distance between ticks, in the same measure.
    step: f64,
}

/// The approximate number of ticks of a linear axis.
const TICKS: f64 = 5.0;
/// The maximum number of decades for which every decade has a tick.
const TENS: f64 = 8.0;

impl Ruler {
    /// A ruler with a round range that contains all numbers.
    pub(super) fn new(axis: &Axis, values: &[f64]) -> Ruler {
        let scale = axis.scale.clone();
        let shown = values.iter().copied().filter(|value| scale.shows(*value));
        let ends = shown.fold(None, |ends: Option<[f64; 2]>, value| {
            Some(ends.map_or([value; 2], |[low, high]| [low.min(value), high.max(value)]))
        });
        let (range, step) = match &scale {
            Scale::Names(names) => ([-0.5, float(names.len().max(1)) - 0.5], 1.0),
            Scale::Linear => {
                let [low, high] = ends.unwrap_or([0.0, 1.0]);
                let low = low.min(0.0);
                let high = if high > low { high } else { low + 1.0 };
                let step = round_step((high - low) / TICKS);
                ([(low / step).floor() * step, (high / step).ceil() * step], step)
            }
            Scale::Log => {
                let [low, high] = ends.unwrap_or([1.0, 10.0]).map(f64::log10);
                let low = (low + 1e-9).floor();
                let high = (high - 1e-9).ceil().max(low + 1.0);
                ([low, high], ((high - low) / TENS).ceil().max(1.0))
            }
        };
        Ruler { scale, unit: axis.unit, range, step }
    }

    /// The position of a number on the axis, from 0 at the beginning to 1 at the end.
    pub(super) fn part(&self, value: f64) -> f64 {
        let value = if self.scale == Scale::Log { value.log10() } else { value };
        ((value - self.range[0]) / (self.range[1] - self.range[0])).clamp(0.0, 1.0)
    }

    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match &self.scale {
            Scale::Names(names) => {
                names.iter().zip(0_u32..).map(|(name, at)| (f64::from(at), name.clone())).collect()
            }
            Scale::Linear | Scale::Log => {
                self.marks().into_iter().map(|at| (at, write(at, self.unit))).collect()
            }
        }
    }

    /// Every second interval between ticks; none for categories.
    pub(super) fn bands(&self) -> Vec<[f64; 2]> {
        if matches!(self.scale, Scale::Names(_)) {
            return Vec::new();
        }
        self.marks().windows(2).step_by(2).map(|pair| [pair[0], pair[1]]).collect()
    }

    fn marks(&self) -> Vec<f64> {
        let [low, high] = self.range;
        let all = (0..=1000_u32).map(|count| low + f64::from(count) * self.step);
        let shown = all.take_while(|at| *at <= high + self.step * 1e-6);
        shown.map(|at| if self.scale == Scale::Log { 10_f64.powf(at) } else { at }).collect()
    }
}

/// The smallest of 1, 2, 5, 10, … that is not less than a number.
fn round_step(least: f64) -> f64 {
    let ten = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * ten)
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * ten)
}

fn write(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Plain => plain(value),
        Unit::Seconds if value == 0.0 => "0".to_owned(),
        Unit::Seconds => {
            let (factor, unit) = match value.abs() {
                size if size < 0.999e-6 => (1e9, "ns"),
                size if size < 0.999e-3 => (1e6, "µs"),
                size if size < 0.999 => (1e3, "ms"),
                _ => (1.0, "s"),
            };
            format!("{} {unit}", plain(value * factor))
        }
    }
}

fn plain(value: f64) -> String {
    let power = value.abs().log10().round();
    if power >= 5.0 && (value.abs() / 10_f64.powf(power) - 1.0).abs() < 1e-6 {
        let digits = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];
        let raised: String = format!("{power:.0}")
            .chars()
            .filter_map(|digit| digits.get(digit.to_digit(10)? as usize).copied())
            .collect();
        return format!("{}10{raised}", if value < 0.0 { "−" } else { "" });
    }
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(axis: &Axis, values: &[f64], expected: &[&str]) {
        let ticks = Ruler::new(axis, values).ticks();
        assert_eq!(ticks.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn ticks_are_round() {
        check(&Axis::linear(""), &[], &["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        check(&Axis::linear(""), &[3.0, 17.0], &["0", "5", "10", "15", "20"]);
        check(&Axis::linear(""), &[-3.0, 4.0], &["−4", "−2", "0", "2", "4"]);
        check(&Axis::linear(""), &[f64::NAN, 0.0], &["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        check(&Axis::log(""), &[3.0, 170.0], &["1", "10", "100", "1000"]);
        check(&Axis::log(""), &[0.0, -1.0, 1e5], &["10⁵", "10⁶"]);
        check(&Axis::log_seconds(""), &[2e-6, 0.5e-3], &["1 µs", "10 µs", "100 µs", "1 ms"]);
        check(&Axis::log_seconds(""), &[0.1, 600.0], &["100 ms", "1 s", "10 s", "100 s", "1000 s"]);
        check(
            &Axis::seconds(""),
            &[0.9e-3],
            &["0", "200 µs", "400 µs", "600 µs", "800 µs", "1 ms"],
        );
        check(&Axis::log(""), &[1.0, 1e12], &["1", "100", "10000", "10⁶", "10⁸", "10¹⁰", "10¹²"]);
        check(&Axis::names("", ["T", "S"]), &[], &["T", "S"]);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "halves are exact")]
    fn places_are_parts_of_the_range() {
        let log = Ruler::new(&Axis::log(""), &[1.0, 100.0]);
        assert_eq!([1.0, 10.0, 100.0, 1e9].map(|value| log.part(value)), [0.0, 0.5, 1.0, 1.0]);
        let names = Ruler::new(&Axis::names("", ["a", "b"]), &[]);
        assert_eq!([0.0, 1.0].map(|value| names.part(value)), [0.25, 0.75]);
    }
}
