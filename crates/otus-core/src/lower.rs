//! Lowering: syntax trees to terms. Resolves names and makes n-ary operators binary.
//!
//! A specification may have several files (`sig.hsf` + `model.hif` + `conf.hcf`), one file, or a
//! diagram; the sections of all files are merged. Lowering reports each fault and continues with the
//! most likely meaning, so that one pass finds all faults. Callers use the result only if no diagnostic
//! is an error.
//!
//! ```text
//! f(i)              ↦ i
//! f(i, j, k)        ↦ f(i, f(j, k))
//! a -- m -> b       ↦ strict(a!m, b?m)
//! a -- m -> (b, c)  ↦ strict(a!m, seq(b?m, c?m))
//! a -- m ->|        ↦ a!m
//! m -> b            ↦ b?m
//! m -> (b, c)       ↦ seq(b?m, c?m)
//! <synch>           makes all actions of one passing a single event
//! loopH(i)          ↦ loopW(i), with a note
//! ```
//!
//! Names are resolved before any term is built: `par` is `coreg` on *all* lifelines, including those
//! that are used without a declaration. Time and memory are linear in the size of the files: the nodes
//! of an interaction are stored children first, so one pass suffices.
//!
//! Guards and binders do not change the term. If there are any, [`values`] builds a second tree that has them
//! ([`Valued`]).
//!
//! If the same action occurs with different partners, a second pass builds a *refined* term, whose leaves are split
//! into letters with peers ([`peer`](crate::peer)).

mod names;
mod places;
mod problem;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use otus_syntax::ast::{Interaction, LoopKind, NodeKind, Operator, Passing, SpecFile};
use otus_syntax::name::Name;
use otus_syntax::{Diagnostic, SourceId, Span};

use crate::action::Action;
use crate::index::{Index as _, RegionId, TermId};
use crate::peer::{Partners, Peer};
use crate::pool::Pool;
use crate::valued::Valued;

use names::Resolved;
pub use places::{SourcePlace, source_places};
use problem::{Problem, Problems};

/// Lowers the files of one specification.
///
/// ```
/// use otus_syntax::{Source, parse_spec};
///
/// let signature = parse_spec(&Source::new("sig.hsf", "@lifeline{a; b} @message{m}"));
/// let model = parse_spec(&Source::new("model.hif", "loopW(a -- m -> b)"));
/// let lowered = otus_core::lower(&[&signature.tree, &model.tree]);
/// assert!(lowered.diagnostics.is_empty());
/// assert_eq!(lowered.pool.text(lowered.term.unwrap()), "loopW(strict(a!m, b?m))");
/// ```
pub fn lower(files: &[&SpecFile]) -> Lowered {
    let mut problems = Problems::default();
    let file = the_interaction(files, &mut problems);
    let interaction = file.and_then(|file| files[file].interaction.as_ref());
    let reachable = interaction.map_or_else(Vec::new, reachable);
    let resolved = names::resolve(files, file, &reachable, &mut problems);

    let mut pool = Pool::new(resolved.signature.clone());
    let mut nodes = Vec::new();
    let mut spans = Vec::new();
    let mut leaves = Vec::new();
    let mut partners = Partners::default();
    let mut refined = None;
    let mut valued = None;
    if let (Some(file), Some(interaction)) = (file, interaction) {
        let everyone = everyone(&resolved);
        partners = find_partners(interaction, &reachable, &resolved, &everyone);
        let text = values::Text {
            file,
            tree: files[file],
            interaction,
            reachable: &reachable,
            everyone: &everyone,
        };
        valued = values::build(text, &resolved, &mut pool, &mut problems);
        let mut builder = Builder {
            pool: &mut pool,
            resolved: &resolved,
            problems: &mut problems,
            file,
            implicit: files[file].implicit,
            split: None,
            nodes: Vec::with_capacity(interaction.nodes.len()),
            spans: Vec::new(),
            leaves: Vec::new(),
            seen: vec![(0, 0); files[file].names.len()],
            list: 0,
            head_first: None,
        };
        builder.interaction(interaction, &reachable);
        if partners.has_ambiguous() {
            // All problems were reported by the first pass.
            let mut ignored = Problems::default();
            let mut second = Builder {
                pool: builder.pool,
                problems: &mut ignored,
                split: Some(Split { partners: &partners, everyone: &everyone }),
                nodes: Vec::with_capacity(interaction.nodes.len()),
                ..builder
            };
            second.interaction(interaction, &reachable);
            refined = Some(second.nodes[interaction.root.index()]);
            (nodes, spans, leaves) = (builder.nodes, second.spans, second.leaves);
        } else {
            (nodes, spans, leaves) = (builder.nodes, builder.spans, builder.leaves);
        }
    }
    let term = interaction.map(|interaction| nodes[interaction.root.index()]);
    let diagnostics = problems.render(files, &resolved);
    Lowered {
        pool,
        term,
        refined,
        partners,
        valued,
        diagnostics,
        file,
        nodes,
        source: file.map(|file| files[file].source),
        spans,
        leaves,
    }
}

/// A specification as terms.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The signature and all terms.
    pub pool: Pool,
    /// The interaction, if a file has one.
    pub term: Option<TermId>,
    /// The interaction over letters with peers, if it differs from `term`. It differs if some
    /// action has passings with different partners.
    pub refined: Option<TermId>,
    /// The partners of the actions of the interaction.
    pub partners: Partners,
    /// The interaction with its guards and binders, if it has any. The term has neither.
    pub valued: Option<Box<Valued>>,
    /// The diagnostics, in the order of the files and of their texts.
    pub diagnostics: Vec<Diagnostic>,
    /// The index of the file with the interaction.
    pub file: Option<usize>,
    /// For each syntax node of that interaction: its term; ∅ for nodes that are not reachable from the
    /// root.
    pub nodes: Vec<TermId>,
    source: Option<SourceId>,
    /// For each term id: the span of its first occurrence.
    spans: Vec<Option<Span>>,
    /// The leaves with their places, in the order of the nodes.
    leaves: Vec<(TermId, Span)>,
}

impl Lowered {
    /// All places of a leaf, in the order of the nodes.
    pub fn places(&self, leaf: TermId) -> impl Iterator<Item = Span> {
        self.leaves.iter().filter(move |(term, _)| *term == leaf).map(|&(_, span)| span)
    }

    /// The first occurrence of a term in the text. Terms that were built later have none.
    pub fn place(&self, term: TermId) -> Option<(SourceId, Span)> {
        let span = *self.spans.get(term.index())?;
        Some((self.source?, span?))
    }
}

/// The partners of the actions of an interaction.
fn find_partners(
    interaction: &Interaction,
    reachable: &[bool],
    resolved: &Resolved,
    everyone: &Arc<BTreeSet<Peer>>,
) -> Partners {
    let mut partners = Partners::default();
    for (node, _) in interaction.nodes.iter().zip(reachable).filter(|(_, reached)| **reached) {
        let NodeKind::Passing(passing) = &node.kind else { continue };
        for (action, peers) in actions(passing, resolved, everyone) {
            partners.add(action, &peers);
        }
    }
    partners
}

/// The lifelines of a signature and the environment: the partners of a passing that does not say who is at its other end.
fn everyone(resolved: &Resolved) -> Arc<BTreeSet<Peer>> {
    let all = resolved.signature.lifelines().map(|(lifeline, _)| Peer::Lifeline(lifeline));
    Arc::new(all.chain([Peer::Environment]).collect())
}

/// The actions of a passing, emission first, with their partners.
fn actions(
    passing: &Passing,
    resolved: &Resolved,
    everyone: &Arc<BTreeSet<Peer>>,
) -> Vec<(Action, Arc<BTreeSet<Peer>>)> {
    let message = resolved.message(passing.message);
    let ends = |lifelines: &[Name]| match lifelines {
        [] => everyone.clone(),
        some => {
            let found = some.iter().map(|&name| Peer::Lifeline(resolved.lifeline(name)));
            Arc::new(found.collect())
        }
    };
    let targets = passing.target.lifelines();
    let emission = passing
        .origin
        .map(|origin| (Action::emission(resolved.lifeline(origin), message), ends(targets)));
    let sender = ends(passing.origin.as_slice());
    let receptions = targets
        .iter()
        .map(|&target| (Action::reception(resolved.lifeline(target), message), sender.clone()));
    emission.into_iter().chain(receptions).collect()
}

/// The index of the first file with an interaction. Further interactions are reported.
fn the_interaction(files: &[&SpecFile], problems: &mut Problems) -> Option<usize> {
    let root = |file: usize| {
        files[file].interaction.as_ref().and_then(|i| Some(i.nodes.get(i.root.index())?.span))
    };
    let mut having = (0..files.len()).filter(|&file| root(file).is_some());
    let first = having.next()?;
    for file in having {
        let (Some(span), Some(first_span)) = (root(file), root(first)) else { continue };
        problems.add(file, span, Problem::SeveralInteractions { first, first_span });
    }
    Some(first)
}

/// For each node: whether it is reachable from the root. Error recovery may leave unreachable nodes
/// behind.
pub(crate) fn reachable(interaction: &Interaction) -> Vec<bool> {
    let mut reached = vec![false; interaction.nodes.len()];
    let root = interaction.root.index();
    if let Some(root) = reached.get_mut(root) {
        *root = true;
    }
    for at in (0..reached.len().min(root + 1)).rev() {
        let (true, NodeKind::Operator(_, operands)) = (reached[at], &interaction.nodes[at].kind)
        else {
            continue;
        };
        for operand in operands {
            debug_assert!(operand.index() < at, "children come before parents");
            reached[operand.index()] = true;
        }
    }
    reached
}

/// How the leaves of ambiguous actions are split into letters.
#[derive(Clone, Copy)]
struct Split<'a> {
    partners: &'a Partners,
    everyone: &'a Arc<BTreeSet<Peer>>,
}

struct Builder<'a> {
    pool: &'a mut Pool,
    resolved: &'a Resolved,
    problems: &'a mut Problems,
    file: usize,
    implicit: bool,
    /// Whether and how leaves are split.
    split: Option<Split<'a>>,
    nodes: Vec<TermId>,
    spans: Vec<Option<Span>>,
    leaves: Vec<(TermId, Span)>,
    /// For each symbol: its first index in the last list that contains it, and the number of that
    /// list.
    seen: Vec<(usize, u32)>,
    list: u32,
    /// The first `loopH`, and the number of all of them.
    head_first: Option<(Span, usize)>,
}

impl Builder<'_> {
    fn interaction(&mut self, interaction: &Interaction, reachable: &[bool]) {
        for (node, &reached) in interaction.nodes.iter().zip(reachable) {
            let term = if reached {
                match &node.kind {
                    // The parser has reported an invalid node.
                    NodeKind::Empty | NodeKind::Invalid => self.at(node.span, Pool::EMPTY),
                    NodeKind::Passing(passing) => self.passing(passing, node.span),
                    NodeKind::Operator(operator, operands) => {
                        let operands: Vec<(TermId, Span)> = operands
                            .iter()
                            .map(|&id| (self.nodes[id.index()], interaction.node(id).span))
                            .collect();
                        self.operator(operator, &operands, node.span)
                    }
                }
            } else {
                Pool::EMPTY
            };
            self.nodes.push(term);
        }
        if let Some((span, count)) = self.head_first {
            self.problems.add(self.file, span, Problem::HeadFirst { others: count - 1 });
        }
    }

    fn operator(&mut self, operator: &Operator, operands: &[(TermId, Span)], span: Span) -> TermId {
        match operator {
            Operator::Strict => self.nest(operands, span, Pool::strict),
            Operator::Seq => self.nest(operands, span, Pool::seq),
            Operator::Par => self.nest(operands, span, Pool::par),
            Operator::Alt => self.nest(operands, span, Pool::alt),
            Operator::Coreg(names) => {
                let region = self.region(names);
                self.nest(operands, span, |pool, left, right| pool.coreg(region, left, right))
            }
            Operator::Loop(kind) => {
                // The parser reports a loop with several operands; they are read in sequence.
                let body = self.nest(operands, span, Pool::seq);
                let term = match kind {
                    LoopKind::Strict => self.pool.loop_s(body),
                    LoopKind::Weak => self.pool.loop_w(body),
                    LoopKind::HeadFirst => {
                        // A diagram has no keyword, so the whole span is reported.
                        let end = span.end.min(span.start.saturating_add(5));
                        let keyword = if self.implicit { span } else { Span::new(span.start, end) };
                        self.head_first.get_or_insert((keyword, 0)).1 += 1;
                        self.pool.loop_w(body)
                    }
                    LoopKind::Parallel => self.pool.loop_p(body),
                    LoopKind::Coregion(names) => {
                        let region = self.region(names);
                        self.pool.loop_c(region, body)
                    }
                };
                self.at(span, term)
            }
            // Values stand beside the term.
            Operator::New(_) | Operator::Fresh(_) => self.nest(operands, span, Pool::seq),
        }
    }

    /// `f(i, j, k) = f(i, f(j, k))`, `f(i) = i` and `f() = ∅`.
    fn nest(
        &mut self,
        operands: &[(TermId, Span)],
        span: Span,
        mut join: impl FnMut(&mut Pool, TermId, TermId) -> TermId,
    ) -> TermId {
        let Some((&(last, last_span), before)) = operands.split_last() else {
            return self.at(span, Pool::EMPTY);
        };
        let mut term = last;
        for (i, &(operand, operand_span)) in before.iter().enumerate().rev() {
            term = join(self.pool, operand, term);
            self.at(if i == 0 { span } else { operand_span.to(last_span) }, term);
        }
        term
    }

    fn passing(&mut self, passing: &Passing, span: Span) -> TermId {
        let targets = passing.target.lifelines();
        let message = self.resolved.message(passing.message);
        self.report_repeated(targets, Some((passing.message, passing.synchronous)));
        let emission = passing
            .origin
            .map(|origin| (Action::emission(self.resolved.lifeline(origin), message), origin.span));
        let receptions: Vec<(Action, Span)> = targets
            .iter()
            .map(|&target| {
                let alone = targets.len() == 1;
                let place = if alone { passing.message.span.to(target.span) } else { target.span };
                (Action::reception(self.resolved.lifeline(target), message), place)
            })
            .collect();
        if passing.synchronous {
            self.report_synchronous_self(passing);
            let actions: Vec<Action> =
                emission.iter().chain(&receptions).map(|&(action, _)| action).collect();
            return self.leaf(passing, &actions, span);
        }
        let emission = emission
            .map(|(action, place)| self.leaf(passing, &[action], place.to(passing.message.span)));
        let receptions: Vec<(TermId, Span)> = receptions
            .into_iter()
            .map(|(action, place)| (self.leaf(passing, &[action], place), place))
            .collect();
        match (emission, receptions.as_slice()) {
            (None, receptions) => self.nest(receptions, span, Pool::seq),
            (Some(emission), []) => emission,
            (Some(emission), [(_, first), ..]) => {
                let last = receptions.last().map_or(*first, |&(_, last)| last);
                let received = self.nest(&receptions, first.to(last), Pool::seq);
                let term = self.pool.strict(emission, received);
                self.at(span, term)
            }
        }
    }

    /// The event of some actions of a passing; ∅ for none. If leaves are split, it is the `alt` of the events over all
    /// choices of a letter for each ambiguous action.
    fn leaf(&mut self, passing: &Passing, chosen: &[Action], place: Span) -> TermId {
        if chosen.is_empty() {
            return self.at(place, Pool::EMPTY);
        }
        let mut events = vec![chosen.to_vec()];
        if let Some(split) = self.split {
            for (action, peers) in actions(passing, self.resolved, split.everyone) {
                let at = chosen.iter().position(|&other| other == action);
                let Some(at) = at.filter(|_| split.partners.is_ambiguous(action)) else { continue };
                for event in std::mem::take(&mut events) {
                    for &peer in &*peers {
                        let mut other = event.clone();
                        other[at].peer = Some(peer);
                        events.push(other);
                    }
                    events.push(event);
                }
            }
        }
        let mut leaf = None;
        for event in events {
            let event = self.pool.intern_event(&event);
            let term = self.pool.event(event);
            self.at(place, term);
            self.leaves.push((term, place));
            leaf = Some(leaf.map_or(term, |others| self.pool.alt(term, others)));
        }
        self.at(place, leaf.unwrap_or(Pool::EMPTY))
    }

    fn report_synchronous_self(&mut self, passing: &Passing) {
        let Some(origin) = passing.origin else { return };
        let mut targets = passing.target.lifelines().iter();
        if let Some(itself) = targets.find(|target| target.symbol == origin.symbol) {
            let problem = Problem::SynchronousSelf { name: *itself, origin: origin.span };
            self.problems.add(self.file, itself.span, problem);
        }
    }

    fn region(&mut self, names: &[Name]) -> RegionId {
        self.report_repeated(names, None);
        let lifelines = names.iter().map(|&name| self.resolved.lifeline(name)).collect();
        self.pool.intern_region(&lifelines)
    }

    /// Reports the repeated names of a list, each with its first occurrence.
    fn report_repeated(&mut self, names: &[Name], received: Option<(Name, bool)>) {
        self.list += 1;
        for (at, &name) in names.iter().enumerate() {
            let (first, list) = &mut self.seen[name.symbol.index()];
            if *list == self.list {
                let problem = Problem::Repeated { name, first: names[*first].span, received };
                self.problems.add(self.file, name.span, problem);
            } else {
                (*first, *list) = (at, self.list);
            }
        }
    }

    /// Records the span of a term, unless it has one.
    fn at(&mut self, span: Span, term: TermId) -> TermId {
        if self.spans.len() <= term.index() {
            self.spans.resize(term.index() + 1, None);
        }
        self.spans[term.index()].get_or_insert(span);
        term
    }
}
