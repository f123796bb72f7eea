//! The parts of a group of measurements, and the targets that they should meet.

use std::fmt::Display;

use crate::size::Size;

#[derive(Debug, Default)]
pub(crate) struct Targets {
    rows: Vec<String>,
    met: usize,
}

pub(crate) type Part = fn(Size, &mut Targets);

/// Runs the wanted parts of a group, or all if none is named, and prints their targets.
pub(crate) fn run_parts(size: Size, wanted: &[String], parts: &[(&str, Part)]) {
    let mut targets = Targets::default();
    for (name, run) in parts {
        if wanted.is_empty() || wanted.iter().any(|part| part == name) {
            run(size, &mut targets);
        }
    }
    targets.print();
}

impl Targets {
    pub(crate) fn add(
        &mut self,
        what: impl Display,
        target: impl Display,
        measured: impl Display,
        is_met: bool,
    ) {
        let met = if is_met { "yes" } else { "**no**" };
        self.rows.push(format!("| {what} | {target} | {measured} | {met} |"));
        self.met += usize::from(is_met);
    }

    /// Adds a row for analyses that must all be decided and right.
    pub(crate) fn add_all_right(&mut self, what: &str, undecided: usize, wrong: usize) {
        let measured = format!("{undecided} and {wrong}");
        let what = format!("{what}: undecided and wrong");
        self.add(what, "0 and 0", measured, undecided + wrong == 0);
    }

    fn print(&self) {
        println!("\n## Targets\n");
        println!("| what | target | measured | met |");
        println!("|---|---|---|---|");
        println!("{}\n\n{} of {} met.", self.rows.join("\n"), self.met, self.rows.len());
    }
}
