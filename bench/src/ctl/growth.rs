//! Growth: the time of each engine on traces whose length doubles five times, and its exponent.
//!
//! The exponent of an engine is the slope of the line that fits its times best on logarithmic axes: 1 if the time is
//! proportional to the number of events. The exponent of the number of cuts is beside it. Where the cuts grow
//! linearly, `auto` should too, and it should never take much longer than the better one of the two engines that
//! it chooses from.

mod shapes;

use std::time::Duration;

use otus_ctl::BigUint;
use otus_papers::ctl::{Check, Method, count_cuts};
use otus_papers::statistics::number;

use super::{Size, check, limit_name, short, time_cell};
use crate::measure::{Point, exponent, head, times};
use crate::targets::Targets;
use otus_core::budget::Cancel;

use shapes::{Shape, shapes};

/// The number of times that the length doubles.
const DOUBLINGS: u32 = 5;
/// The greatest exponent of a time where cuts grow linearly.
const STEEPEST: f64 = 1.2;
/// The exponent of the number of cuts up to which they count as growing linearly.
const LINEAR: f64 = 1.1;
/// The most times longer that `auto` may take than the better engine.
const SLOWEST: f64 = 3.0;
/// The time that each check may take.
const LIMIT: Duration = Duration::from_secs(10);

const METHODS: [Method; 3] = [Method::AUTO, Method::INTERVAL, Method::EXPLICIT_SEEN];

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Growth\n");
    println!(
        "Processor time of checking alone, the best of ten; `>` is more than {} s. `auto/best`: how many times \
         longer `auto` takes than the faster one of `interval` and `explicit`. Exponents are the slopes of the \
         lines that fit best on logarithmic axes.",
        LIMIT.as_secs()
    );
    let mut exponents = Vec::new();
    for shape in shapes(size) {
        exponents.push(row_by_row(&shape, targets));
    }
    println!("\nExponents:\n");
    head("shape", "cuts | auto | interval | explicit");
    for line in exponents {
        println!("{line}");
    }
}

/// The rows of a shape; returns the line of its exponents.
fn row_by_row(shape: &Shape, targets: &mut Targets) -> String {
    println!("\n{}: `{}`\n", shape.name, shape.formula);
    head("events | holds", "cuts | auto | interval | explicit | auto/best");
    let mut series: [Vec<Point>; 4] = Default::default();
    let (mut worst, mut differ) = (0.0_f64, 0);
    for doubling in 0..=DOUBLINGS {
        let trace = (shape.trace)(shape.least << doubling);
        let events = number(trace.event_count());
        let cuts = count_cuts(&trace, LIMIT, &Cancel::default());
        let checks = METHODS.map(|method| check(&trace, &shape.formula, method.within(LIMIT)));
        let [auto, others @ ..] = &checks;
        let best = others.iter().filter_map(Check::answered_in).fold(f64::INFINITY, f64::min);
        let ratio = auto.answered_in().map_or(f64::INFINITY, |auto| auto / best);
        worst = worst.max(ratio);
        let answers = others.iter().filter_map(Check::holds);
        differ += answers.filter(|&holds| Some(holds) != auto.holds()).count();
        if let Some(cuts) = cuts.as_ref().ok().and_then(in_floating_point) {
            series[0].push(Point { events, value: cuts });
        }
        for (series, check) in series[1..].iter_mut().zip(&checks) {
            series.extend(check.answered_in().map(|value| Point { events, value }));
        }
        println!(
            "| {} | {} | {} | {} | {} |",
            trace.event_count(),
            super::answer_cell(auto),
            cuts.as_ref().map_or_else(|stop| limit_name(*stop).to_owned(), short),
            checks.each_ref().map(cell).join(" | "),
            times(ratio),
        );
    }
    let slopes = series.each_ref().map(|points| exponent(points));
    let [cuts, auto, ..] = slopes;
    if cuts.is_some_and(|cuts| cuts <= LINEAR) {
        targets.add(
            format!("{}: the exponent of `auto`, where cuts grow linearly", shape.name),
            format!("≤ {STEEPEST}"),
            slope(auto),
            auto.is_some_and(|auto| auto <= STEEPEST) && series[1].len() > DOUBLINGS as usize,
        );
    }
    targets.add(
        format!("{}: `auto` beside the better engine", shape.name),
        format!("≤ {SLOWEST}×, 0 answers differ"),
        format!("{}, {differ} differ", times(worst)),
        worst <= SLOWEST && differ == 0,
    );
    format!("| {} | {} |", shape.name, slopes.map(slope).join(" | "))
}

fn slope(exponent: Option<f64>) -> String {
    exponent.map_or("–".to_owned(), |exponent| format!("{exponent:.2}"))
}

fn in_floating_point(cuts: &BigUint) -> Option<f64> {
    cuts.to_string().parse().ok()
}

fn cell(check: &Check) -> String {
    if check.answer == Err(otus_core::budget::Stop::Time) {
        return ">".to_owned();
    }
    time_cell(check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_engines_agree_on_every_shape() {
        for shape in shapes(Size { full: false }) {
            for length in [1, 2, 3, 5, 20, 80] {
                let trace = (shape.trace)(length);
                let answers = METHODS.map(|method| check(&trace, &shape.formula, method).holds());
                assert_eq!(answers, [answers[0]; 3], "{} {length}", shape.name);
                assert!(answers[0].is_some());
            }
        }
    }
}
