//! The traces and formulas as files: `otus-bench ctl --write DIR`.
//!
//! Every row of the paper gives `LOAD-PROCESSES-EVENTS.pot.json`, `.smv` for `NuSMV`, and `.ctl` with the paper's formula
//! and those that mention every process. Traces of gossip have no `.smv`.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use otus_papers::data::{OrderRow, orders};
use otus_papers::protocol::gossip;
use otus_trace::order::{PartialOrder, pot};

use super::every::{self, Named};
use super::{SEED, Size, nusmv};

pub(crate) fn write(size: Size, folder: &Path) {
    match all(size, folder) {
        Ok(count) => println!("{count} traces are in {}.", folder.display()),
        Err(error) => println!("cannot write to {}: {error}", folder.display()),
    }
}

fn all(size: Size, folder: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let mut count = 0;
    for table in orders().chunk_by(OrderRow::is_same_table) {
        let protocol = table[0].protocol();
        let mut sizes: Vec<(usize, usize)> =
            table.iter().map(|row| (row.processes, row.events)).collect();
        if size.full {
            sizes.extend(sizes.last().map(|&(processes, _)| (processes, 1_000_000)));
        }
        for (processes, events) in sizes {
            let trace = protocol.trace(processes, events, SEED);
            let name = format!("{}-{processes}-{events}", protocol.name());
            let mut formulas = vec![("paper", protocol.formula().to_owned())];
            formulas.extend(every::of_protocol(protocol, processes));
            one(folder, &name, &trace, &formulas)?;
            if let Ok(text) = nusmv::translate(&trace, protocol.formula()) {
                std::fs::write(folder.join(format!("{name}.smv")), text)?;
            }
            count += 1;
        }
    }
    for (processes, events) in [(6, 1000), (10, 10_000), (10, 100_000), (20, 10_000)] {
        let trace = gossip(processes, events, SEED);
        let name = format!("Gossip-{processes}-{events}");
        one(folder, &name, &trace, &every::of_gossip(processes))?;
        count += 1;
    }
    Ok(count)
}

fn one(folder: &Path, name: &str, trace: &PartialOrder, formulas: &[Named]) -> io::Result<()> {
    std::fs::write(folder.join(format!("{name}.pot.json")), pot::write(trace))?;
    let mut text = String::new();
    for (title, formula) in formulas {
        let title: String =
            title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let _ = writeln!(text, "{title}: {formula}");
    }
    std::fs::write(folder.join(format!("{name}.ctl")), text)
}
