//! The parts of a group of measurements, and the targets that they should meet.

use crate::size::Size;

/// The table of targets at the end of a group.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    what: String,
    target: String,
    measured: String,
    is_met: bool,
}

/// A part of a group.
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
    /// Adds a row.
    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        target: impl Into<String>,
        measured: impl Into<String>,
        is_met: bool,
    ) {
        let (what, target, measured) = (what.into(), target.into(), measured.into());
        self.rows.push(Row { what, target, measured, is_met });
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
        for Row { what, target, measured, is_met } in &self.rows {
            println!(
                "| {what} | {target} | {measured} | {} |",
                if *is_met { "yes" } else { "**no**" }
            );
        }
        let met = self.rows.iter().filter(|row| row.is_met).count();
        println!("\n{met} of {} met.", self.rows.len());
    }
}
