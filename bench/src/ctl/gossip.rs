//! Gossip: no locality, so no order of processes is good.

use std::time::{Duration, Instant};

use otus_core::budget::Budget;
use otus_ctl::{Checker, Options};

use super::ask::{Way, ask, cuts, short, why};
use super::{SEED, Size, every};
use crate::engine::checks::Checks;
use crate::engine::timing::{nanoseconds, show};
use otus_papers::protocol::Gossip;

pub(super) fn run(size: Size, checks: &mut Checks) {
    println!();
    println!("## Gossip");
    println!();
    println!("| processes | events | edges | cuts | formula | holds | visible | auto | interval |");
    println!("|--:|--:|--:|--:|---|---|--:|--:|--:|");
    let mut loads = vec![(6, 1000), (10, 10_000), (10, 100_000), (20, 10_000)];
    if size.full {
        loads.extend([(10, 1_000_000), (30, 10_000)]);
    }
    for (processes, events) in loads {
        let trace = Gossip::new(processes, events).trace(SEED);
        let count = short(&cuts(&trace));
        for (name, formula) in every::of_gossip(processes) {
            let [auto, interval] = [Way::AUTO, Way::INTERVAL].map(|way| ask(&trace, &formula, way));
            println!(
                "| {processes} | {events} | {} | {count} | {name} | {} | {} | {} | {} |",
                trace.edges().len(),
                auto.holds(),
                auto.answer.as_ref().map_or(0, |answer| answer.visible),
                auto.cell(),
                interval.cell(),
            );
            let slowest = |limit: f64, asked: &super::ask::Asked| {
                asked.milliseconds().is_some_and(|time| time <= limit)
            };
            if (processes, events) == (10, 100_000) {
                let reached = slowest(1500.0, &interval) && slowest(1500.0, &auto);
                let found = format!("{} auto, {} interval", auto.cell(), interval.cell());
                checks.add(format!("gossip 10 × 10^5, {name}"), "≤ 1.5 s", found, reached);
            }
            if (processes, events) == (20, 10_000) && name.starts_with("conjunctive") {
                let what = format!("gossip 20 × 10^4, {name}");
                let reached = slowest(5000.0, &interval);
                checks.add(format!("{what}, interval"), "≤ 5 s", interval.cell(), reached);
                checks.add(format!("{what}, auto"), "≤ 5 ms", auto.cell(), slowest(5.0, &auto));
            }
        }
    }
    bounds(checks);
}

/// More cuts than fit anywhere, under bounds: ends soon, and says why.
fn bounds(checks: &mut Checks) {
    println!();
    println!("Under a bound, gossip of 30 × 30,000, `AF` of a conjunction:");
    println!();
    println!("| bound | ends by | after | memory |");
    println!("|---|---|--:|--:|");
    let trace = Gossip::new(30, 30_000).trace(SEED);
    let formula = every::unavoidable(30);
    let budgets = [
        ("64 MB", Budget { max_bytes: Some(64 << 20), ..Budget::default() }),
        ("100,000 nodes", Budget { max_states: Some(100_000), ..Budget::default() }),
        (
            "0.2 s",
            Budget {
                deadline: Some(Instant::now() + Duration::from_millis(200)),
                max_bytes: Some(1 << 30),
                ..Budget::default()
            },
        ),
    ];
    for (name, mut budget) in budgets {
        let lowered = super::ask::formulas(&trace, &formula);
        let wanted = lowered.properties[0].formula;
        let mut checker = Checker::new(&trace, lowered.formulas);
        // 5: the peak is that of now.
        let is_known = std::fs::write("/proc/self/clear_refs", "5").is_ok();
        let before = crate::measure::present_bytes();
        let start = Instant::now();
        budget.deadline = budget.deadline.map(|_| start + Duration::from_millis(200));
        let answer = checker.check(wanted, &Options { budget, ..Options::default() });
        let after = start.elapsed();
        let ends = answer.as_ref().map_or_else(|stop| why(*stop), |_| "an answer");
        let more = crate::measure::peak_bytes()
            .zip(before)
            .filter(|_| is_known)
            .map_or("–".to_owned(), |(peak, before)| {
                format!("{} MB", peak.saturating_sub(before) >> 20)
            });
        println!("| {name} | {ends} | {} | {more} |", show(nanoseconds(after)));
        checks.add(
            format!("gossip 30 × 30,000 under {name}"),
            "ends by that bound within 5 s",
            format!("{ends}, {}", show(nanoseconds(after))),
            answer.is_err() && after < Duration::from_secs(5),
        );
    }
}
