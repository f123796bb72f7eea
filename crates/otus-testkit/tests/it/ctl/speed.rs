//! The time per cut. It is a measurement, not a test, so it is ignored by default:
//!
//! ```console
//! $ cargo test --release -p otus-testkit --test it -- --ignored --nocapture speed
//! ```

use std::time::Instant;

use otus_ctl::{Checker, Engine, Formulas, Options};
use otus_testkit::ctl_cases::{Size, random_order};

use super::budgets::{formula, independent};

#[test]
#[ignore = "measures"]
fn speed_of_explicit_search() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut traces = vec![
        ("2 x 3000, independent", independent(2, 3000)),
        ("4 x 50, independent", independent(4, 50)),
        ("8 x 6, independent", independent(8, 6)),
        ("20 x 1, independent", independent(20, 1)),
    ];
    while traces.len() < 7 {
        let trace = random_order(&mut rng, Size { processes: 8, events: 90, leaves: 1 });
        let mut formulas = Formulas::default();
        let id = formula(&trace, &mut formulas);
        let counts = Checker::new(&trace, formulas).count(id, &Options::default());
        let cuts = counts.ok().and_then(|counts| u128::try_from(counts.cuts).ok()).unwrap_or(0);
        if (1_000_000..100_000_000).contains(&cuts) {
            traces.push(("random", trace));
        }
    }
    for (name, trace) in &traces {
        let mut formulas = Formulas::default();
        let id = formula(trace, &mut formulas);
        let plain = formulas.and([]);
        for (what, id) in [("nothing", plain), ("AG(sum < 4 -> AF done)", id)] {
            let mut checker = Checker::new(trace, formulas.clone());
            let engine = Engine::Explicit;
            let options = Options { engine, slice: false, ..Options::default() };
            let begun = Instant::now();
            let counts = checker.count(id, &options).expect("no bound");
            let time = begun.elapsed();
            let cuts = counts.cuts.to_string().parse::<f64>().unwrap_or(f64::INFINITY);
            println!(
                "{name}, {what}: {cuts} cuts, {:.1} ns a cut",
                time.as_secs_f64() * 1e9 / cuts
            );
        }
    }
}
