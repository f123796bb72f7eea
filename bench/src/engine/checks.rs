//! What was to be reached, and whether it was.

/// Rows of the table at the end.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    what: String,
    wanted: String,
    found: String,
    reached: bool,
}

impl Checks {
    /// Adds a row.
    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        wanted: impl Into<String>,
        found: impl Into<String>,
        reached: bool,
    ) {
        self.rows.push(Row {
            what: what.into(),
            wanted: wanted.into(),
            found: found.into(),
            reached,
        });
    }

    pub(crate) fn print(&self) {
        println!();
        println!("## What was to be reached");
        println!();
        println!("| what | wanted | found | reached |");
        println!("|---|---|---|---|");
        for row in &self.rows {
            let reached = if row.reached { "yes" } else { "**no**" };
            println!("| {} | {} | {} | {reached} |", row.what, row.wanted, row.found);
        }
        let missed = self.rows.iter().filter(|row| !row.reached).count();
        println!();
        println!("{} of {} reached.", self.rows.len() - missed, self.rows.len());
    }
}
