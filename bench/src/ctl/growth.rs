//! From ten thousand events to a million: whole runs, and harder formulas.

use std::path::{Path, PathBuf};

use otus_trace::order::pot;

use super::ask::{Way, ask};
use super::{SEED, Size, every, whole};
use crate::engine::checks::Checks;
use crate::engine::timing::{nanoseconds, number, show};
use otus_papers::protocol::Protocol;

const LOADS: [(Protocol, usize); 5] = [
    (Protocol::Peterson, 2),
    (Protocol::AlternatingBit, 2),
    (Protocol::PetersonN, 10),
    (Protocol::Philosophers, 3),
    (Protocol::Philosophers, 10),
];

pub(super) fn run(size: Size, checks: &mut Checks) {
    println!();
    println!("## Growth");
    println!();
    println!(
        "The paper's formulas through a process of its own, from the file to the answer, the best of three: processor \
         time, how much of it is reading, time on the wall (this machine has other work), and the most memory it held."
    );
    println!();
    println!("| load | processes | events | file | holds | whole | reading | wall | memory |");
    println!("|---|--:|--:|--:|---|--:|--:|--:|--:|");
    let folder = std::env::temp_dir().join(format!("otus-ctl-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        println!("Left out: {} cannot be made.", folder.display());
        return;
    }
    for (protocol, processes) in LOADS {
        let mut events = 10_000;
        while events <= size.pick(1_000_000, 10_000_000) {
            row(protocol, (processes, events), &folder, checks);
            events *= 10;
        }
    }
    // What cannot be removed is left to whoever cleans the folder for temporary files.
    let _ = std::fs::remove_dir_all(&folder);
}

fn row(
    protocol: Protocol,
    (processes, events): (usize, usize),
    folder: &Path,
    checks: &mut Checks,
) {
    let file: PathBuf = folder.join("trace.pot.json");
    let text = pot::write(&protocol.trace(processes, events, SEED));
    let length = number(text.len()) / 1e6;
    if std::fs::write(&file, text).is_err() {
        println!("Left out: {} cannot be written.", file.display());
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
        let reached = |found: &whole::Whole| {
            found.processor.as_millis() <= 150 && megabytes(found.bytes) <= 150.0
        };
        checks.add(
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

/// Formulas over all processes.
pub(super) fn all(_: Size, checks: &mut Checks) {
    println!();
    println!("## All processes");
    println!();
    println!(
        "Formulas that mention every process, a million events; processor time of checking alone:"
    );
    println!();
    println!("| load | formula | holds | visible events | parts | auto | interval |");
    println!("|---|---|---|--:|--:|--:|--:|");
    for (protocol, processes) in LOADS {
        let trace = protocol.trace(processes, 1_000_000, SEED);
        for (name, formula) in every::of_protocol(protocol, processes) {
            let [auto, interval] = [Way::AUTO, Way::INTERVAL].map(|way| ask(&trace, &formula, way));
            let (visible, parts) =
                auto.answer.as_ref().map_or((0, 0), |answer| (answer.visible, answer.parts));
            println!(
                "| {} {processes} | {name} | {} | {visible} | {parts} | {} | {} |",
                protocol.name(),
                auto.holds(),
                auto.cell(),
                interval.cell(),
            );
            if (protocol, processes) == (Protocol::Philosophers, 10) {
                checks.add(
                    format!("ten philosophers, 10^6 events: {name}"),
                    "≤ 0.8 s",
                    auto.cell(),
                    auto.milliseconds().is_some_and(|time| time <= 800.0),
                );
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "memory to three digits")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
