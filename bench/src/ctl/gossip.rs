//! Gossip: processes without locality, for which every variable order of a diagram is bad; and checks under bounds.

use std::time::{Duration, Instant};

use otus_core::budget::Budget;
use otus_ctl::{Checker, Options};

use otus_papers::ctl::{Check, Method, formulas};
use otus_papers::protocol::gossip;

use super::{SEED, Size, answer_cell, check, cuts, every, limit_name, time_cell};
use crate::measure::{head, nanoseconds, peak_bytes, reset_peak, show};
use crate::targets::Targets;

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Gossip\n");
    println!("| processes | events | edges | cuts | formula | holds | visible | auto | interval |");
    println!("|--:|--:|--:|--:|---|---|--:|--:|--:|");
    let mut loads = vec![(6, 1000), (10, 10_000), (10, 100_000), (20, 10_000)];
    if size.full {
        loads.extend([(10, 1_000_000), (30, 10_000)]);
    }
    for (processes, events) in loads {
        let trace = gossip(processes, events, SEED);
        let count = cuts(&trace);
        for (name, formula) in every::of_gossip(processes) {
            let [auto, interval] =
                [Method::AUTO, Method::INTERVAL].map(|method| check(&trace, &formula, method));
            println!(
                "| {processes} | {events} | {} | {count} | {name} | {} | {} | {} | {} |",
                trace.edges().len(),
                answer_cell(&auto),
                auto.answer.as_ref().map_or(0, |answer| answer.visible),
                time_cell(&auto),
                time_cell(&interval),
            );
            let within = |limit: f64, check: &Check| {
                check.answered_in().is_some_and(|seconds| seconds <= limit)
            };
            if (processes, events) == (10, 100_000) {
                let reached = within(1.5, &interval) && within(1.5, &auto);
                let found = format!("{} auto, {} interval", time_cell(&auto), time_cell(&interval));
                targets.add(format!("gossip 10 × 10^5, {name}"), "≤ 1.5 s", found, reached);
            }
            if (processes, events) == (20, 10_000) && name.starts_with("conjunctive") {
                let what = format!("gossip 20 × 10^4, {name}");
                let (slow, fast) = (time_cell(&interval), time_cell(&auto));
                targets.add(format!("{what}, interval"), "≤ 5 s", slow, within(5.0, &interval));
                targets.add(format!("{what}, auto"), "≤ 5 ms", fast, within(5e-3, &auto));
            }
        }
    }
    bounds(targets);
}

/// Checks a trace with more cuts than fit into memory: a bound must end the check soon.
fn bounds(targets: &mut Targets) {
    println!("\nUnder a bound, gossip of 30 × 30,000, `AF` of a conjunction:\n");
    head("bound | ends by", "after | memory");
    let trace = gossip(30, 30_000, SEED);
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
        let lowered = formulas(&trace, &formula);
        let wanted = lowered.properties[0].formula;
        let mut checker = Checker::new(&trace, lowered.formulas);
        let before = reset_peak();
        let start = Instant::now();
        budget.deadline = budget.deadline.map(|_| start + Duration::from_millis(200));
        let answer = checker.check(wanted, &Options { budget, ..Options::default() });
        let after = start.elapsed();
        let ends = answer.as_ref().map_or_else(|stop| limit_name(*stop), |_| "an answer");
        let more = peak_bytes().zip(before).map_or("–".to_owned(), |(peak, before)| {
            format!("{} MB", peak.saturating_sub(before) >> 20)
        });
        println!("| {name} | {ends} | {} | {more} |", show(nanoseconds(after)));
        targets.add(
            format!("gossip 30 × 30,000 under {name}"),
            "ends by that bound within 5 s",
            format!("{ends}, {}", show(nanoseconds(after))),
            answer.is_err() && after < Duration::from_secs(5),
        );
    }
}
