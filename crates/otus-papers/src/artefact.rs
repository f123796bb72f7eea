//! A table or figure that was made again.

use std::fmt::Write as _;

use otus_draw::Scene;

use crate::table::{Style, Table};

/// A table or figure of a paper, made again.
#[derive(Debug, Clone)]
pub struct Artefact {
    /// What it is called: `003-fig11`.
    pub id: &'static str,
    /// What it is, in a line.
    pub title: String,
    /// The numbers, the papers' beside ours.
    pub tables: Vec<Table>,
    /// The plots.
    pub pictures: Vec<Picture>,
    /// What is not as in the paper, frankly.
    pub differs: Vec<String>,
    /// How many verdicts were compared with what they must be.
    pub checked: usize,
    /// Those that are not as they must be.
    pub wrong: Vec<String>,
}

/// A plot with the name of its file.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Without its ending.
    pub name: String,
    /// What it shows.
    pub scene: Scene,
}

/// How many wrong verdicts are told one by one.
const TOLD: usize = 5;

impl Artefact {
    pub(crate) fn new(id: &'static str, title: impl Into<String>) -> Artefact {
        Artefact {
            id,
            title: title.into(),
            tables: Vec::new(),
            pictures: Vec::new(),
            differs: Vec::new(),
            checked: 0,
            wrong: Vec::new(),
        }
    }

    /// Notes a verdict: whether it is as it must be, and what to say if it is not.
    pub(crate) fn check(&mut self, is_right: bool, what: impl FnOnce() -> String) {
        self.checked += 1;
        if !is_right {
            self.wrong.push(what());
        }
    }

    /// Adds a plot; its file has the name of the artefact and a suffix.
    pub(crate) fn picture(&mut self, suffix: &str, scene: Scene) {
        self.pictures.push(Picture { name: format!("{}{suffix}", self.id), scene });
    }

    /// What a terminal shows.
    pub fn text(&self) -> String {
        let mut out = format!("{}: {}\n", self.id, self.title);
        for table in &self.tables {
            out.push('\n');
            out.push_str(&table.written(Style::Aligned));
        }
        out.push('\n');
        for line in &self.differs {
            out.push_str("  differs: ");
            out.push_str(line);
            out.push('\n');
        }
        out.push_str("  ");
        out.push_str(&self.verdicts());
        out.push('\n');
        out
    }

    /// A section of a Markdown page; pictures are beside it.
    pub fn markdown(&self) -> String {
        let mut out = format!("## {}: {}\n", self.id, self.title);
        for table in &self.tables {
            out.push('\n');
            out.push_str(&table.written(Style::Markdown));
        }
        for picture in &self.pictures {
            let _ = writeln!(out, "\n![{}]({}.svg)", picture.scene.title, picture.name);
        }
        out.push_str("\nWhat differs:\n\n");
        for line in &self.differs {
            let _ = writeln!(out, "- {line}");
        }
        let _ = writeln!(out, "\n{}", self.verdicts());
        out
    }

    /// What was checked, in a sentence.
    pub fn verdicts(&self) -> String {
        let wrong = match self.wrong.len() {
            0 => "none wrong".to_owned(),
            count => {
                let told = self.wrong.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>();
                let more = if count > TOLD { "; …" } else { "" };
                format!("{count} WRONG: {}{more}", told.join("; "))
            }
        };
        format!("Verdicts checked: {}, {wrong}.", self.checked)
    }
}
