//! Tables 2 to 5 of paper 001: its numbers of processes and events, its formulas, and its times beside ours.
//!
//! Its traces are not published; ours have as many processes and events, and about as many communications and cuts. Its
//! machine is from 2007, so the rows that can be answered say more than the ratios.

use std::time::Duration;

use otus_core::budget::Stop;
use otus_papers::ctl::{Check, Method};
use otus_papers::data::{OrderRow, orders};
use otus_papers::statistics::number;
use otus_syntax::Source;
use otus_trace::order::{Writes, pot};

use super::{SEED, Size, answer_cell, check, cuts, short, time_cell};
use crate::measure::{fastest, nanoseconds, show, times};
use crate::targets::Targets;

pub(super) fn run(size: Size, targets: &mut Targets) {
    let limit = Duration::from_secs(size.pick(3, 60));
    println!("\n## The paper's tables\n");
    println!(
        "`/` is ours / the paper's: edges between processes, cuts. Times are processor time: reading the \
         `.pot.json`, and checking, the best of ten, each with a fresh checker. `>` is more than ten minutes \
         in the paper and more than {} s here.",
        limit.as_secs()
    );
    let methods = [
        Method::AUTO,
        Method::INTERVAL,
        Method::INTERVAL_WHOLE,
        Method::EXPLICIT.within(limit),
        Method::IST.within(limit),
        Method::IST_FIXPOINT.within(limit),
    ];
    let mut worst = [Some(0.0_f64); 3];
    let mut ratios: Vec<f64> = Vec::new();
    let (mut rows, mut differ) = (0, 0);
    for table in orders().chunk_by(OrderRow::is_same_table) {
        let protocol = table[0].protocol();
        let formula = protocol.formula().replace('|', "∨");
        println!("\nTable {}, {}: `{formula}`\n", table[0].table, protocol.name());
        let names = methods.map(|method| method.name).join(" | ");
        println!(
            "| processes | events | edges | cuts | holds | read | {names} | TraX | its fixpoint | NuSMV | TraX/auto |"
        );
        println!("|--:|--:|--:|--:|---|--:|{}--:|--:|--:|", "--:|".repeat(methods.len() + 1));
        // A method that hit a limit is not tried on more events of as many processes.
        let mut lost = [0; 6];
        for row in table {
            let OrderRow { processes, events, communications, cuts: paper_cuts, .. } = *row;
            let (trax, nusmv) = (row.trax.seconds(), row.nusmv.seconds());
            let simulated = protocol.trace(processes, events, SEED);
            let source = Source::new("bench.pot.json", pot::write(&simulated));
            let (parse, trace) = fastest(5, || pot::read(&source, Writes::Checked));
            let trace = trace.expect("what was written can be read");
            let cuts = cuts(&trace);
            let checks: [Option<Check>; 6] = std::array::from_fn(|at| {
                if lost[at] == processes {
                    return None;
                }
                let checked = check(&trace, protocol.formula(), methods[at]);
                if checked.answer.is_err() {
                    lost[at] = processes;
                }
                Some(checked)
            });
            let [Some(auto), ..] = &checks else { continue };
            let answers = checks.iter().flatten().filter_map(Check::holds);
            differ += answers.filter(|&holds| Some(holds) != auto.holds()).count();
            for (worst, checked) in worst.iter_mut().zip(&checks) {
                let time = checked.as_ref().and_then(Check::answered_in);
                *worst = worst.zip(time).map(|(worst, time)| worst.max(time));
            }
            rows += 1;
            let seconds =
                |time: Option<f64>| time.map_or(">".to_owned(), |time| format!("{time:.2} s"));
            let ratio = trax.unwrap_or(600.0) / auto.seconds;
            let ratio = if trax == Some(0.0) { f64::NAN } else { ratio };
            if let Some(ist) = checks[4].as_ref().and_then(Check::answered_in) {
                ratios.push((ist / auto.seconds).ln());
            }
            let more = if trax.is_none() { "> " } else { "" };
            println!(
                "| {processes} | {} | {} / {communications} | {} / {} | {} | {} | {} | {} | {} | {} | {more}{} |",
                trace.event_count(),
                trace.edges().len(),
                cuts,
                short(&paper_cuts.into()),
                answer_cell(auto),
                show(nanoseconds(parse)),
                checks.each_ref().map(|checked| cell(checked.as_ref())).join(" | "),
                seconds(trax),
                row.fixpoint.map_or(String::new(), |it| seconds(it.seconds())),
                seconds(nusmv),
                times(ratio),
            );
        }
    }
    let mean = (ratios.iter().sum::<f64>() / number(ratios.len().max(1))).exp();
    println!(
        "\n`ist` answers {} of {rows} rows in that time, `auto` all; of those, `auto` is {} faster in \
         geometric mean. {differ} answers differ.",
        ratios.len(),
        times(mean),
    );
    targets.add(
        "engines agree on the paper's rows",
        "0 differ",
        format!("{differ} differ"),
        differ == 0,
    );
    for ((method, worst), limit) in methods.iter().zip(worst).zip([5.0, 5.0, 10.0]) {
        targets.add(
            format!("{rows} rows of the paper, {}, slowest", method.name),
            format!("≤ {limit:.0} ms"),
            worst.map_or("no answer".to_owned(), |worst| show(worst * 1e9)),
            worst.is_some_and(|worst| worst * 1e3 <= limit),
        );
    }
}

fn cell(checked: Option<&Check>) -> String {
    match checked {
        Some(Check { answer: Err(Stop::Time), .. }) | None => ">".to_owned(),
        Some(checked) => time_cell(checked),
    }
}
