//! Tables 2 to 5 of paper 001: its numbers of processes and events, its formulas, and its times beside ours.
//!
//! Its traces are not published; ours have as many processes and events, and about as many communications and cuts. Its
//! machine was one of 2007, which is why the ratios are not the point: the rows are.

use std::time::Duration;

use otus_ctl::interval::Stop;
use otus_syntax::Source;
use otus_trace::order::{Writes, pot};

use super::ask::{Asked, Way, ask, cuts, short};
use super::simulate::Protocol;
use super::{SEED, Size};
use crate::engine::checks::Checks;
use crate::engine::timing::{nanoseconds, number, show, times};
use crate::measure::fastest;

/// A row of the paper: processes, events, communications, cuts, and the seconds of `TraX` and of `NuSMV`, `None` being more
/// than ten minutes.
type Row = (usize, usize, u32, u64, Option<f64>, Option<f64>);

/// Table 2, `TraX` with downward closure.
const PETERSON: [Row; 9] = [
    (2, 100, 7, 290, Some(0.01), Some(0.06)),
    (2, 200, 15, 600, Some(0.01), Some(0.17)),
    (2, 500, 36, 1380, Some(0.02), Some(0.88)),
    (2, 1000, 74, 2860, Some(0.07), Some(3.43)),
    (2, 2000, 147, 5570, Some(0.46), Some(349.57)),
    (2, 5000, 366, 14030, Some(7.53), None),
    (2, 10_000, 729, 27995, Some(58.12), None),
    (2, 15_000, 1093, 41980, Some(189.65), None),
    (2, 20_000, 1451, 55848, Some(528.74), None),
];

/// Table 2, `TraX` with a fixpoint.
const FIXPOINT: [Option<f64>; 9] = [
    Some(0.01),
    Some(0.02),
    Some(0.30),
    Some(0.70),
    Some(1.45),
    Some(15.2),
    Some(96.51),
    Some(323.59),
    None,
];

/// Table 3.
const ALTERNATING_BIT: [Row; 7] = [
    (2, 100, 22, 1653, Some(0.32), Some(1.44)),
    (2, 200, 32, 2319, Some(0.45), Some(1.67)),
    (2, 500, 75, 5278, Some(1.82), Some(14.79)),
    (2, 1000, 149, 11314, Some(13.60), Some(297.28)),
    (2, 2000, 276, 21075, Some(27.56), None),
    (2, 5000, 682, 51531, Some(257.29), None),
    (2, 10_000, 1360, 102_714, None, None),
];

/// Table 4.
const PETERSON_N: [Row; 24] = [
    (2, 100, 7, 107, Some(0.00), Some(0.03)),
    (2, 200, 14, 206, Some(0.00), Some(0.09)),
    (2, 500, 34, 506, Some(0.01), Some(0.42)),
    (2, 1000, 68, 1016, Some(0.04), Some(2.80)),
    (2, 2000, 134, 2039, Some(0.20), Some(294.46)),
    (2, 5000, 334, 5106, Some(6.44), None),
    (2, 10_000, 667, 10047, Some(48.10), None),
    (2, 20_000, 1335, 20267, Some(390.90), None),
    (5, 100, 56, 404, Some(0.03), Some(0.09)),
    (5, 200, 97, 1009, Some(0.07), Some(0.16)),
    (5, 500, 202, 2618, Some(0.33), Some(0.85)),
    (5, 1000, 402, 5393, Some(2.04), Some(13.74)),
    (5, 1500, 602, 11732, Some(6.82), None),
    (5, 2000, 773, 13885, Some(12.61), None),
    (5, 5000, 1926, 27835, Some(176.62), None),
    (5, 10_000, 3801, 55535, None, None),
    (10, 100, 328, 14072, Some(0.82), Some(0.01)),
    (10, 200, 314, 22173, Some(0.79), Some(0.46)),
    (10, 500, 493, 43908, Some(2.12), Some(1.60)),
    (10, 1000, 796, 72567, Some(5.42), Some(4.20)),
    (10, 1500, 1024, 92340, Some(7.53), Some(150.23)),
    (10, 2000, 1405, 147_219, Some(27.01), None),
    (10, 5000, 3255, 203_002, Some(147.89), None),
    (10, 10_000, 6361, 452_897, None, None),
];

/// Table 5.
const PHILOSOPHERS: [Row; 13] = [
    (3, 100, 31, 2060, Some(0.15), Some(6.36)),
    (3, 200, 61, 5879, Some(1.11), None),
    (3, 500, 160, 11587, Some(6.24), None),
    (3, 1000, 324, 20780, Some(28.90), None),
    (3, 2000, 613, 55680, Some(366.22), None),
    (3, 5000, 1654, 104_591, None, None),
    (5, 100, 65, 41334, Some(0.25), None),
    (5, 200, 101, 405_858, Some(27.05), None),
    (5, 500, 229, 1_021_052, Some(125.56), None),
    (5, 1000, 547, 1_342_108, None, None),
    (10, 100, 130, 377_853_293, Some(1.67), None),
    (10, 200, 189, 797_010_724, Some(26.94), None),
    (10, 500, 474, 1_478_286_661, None, None),
];

/// The tables, with their numbers in the paper.
pub(super) fn tables() -> [(u32, Protocol, &'static [Row]); 4] {
    [
        (2, Protocol::Peterson, &PETERSON),
        (3, Protocol::AlternatingBit, &ALTERNATING_BIT),
        (4, Protocol::PetersonN, &PETERSON_N),
        (5, Protocol::Philosophers, &PHILOSOPHERS),
    ]
}

pub(super) fn run(size: Size, checks: &mut Checks) {
    let patience = Duration::from_secs(size.pick(3, 60));
    println!();
    println!("## The paper's tables");
    println!();
    println!(
        "`/` is ours / the paper's: edges between processes, cuts. Times are processor time: reading the \
         `.pot.json`, and checking, the best of ten, with nothing known before. `>` is more than ten minutes \
         in the paper and more than {} s here.",
        patience.as_secs()
    );
    let ways = [
        Way::AUTO,
        Way::INTERVAL,
        Way::WHOLE,
        Way::EXPLICIT.patient(patience),
        Way::IST.patient(patience),
        Way::FIXPOINT.patient(patience),
    ];
    let mut worst = [Some(0.0_f64); 3];
    let mut ratios: Vec<f64> = Vec::new();
    let (mut rows, mut differ) = (0, 0);
    for (title, protocol, table) in tables() {
        println!();
        println!("Table {title}, {}: `{}`", protocol.name(), protocol.formula().replace('|', "∨"));
        println!();
        let names = ways.map(|way| way.name).join(" | ");
        println!(
            "| processes | events | edges | cuts | holds | read | {names} | TraX | its fixpoint | NuSMV | TraX/auto |"
        );
        println!("|--:|--:|--:|--:|---|--:|{}--:|--:|--:|", "--:|".repeat(ways.len() + 1));
        // What was too much once is not tried on more events.
        let mut lost = [0; 6];
        for (row, &(processes, events, communications, paper_cuts, trax, nusmv)) in
            table.iter().enumerate()
        {
            let simulated = protocol.trace(processes, events, SEED);
            let source = Source::new("bench.pot.json", pot::write(&simulated));
            let (parse, trace) = fastest(5, || pot::read(&source, Writes::Checked));
            let trace = trace.expect("what was written can be read");
            let cuts = cuts(&trace);
            let asked: [Option<Asked>; 6] = std::array::from_fn(|at| {
                if lost[at] == processes {
                    return None;
                }
                let asked = ask(&trace, protocol.formula(), ways[at]);
                if asked.answer.is_err() {
                    lost[at] = processes;
                }
                Some(asked)
            });
            let [Some(auto), ..] = &asked else { continue };
            let answered = asked.iter().flatten().filter(|asked| asked.answer.is_ok());
            differ += answered.filter(|asked| asked.holds() != auto.holds()).count();
            for (worst, asked) in worst.iter_mut().zip(&asked) {
                let time = asked.as_ref().and_then(Asked::milliseconds);
                *worst = worst.zip(time).map(|(worst, time)| worst.max(time));
            }
            rows += 1;
            let seconds =
                |time: Option<f64>| time.map_or(">".to_owned(), |time| format!("{time:.2} s"));
            let ratio = trax.unwrap_or(600.0) * 1e9 / nanoseconds(auto.time);
            let ratio = if trax == Some(0.0) { f64::NAN } else { ratio };
            if let Some(theirs) = asked[4].as_ref().and_then(Asked::milliseconds) {
                ratios.push((theirs * 1e6 / nanoseconds(auto.time)).ln());
            }
            let more = if trax.is_none() { "> " } else { "" };
            println!(
                "| {processes} | {} | {} / {communications} | {} / {} | {} | {} | {} | {} | {} | {} | {more}{} |",
                trace.event_count(),
                trace.edges().len(),
                short(&cuts),
                short(&Ok(paper_cuts.into())),
                auto.holds(),
                show(nanoseconds(parse)),
                asked.each_ref().map(|asked| cell(asked.as_ref())).join(" | "),
                seconds(trax),
                FIXPOINT.get(row).filter(|_| title == 2).map_or(String::new(), |&it| seconds(it)),
                seconds(nusmv),
                times(ratio),
            );
        }
    }
    let mean = (ratios.iter().sum::<f64>() / number(ratios.len().max(1))).exp();
    println!();
    println!(
        "`ist` answers {} of {rows} rows in that time, `auto` all; of those, `auto` is {} faster in \
         geometric mean. {differ} answers differ.",
        ratios.len(),
        times(mean),
    );
    checks.add(
        "engines agree on the paper's rows",
        "0 differ",
        format!("{differ} differ"),
        differ == 0,
    );
    for ((way, worst), limit) in ways.iter().zip(worst).zip([5.0, 5.0, 10.0]) {
        checks.add(
            format!("{rows} rows of the paper, {}, slowest", way.name),
            format!("≤ {limit:.0} ms"),
            worst.map_or("no answer".to_owned(), |worst| show(worst * 1e6)),
            worst.is_some_and(|worst| worst <= limit),
        );
    }
}

fn cell(asked: Option<&Asked>) -> String {
    match asked {
        Some(Asked { answer: Err(Stop::Time), .. }) | None => ">".to_owned(),
        Some(asked) => asked.cell(),
    }
}
