//! Random traces and formulas.

use otus_testkit::ctl_cases::{Size, random_formula, random_order, random_predicate};
use otus_testkit::oracle::ctl::Lattice;

use super::compare::Report;

#[track_caller]
fn sweep(number: u64, percent: usize, size: Size, what: &str) {
    let mut rng = super::rng(number);
    let most = super::cases(percent);
    let mut report = Report::default();
    while report.cases < most {
        let trace = random_order(&mut rng, size);
        if Lattice::new(&trace, 2_000).is_none() {
            continue;
        }
        for _ in 0..4 {
            let next = rng.u8(..3) == 0;
            let formula = random_formula(&mut rng, &trace, size, next);
            report.compare(&trace, &formula, rng.usize(..1_000_000));
        }
    }
    report.finish(what);
}

#[test]
fn engines_agree_with_the_definitions_on_tiny_cases() {
    sweep(1, 40, Size { processes: 2, events: 4, leaves: 2 }, "two processes");
}

#[test]
fn engines_agree_with_the_definitions_on_small_cases() {
    sweep(2, 40, Size { processes: 3, events: 9, leaves: 4 }, "three processes");
}

#[test]
fn engines_agree_with_the_definitions_on_wide_cases() {
    sweep(3, 15, Size { processes: 6, events: 12, leaves: 6 }, "six processes");
}

#[test]
fn engines_agree_with_the_definitions_on_long_cases() {
    sweep(4, 5, Size { processes: 3, events: 30, leaves: 6 }, "thirty events");
}

#[test]
fn engines_agree_with_the_definitions_on_global_predicates() {
    let mut rng = super::rng(5);
    let size = Size { processes: 4, events: 12, leaves: 1 };
    let most = super::cases(50);
    let mut report = Report::default();
    while report.cases < most {
        let trace = random_order(&mut rng, size);
        for _ in 0..4 {
            let formula = random_predicate(&mut rng, &trace);
            report.compare(&trace, &formula, rng.usize(..1_000_000));
        }
    }
    report.finish("global predicates");
}
