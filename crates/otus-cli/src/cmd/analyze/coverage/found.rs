//! What was exercised and what was not, with where it stands: plain data for all who write it.
//!
//! What diagrams repeat (bounded loops unfold) stands at several positions and is written once: such parts are
//! put together.

use std::ops::Range;

use otus_analysis::coverage::{Count, Coverage, PartKind, State};
use otus_core::{Pool, Term};
use otus_syntax::Span;
use otus_syntax::ast::NodeId;
use rustc_hash::FxHashMap;

use super::super::spec_text;
use super::super::tally::Tally;
use super::Covering;
use crate::report::model::Place;

/// Coverage of a specification.
#[derive(Debug)]
pub(crate) struct Found {
    /// The file that the interaction is in.
    pub(crate) specification: String,
    /// In the order of their positions.
    pub(crate) parts: Vec<Part>,
    /// What was not exercised, without what is inside of something that was not.
    pub(crate) gaps: Vec<Gap>,
    /// How many multi-traces were counted.
    pub(crate) counted: u64,
    /// How many were not, and why.
    pub(crate) left_out: Vec<(u64, &'static str)>,
}

/// An action, a branch or a loop.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    /// `broker!PUBREL`, `branch 2 of 3`
    pub(crate) label: String,
    pub(crate) place: Place,
    /// The line, and which bytes of it are meant.
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
    pub(crate) count: Count,
    /// Its positions.
    pub(super) nodes: Vec<usize>,
    /// The node of the text.
    pub(super) node: NodeId,
}

/// Something that was not exercised.
#[derive(Debug)]
pub(crate) struct Gap {
    pub(crate) state: State,
    /// In a sentence.
    pub(crate) title: String,
    /// What is inside of it, in words; empty if that is nothing.
    pub(crate) inside: String,
    pub(crate) place: Place,
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// How many parts of a kind there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) total: usize,
    pub(crate) exercised: usize,
    pub(crate) assumed: usize,
}

impl Found {
    pub(super) fn new(covering: &Covering, pool: &Pool, sum: &Coverage, tally: &Tally) -> Found {
        let totals = tally.totals(0);
        let unexplained = covering.unexplained.load(std::sync::atomic::Ordering::Relaxed);
        let (all, undecided) = (totals.checked as u64, totals.undecided as u64);
        let earlier = tally.earlier as u64;
        let others = sum.counted + sum.uncounted + unexplained + undecided + earlier;
        let left_out = [
            (all.saturating_sub(others), "failed"),
            (undecided, "undecided"),
            (earlier, "decided by an earlier run"),
            (unexplained, "not explained within the limits"),
            (sum.uncounted, "too large to be counted"),
        ];
        let parts = parts(covering, pool, sum);
        Found {
            specification: covering.source.name().to_owned(),
            gaps: gaps(covering, &parts),
            parts,
            counted: sum.counted,
            left_out: left_out.into_iter().filter(|(count, _)| *count > 0).collect(),
        }
    }

    /// How many parts of a kind there are, or of all.
    pub(crate) fn share(&self, kind: Option<PartKind>) -> Share {
        let mut share = Share::default();
        for part in self.parts.iter().filter(|part| kind.is_none_or(|kind| part.kind == kind)) {
            share.total += 1;
            match part.count.state() {
                State::Exercised => share.exercised += 1,
                State::Assumed => share.assumed += 1,
                State::Never => {}
            }
        }
        share
    }

    /// Whether so many in a hundred parts were exercised.
    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer parts than a double has digits"
    )]
    pub(crate) fn reaches(&self, percent: f64) -> bool {
        let share = self.share(None);
        share.exercised as f64 * 100.0 >= percent * share.total as f64
    }

    /// How many in a hundred parts were exercised, rounded down: all is all.
    pub(crate) fn percent_text(&self) -> String {
        let Share { total, exercised, .. } = self.share(None);
        format!("{} %", (exercised * 100).checked_div(total).unwrap_or(100))
    }

    /// Whether nothing at all was exercised.
    pub(crate) fn is_nothing(&self) -> bool {
        self.share(None).exercised == 0
    }

    /// What reports list of each part: its kind, its label, where it stands, and by how many groups it was
    /// exercised.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&'static str, String, String, u64)> {
        self.parts.iter().map(|part| {
            let assumed = match part.count.state() {
                State::Assumed => " (only assumed)",
                State::Exercised | State::Never => "",
            };
            let place = format!("{}:{}", part.place.file, part.place.line);
            (kind_name(part.kind), format!("{}{assumed}", part.label), place, part.count.groups)
        })
    }
}

/// As written in reports.
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
                if pool.has_events(term) {
                    format!("branch {number} of {of}")
                } else {
                    // What is not written has no place but that of the choice.
                    at = choice;
                    "nothing".to_owned()
                }
            }
            PartKind::Loop => match pool.node(term) {
                Term::LoopS(_) => "strict loop".to_owned(),
                Term::LoopC(Pool::NONE, _) => "loop".to_owned(),
                Term::LoopC(Pool::ALL, _) => "parallel loop".to_owned(),
                Term::LoopC(..) => "loop with a co-region".to_owned(),
                Term::Empty
                | Term::Event(_)
                | Term::Strict(..)
                | Term::Coreg(..)
                | Term::Alt(..) => "loop".to_owned(),
            },
        };
        let written = covering.places[at];
        match known.get(&(part.kind, label.clone(), written.span)) {
            Some(&same) => {
                parts[same].count.merge(count);
                parts[same].nodes.push(part.node);
            }
            None => {
                known.insert((part.kind, label.clone(), written.span), parts.len());
                let (place, text, span) = spec_text::place(&covering.source, written.span);
                let (count, nodes, node) = (*count, vec![part.node], written.node);
                parts.push(Part { kind: part.kind, label, place, text, span, count, nodes, node });
            }
        }
    }
    parts
}

fn gaps(covering: &Covering, parts: &[Part]) -> Vec<Gap> {
    let tree = &covering.tree;
    // By position: whether it is inside of a gap.
    let mut inside = vec![false; tree.len()];
    let mut gaps: Vec<Gap> = Vec::new();
    // The last gap that is a message, with its node and the names of its actions.
    let mut last: Option<(NodeId, State, Vec<&str>)> = None;
    for part in parts {
        let state = part.count.state();
        if state == State::Exercised || part.nodes.iter().all(|&node| inside[node]) {
            continue;
        }
        let times = part.count.assumed;
        let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
        let said = |never: &str, observed: &str| match state {
            State::Never | State::Exercised => never.to_owned(),
            State::Assumed => format!("{observed}, only assumed ({times})"),
        };
        let label = part.label.as_str();
        let title = match part.kind {
            PartKind::Action => {
                // Both ends of a message are one gap.
                if let (Some((node, known, labels)), Some(gap)) = (&mut last, gaps.last_mut())
                    && (*node, *known) == (part.node, state)
                {
                    labels.push(label);
                    let names = labels.join(" and ");
                    gap.title = match state {
                        State::Never | State::Exercised => format!("{names} were never exercised"),
                        State::Assumed => format!("{names} were never observed, only assumed"),
                    };
                    let whole = covering.file.interaction.as_ref();
                    if let Some(whole) = whole.map(|tree| tree.node(part.node).span) {
                        (gap.place, gap.text, gap.span) = spec_text::place(&covering.source, whole);
                    }
                    continue;
                }
                last = Some((part.node, state, vec![label]));
                said(
                    &format!("{label} was never exercised"),
                    &format!("{label} was never observed"),
                )
            }
            PartKind::Branch if label == "nothing" => said(
                "the choice to do nothing was never taken",
                "the choice to do nothing was never observed",
            ),
            PartKind::Branch => {
                said(&format!("{label} was never taken"), &format!("{label} was never observed"))
            }
            PartKind::Loop => {
                said("this loop was never entered", "no repetition of this loop was observed")
            }
        };
        let own = match part.kind {
            PartKind::Action => Vec::new(),
            PartKind::Branch => part.nodes.iter().map(|&node| tree.within(node)).collect(),
            PartKind::Loop => {
                let below = |&node: &usize| node + 1..tree.within(node).end;
                part.nodes.iter().map(below).collect::<Vec<_>>()
            }
        };
        for range in own {
            inside[range].fill(true);
        }
        if part.kind != PartKind::Action {
            last = None;
        }
        let below = match part.kind {
            PartKind::Action => String::new(),
            PartKind::Branch | PartKind::Loop => within(tree, parts, part),
        };
        let (place, text, span) = (part.place.clone(), part.text.clone(), part.span.clone());
        gaps.push(Gap { state, title, inside: below, place, text, span });
    }
    gaps
}

/// What a part has inside, in words.
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
