//! The result of an experiment: one regenerated table or figure.

use std::fmt::Write as _;

use otus_core::raise;
use otus_draw::Scene;
use otus_syntax::print;
use otus_trace::MultiTrace;
use otus_trace::case::{self, Case};

use crate::table::Table;
use crate::workload::Model;

/// A table or figure of a paper, regenerated.
#[derive(Debug, Clone, Default)]
pub struct Artefact {
    /// The name of the table or figure, as `003-fig11`.
    pub id: &'static str,
    /// The subject of the table or figure, in a line.
    pub title: String,
    /// The tables: the papers' numbers beside ours.
    pub tables: Vec<Table>,
    /// The plots.
    pub pictures: Vec<Picture>,
    /// The models, multi-traces, traces and formulas of the experiment.
    pub inputs: Vec<Input>,
    /// The differences from the paper, a sentence or two each.
    pub differs: Vec<String>,
    /// The number of verdicts that were compared with known verdicts.
    pub checked: usize,
    /// A description of each wrong verdict.
    pub wrong: Vec<String>,
}

/// An input of an experiment, as a file that Otus reads.
#[derive(Debug, Clone)]
pub struct Input {
    /// The name of the input's file, with the ending.
    pub name: String,
    /// The text of the input.
    pub text: String,
}

/// A plot with the name of its file.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The name of the file of the plot, without the ending.
    pub name: String,
    /// The plot.
    pub scene: Scene,
}

/// The maximum number of wrong verdicts that a summary describes.
const MAX_DESCRIBED: usize = 5;

impl Artefact {
    pub(crate) fn new(id: &'static str, title: impl Into<String>) -> Artefact {
        Artefact { id, title: title.into(), ..Artefact::default() }
    }

    /// Counts a verdict, and keeps its description if it is wrong.
    pub(crate) fn check(&mut self, is_right: bool, description: impl FnOnce() -> String) {
        self.checked += 1;
        if !is_right {
            self.wrong.push(description());
        }
    }

    pub(crate) fn differs(&mut self, difference: impl Into<String>) {
        self.differs.push(difference.into());
    }

    /// Adds an input.
    pub(crate) fn input(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.inputs.push(Input { name: name.into(), text: text.into() });
    }

    /// Adds a model as two files, `.hsf` and `.hif`.
    pub(crate) fn model(&mut self, name: &str, model: &Model) {
        let tree = raise(&model.pool, model.term);
        self.input(format!("{name}.hsf"), print::signature(&tree));
        self.input(format!("{name}.hif"), print::interaction(&tree));
    }

    /// Adds multi-traces as a case file.
    pub(crate) fn traces(&mut self, name: &str, model: &Model, traces: &[MultiTrace]) {
        let line = |(number, trace): (usize, &MultiTrace)| {
            let id = format!("{name}-{number}");
            case::write(&Case { id, htf: model.text(trace), ..Case::default() }) + "\n"
        };
        let lines: String = (1..).zip(traces).map(line).collect();
        self.input(format!("{name}.jsonl"), lines);
    }

    /// Adds a plot, whose file is named after the artefact, with a suffix.
    pub(crate) fn picture(&mut self, suffix: &str, scene: Scene) {
        self.pictures.push(Picture { name: format!("{}{suffix}", self.id), scene });
    }

    /// The artefact as text for a terminal.
    pub fn text(&self) -> String {
        let mut out = format!("{}: {}\n", self.id, self.title);
        for table in &self.tables {
            let _ = write!(out, "\n{}", table.aligned());
        }
        out.push('\n');
        for difference in &self.differs {
            let _ = writeln!(out, "  differs: {difference}");
        }
        let _ = writeln!(out, "  {}", self.verdicts());
        out
    }

    /// The artefact as a section of a Markdown page, which refers to its pictures as files beside the page.
    pub fn markdown(&self) -> String {
        let mut out = format!("## {}: {}\n", self.id, self.title);
        for table in &self.tables {
            let _ = write!(out, "\n{}", table.markdown());
        }
        for picture in &self.pictures {
            let _ = writeln!(out, "\n![{}]({}.svg)", picture.scene.title, picture.name);
        }
        out.push_str("\nDifferences:\n\n");
        for difference in &self.differs {
            let _ = writeln!(out, "- {difference}");
        }
        let _ = writeln!(out, "\n{}", self.verdicts());
        out
    }

    /// The numbers of checked and of wrong verdicts, in a sentence.
    pub fn verdicts(&self) -> String {
        let wrong = match self.wrong.len() {
            0 => "none wrong".to_owned(),
            count => {
                let described = &self.wrong[..count.min(MAX_DESCRIBED)];
                let more = if count > MAX_DESCRIBED { "; …" } else { "" };
                format!("{count} WRONG: {}{more}", described.join("; "))
            }
        };
        format!("Verdicts checked: {}, {wrong}.", self.checked)
    }
}
