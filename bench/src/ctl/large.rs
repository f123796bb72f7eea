//! Up to ten million events: whole processes, and harder formulas.

use std::path::Path;

use otus_trace::order::pot;

use otus_papers::ctl::Method;
use otus_papers::protocol::Protocol;
use otus_papers::statistics::number;

use super::{SEED, Size, answer_cell, check, every, time_cell, whole};
use crate::measure::{Scratch, head, nanoseconds, show};
use crate::targets::Targets;

const LOADS: [(Protocol, usize); 5] = [
    (Protocol::Peterson, 2),
    (Protocol::AlternatingBit, 2),
    (Protocol::PetersonN, 10),
    (Protocol::Philosophers, 3),
    (Protocol::Philosophers, 10),
];

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Large traces\n");
    println!(
        "The paper's formulas in a child process, from the file to the answer, the best of three: processor \
         time, how much of it is reading, wall time (the machine may have other work), and peak memory.\n"
    );
    println!("| load | processes | events | file | holds | whole | reading | wall | memory |");
    println!("|---|--:|--:|--:|---|--:|--:|--:|--:|");
    let Some(Scratch(folder)) = &Scratch::new("ctl") else { return };
    for (protocol, processes) in LOADS {
        let mut events = 10_000;
        while events <= size.pick(1_000_000, 10_000_000) {
            row(protocol, processes, events, folder, targets);
            events *= 10;
        }
    }
}

fn row(protocol: Protocol, processes: usize, events: usize, folder: &Path, targets: &mut Targets) {
    let file = folder.join("trace.pot.json");
    let text = pot::write(&protocol.trace(processes, events, SEED));
    let length = number(text.len()) / 1e6;
    if std::fs::write(&file, text).is_err() {
        println!("Skipped: cannot write {}.", file.display());
        return;
    }
    let name = protocol.name();
    let found = whole::run(&file, protocol.formula());
    let cells = found.map_or("– | – | – | – | –".to_owned(), |found| {
        format!(
            "{} | {} | {} | {} | {:.1} MB",
            if found.holds { "yes" } else { "no" },
            show(nanoseconds(found.processor)),
            show(nanoseconds(found.reading)),
            show(nanoseconds(found.wall)),
            megabytes(found.bytes),
        )
    });
    println!("| {name} | {processes} | {events} | {length:.1} MB | {cells} |");
    if events == 1_000_000 {
        let reached = |found: &whole::ProcessRun| {
            found.processor.as_millis() <= 150 && megabytes(found.bytes) <= 150.0
        };
        targets.add(
            format!("{name} {processes} × 10^6 events, whole process"),
            "≤ 150 ms, ≤ 150 MB",
            found.map_or("no answer".to_owned(), |found| {
                let time = show(nanoseconds(found.processor));
                format!("{time}, {:.0} MB", megabytes(found.bytes))
            }),
            found.as_ref().is_some_and(reached),
        );
    }
}

pub(super) fn all(_: Size, targets: &mut Targets) {
    println!("\n## All processes\n");
    println!(
        "Formulas that mention every process, a million events; processor time of checking alone:\n"
    );
    head("load | formula | holds", "visible events | parts | auto | interval");
    for (protocol, processes) in LOADS {
        let trace = protocol.trace(processes, 1_000_000, SEED);
        for (name, formula) in every::of_protocol(protocol, processes) {
            let [auto, interval] =
                [Method::AUTO, Method::INTERVAL].map(|method| check(&trace, &formula, method));
            let (visible, parts) =
                auto.answer.as_ref().map_or((0, 0), |answer| (answer.visible, answer.parts));
            println!(
                "| {} {processes} | {name} | {} | {visible} | {parts} | {} | {} |",
                protocol.name(),
                answer_cell(&auto),
                time_cell(&auto),
                time_cell(&interval),
            );
            if (protocol, processes) == (Protocol::Philosophers, 10) {
                targets.add(
                    format!("ten philosophers, 10^6 events: {name}"),
                    "≤ 0.8 s",
                    time_cell(&auto),
                    auto.answered_in().is_some_and(|seconds| seconds <= 0.8),
                );
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "memory to three digits")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
