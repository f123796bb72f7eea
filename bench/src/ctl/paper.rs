//! Tables 2 to 5 of paper 001: its numbers of processes and events, its formulas, and its times beside ours.
//!
//! Its traces are not published; ours have as many processes and events, and about as many communications and cuts. Its
//! machine was one of 2007, which is why the ratios are not the point: the rows are.

use std::time::Duration;

use otus_core::budget::Stop;
use otus_syntax::Source;
use otus_trace::order::{Writes, pot};

use super::ask::{Asked, Way, ask, cuts, short};
use super::{SEED, Size};
use crate::engine::checks::Checks;
use crate::engine::timing::{nanoseconds, number, show, times};
use crate::measure::fastest;
use otus_papers::data::{OrderRow, orders};
use otus_papers::protocol::Protocol;

/// The tables, with their numbers in the paper.
pub(super) fn tables() -> [(u32, Protocol, Vec<OrderRow>); 4] {
    [
        (2, Protocol::Peterson),
        (3, Protocol::AlternatingBit),
        (4, Protocol::PetersonN),
        (5, Protocol::Philosophers),
    ]
    .map(|(number, protocol)| {
        (number, protocol, orders().into_iter().filter(|row| row.table == number).collect())
    })
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
        for row in &table {
            let OrderRow { processes, events, communications, cuts: paper_cuts, .. } = *row;
            let (trax, nusmv) = (row.trax.seconds(), row.nusmv.seconds());
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
                row.fixpoint.map_or(String::new(), |it| seconds(it.seconds())),
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
