//! The coverage report as plain data: the parts of a specification, their counts and their places.
//!
//! A diagram unfolds bounded loops, so one written part may have several positions in the term; the report merges them.

use otus_analysis::coverage::{Count, Coverage, CoverageState, PartKind};
use otus_core::{Pool, Term};
use otus_syntax::Span;
use otus_syntax::ast::NodeId;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::spec_text::{Excerpt, excerpt_of};
use super::Covering;
use crate::case::Place;
use crate::findings::{CoverageRows, PartRow};
use crate::summary::Summary;

/// The parts of a specification that were exercised.
#[derive(Debug, Clone)]
pub struct CoverageReport {
    /// The file that the interaction is in.
    pub(crate) specification: String,
    /// The parts, in the order of their positions.
    pub(crate) parts: Vec<Part>,
    /// The parts that were not exercised. A part inside another such part is not listed.
    pub(crate) gaps: Vec<Gap>,
    /// The number of multi-traces that were counted.
    pub(crate) counted: u64,
    /// The number of multi-traces that were not counted, by reason.
    pub(crate) left_out: Vec<(u64, &'static str)>,
}

/// An action, a branch or a loop.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    /// The name of the part: `broker!PUBREL`, `branch 2 of 3`.
    pub(crate) label: String,
    pub(crate) excerpt: Excerpt,
    pub(crate) count: Count,
    /// The positions of the part in the term.
    pub(super) nodes: Vec<usize>,
    pub(super) node: NodeId,
}

/// A part that was not exercised.
#[derive(Debug, Clone)]
pub(crate) struct Gap {
    pub(crate) state: CoverageState,
    /// A sentence that describes the gap.
    pub(crate) title: String,
    /// The parts inside the gap, in words; empty if there are none.
    pub(crate) inside: String,
    pub(crate) excerpt: Excerpt,
}

/// The number of parts of a kind, and the number of exercised ones.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Share {
    pub(crate) total: usize,
    pub(crate) exercised: usize,
    pub(crate) assumed: usize,
}

/// Why accepted multi-traces were not counted.
const NOT_EXPLAINED: &str = "not explained within the limits";
const TOO_LARGE: &str = "too large to be counted";

impl CoverageReport {
    pub(super) fn new(
        covering: &Covering,
        pool: &Pool,
        sum: &Coverage,
        summary: &Summary,
    ) -> CoverageReport {
        let unexplained = covering.unexplained.load(std::sync::atomic::Ordering::Relaxed);
        let (all, undecided) = (summary.checked() as u64, summary.verdicts.undecided as u64);
        let earlier = summary.earlier as u64;
        let others = sum.counted + sum.uncounted + unexplained + undecided + earlier;
        let left_out = [
            (all.saturating_sub(others), "failed"),
            (undecided, "undecided"),
            (earlier, "decided by an earlier run"),
            (unexplained, NOT_EXPLAINED),
            (sum.uncounted, TOO_LARGE),
        ];
        let parts = parts(covering, pool, sum);
        CoverageReport {
            specification: covering.source.name().to_owned(),
            gaps: gaps(covering, &parts),
            parts,
            counted: sum.counted,
            left_out: left_out.into_iter().filter(|(count, _)| *count > 0).collect(),
        }
    }

    /// The numbers of parts of a kind, or of all kinds.
    pub(crate) fn share(&self, kind: Option<PartKind>) -> Share {
        let mut share = Share::default();
        for part in self.parts.iter().filter(|part| kind.is_none_or(|kind| part.kind == kind)) {
            share.total += 1;
            match part.count.state() {
                CoverageState::Exercised => share.exercised += 1,
                CoverageState::Assumed => share.assumed += 1,
                CoverageState::Never => {}
            }
        }
        share
    }

    /// Whether at least this percentage of the parts was exercised.
    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer parts than a double has digits"
    )]
    pub fn reaches(&self, percent: f64) -> bool {
        let share = self.share(None);
        share.exercised as f64 * 100.0 >= percent * share.total as f64
    }

    /// The percentage of parts that were exercised, rounded down: 100 means all.
    pub fn percent_text(&self) -> String {
        let Share { total, exercised, .. } = self.share(None);
        format!("{} %", (exercised * 100).checked_div(total).unwrap_or(100))
    }

    /// The number of parts that were exercised, and of all parts.
    pub fn counts(&self) -> (usize, usize) {
        let Share { total, exercised, .. } = self.share(None);
        (exercised, total)
    }

    /// The parts that were not exercised, in words, with their places.
    pub fn missing(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.gaps.iter().map(|gap| (gap.title.as_str(), &gap.excerpt.place))
    }

    /// Whether no part was exercised.
    pub fn is_nothing(&self) -> bool {
        self.share(None).exercised == 0
    }

    /// The report that rows of a table tell about. It knows no lines of the text, and no gap inside another one.
    pub(crate) fn restored(rows: &CoverageRows) -> CoverageReport {
        let part = |row: &PartRow| {
            let kind = [PartKind::Branch, PartKind::Loop].into_iter();
            let kind = kind.into_iter().find(|&kind| kind_name(kind) == row.kind);
            let (file, line) = row.place.rsplit_once(':').unwrap_or((&row.place, ""));
            let line = line.parse().unwrap_or_default();
            let place = Place { file: file.to_owned(), line, columns: None };
            let PartRow { observed, assumed, runs: groups, .. } = *row;
            Part {
                kind: kind.unwrap_or(PartKind::Action),
                label: row.part.clone(),
                excerpt: Excerpt { place, text: String::new(), span: 0..0 },
                count: Count { observed, assumed, groups, ..Count::default() },
                nodes: Vec::new(),
                node: NodeId(0),
            }
        };
        let parts: Vec<Part> = rows.parts.iter().map(part).collect();
        let is_gap = |part: &&Part| part.count.state() != CoverageState::Exercised;
        let gaps = parts.iter().filter(is_gap).map(|part| Gap::new(part, String::new())).collect();
        let specification = parts.first().map(|part| part.excerpt.place.file.clone());
        CoverageReport {
            specification: specification.unwrap_or_default(),
            gaps,
            parts,
            counted: rows.counted,
            left_out: [(rows.left_out, NOT_EXPLAINED)].into_iter().filter(|it| it.0 > 0).collect(),
        }
    }

    /// The number of accepted multi-traces that were counted, and of those that were not.
    pub(crate) fn accepted(&self) -> (u64, u64) {
        let left_out =
            self.left_out.iter().filter(|(_, why)| [NOT_EXPLAINED, TOO_LARGE].contains(why));
        (self.counted, left_out.map(|(count, _)| count).sum())
    }

    /// The parts as rows of a table.
    pub(crate) fn part_rows(&self) -> impl Iterator<Item = PartRow> {
        self.parts.iter().map(|part| PartRow {
            kind: kind_name(part.kind).to_owned(),
            part: part.label.clone(),
            place: part.excerpt.place.in_line(),
            runs: part.count.groups,
            observed: part.count.observed,
            assumed: part.count.assumed,
        })
    }

    /// The parts as reports list them: with the number of multi-traces that exercised each.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Value> {
        self.parts.iter().map(|part| {
            let is_assumed = part.count.state() == CoverageState::Assumed;
            let assumed = if is_assumed { " (only assumed)" } else { "" };
            json!({
                "kind": kind_name(part.kind),
                "label": format!("{}{assumed}", part.label),
                "place": part.excerpt.place.in_line(),
                "times": part.count.groups,
            })
        })
    }
}

pub(crate) fn kind_name(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Action => "action",
        PartKind::Branch => "branch",
        PartKind::Loop => "loop",
    }
}

fn parts(covering: &Covering, pool: &Pool, sum: &Coverage) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut known: FxHashMap<(PartKind, String, Span), usize> = FxHashMap::default();
    for (part, count) in covering.tree.parts().iter().zip(&sum.counts) {
        let tree = &covering.tree;
        let term = tree.term(part.node);
        let mut at = part.node;
        let label = match part.kind {
            PartKind::Action => pool.text(term),
            PartKind::Branch => {
                let (choice, number, of) = tree.branch(part.node).unwrap_or((part.node, 1, 1));
                let is_something = pool.has_events(term);
                let is_repeated = covering.is_repetition(choice);
                if is_repeated || !is_something {
                    // A branch that is not written has the place of its choice.
                    at = choice;
                }
                match (is_repeated, is_something) {
                    (false, true) => format!("branch {number} of {of}"),
                    (false, false) => "the choice to do nothing".to_owned(),
                    (true, true) => "one more repetition".to_owned(),
                    (true, false) => "an end before the last repetition".to_owned(),
                }
            }
            PartKind::Loop => match pool.node(term) {
                Term::LoopS(_) => "strict loop",
                Term::LoopC(Pool::ALL, _) => "parallel loop",
                Term::LoopC(within, _) if within != Pool::NONE => "loop with a co-region",
                Term::LoopC(..)
                | Term::Empty
                | Term::Event(_)
                | Term::Strict(..)
                | Term::Coreg(..)
                | Term::Alt(..) => "loop",
            }
            .to_owned(),
        };
        let written = covering.places[at];
        match known.get(&(part.kind, label.clone(), written.span)) {
            Some(&same) => {
                parts[same].count.merge(count);
                parts[same].nodes.push(part.node);
            }
            None => {
                known.insert((part.kind, label.clone(), written.span), parts.len());
                let excerpt = excerpt_of(&covering.source, written.span);
                let (count, nodes, node) = (*count, vec![part.node], written.node);
                parts.push(Part { kind: part.kind, label, excerpt, count, nodes, node });
            }
        }
    }
    parts
}

/// The parts that were not exercised, in the order of the text.
fn gaps(covering: &Covering, parts: &[Part]) -> Vec<Gap> {
    let tree = &covering.tree;
    // For each position: whether it is inside a gap.
    let mut inside = vec![false; tree.len()];
    let is_gap = |part: &Part, inside: &[bool]| {
        part.count.state() != CoverageState::Exercised
            && !part.nodes.iter().all(|&node| inside[node])
    };
    // The gaps, each with its first position.
    let mut gaps: Vec<(usize, Gap)> = Vec::new();
    // Choices and loops come first, because a repeated part may be inside a later one.
    for part in parts.iter().filter(|part| part.kind != PartKind::Action) {
        if !is_gap(part, &inside) {
            continue;
        }
        for &node in &part.nodes {
            let own = usize::from(part.kind == PartKind::Loop);
            inside[node + own..tree.within(node).end].fill(true);
        }
        gaps.push((part.nodes[0], Gap::new(part, within(tree, parts, part))));
    }
    let mut left = parts
        .iter()
        .filter(|part| part.kind == PartKind::Action && is_gap(part, &inside))
        .peekable();
    while let Some(part) = left.next() {
        let mut gap = Gap::new(part, String::new());
        // Both ends of a message are one gap.
        let mut names = vec![part.label.as_str()];
        let is_same =
            |other: &&Part| other.node == part.node && other.count.state() == part.count.state();
        while let Some(other) = left.next_if(is_same) {
            names.push(&other.label);
        }
        if names.len() > 1 {
            let is_assumed = gap.state == CoverageState::Assumed;
            let what = if is_assumed { "observed, only assumed" } else { "exercised" };
            gap.title = format!("{} were never {what}", names.join(" and "));
            if let Some(interaction) = &covering.file.interaction {
                let whole = interaction.node(part.node).span;
                gap.excerpt = excerpt_of(&covering.source, whole);
            }
        }
        gaps.push((part.nodes[0], gap));
    }
    gaps.sort_by_key(|(node, _)| *node);
    gaps.into_iter().map(|(_, gap)| gap).collect()
}

impl Gap {
    fn new(part: &Part, inside: String) -> Gap {
        let (state, excerpt) = (part.count.state(), part.excerpt.clone());
        Gap { state, title: title(part), inside, excerpt }
    }
}

fn title(part: &Part) -> String {
    let label = part.label.as_str();
    if part.count.state() != CoverageState::Assumed {
        return match part.kind {
            PartKind::Action => format!("{label} was never exercised"),
            PartKind::Branch => format!("{label} was never taken"),
            PartKind::Loop => "this loop was never entered".to_owned(),
        };
    }
    let unobserved = match part.kind {
        PartKind::Action | PartKind::Branch => format!("{label} was never observed"),
        PartKind::Loop => "no repetition of this loop was observed".to_owned(),
    };
    match part.count.assumed {
        1 => format!("{unobserved}, only assumed (once)"),
        times => format!("{unobserved}, only assumed ({times} times)"),
    }
}

fn within(tree: &otus_analysis::coverage::Tree, parts: &[Part], outer: &Part) -> String {
    let Some(range) = outer.nodes.first().map(|&node| tree.within(node)) else {
        return String::new();
    };
    // Parts are in the order of their first positions, so this is linear for all gaps together.
    let first =
        |end: usize| parts.partition_point(|part| part.nodes.first().is_some_and(|&at| at < end));
    let inner = &parts[first(range.start)..first(range.end)];
    match inner.iter().filter(|part| part.kind == PartKind::Action).count() {
        0 => String::new(),
        1 => "with its action".to_owned(),
        count => format!("with its {count} actions"),
    }
}
