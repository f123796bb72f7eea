//! The size of each part of a diagram, and the columns of the lifelines.
//!
//! Operands come before their operators in the arena, so one pass in order computes for every node
//! the lifelines it touches, its extent to the left of the first and to the right of
//! the last, and its rows. The pass collects the least distances between lifelines, from which the
//! columns are computed from left to right.

use std::collections::BTreeMap;

use otus_core::Signature;
use otus_syntax::ast::{Interaction, NodeId, NodeKind, Operator, Passing, SpecFile};
use otus_syntax::name::Name;
use otus_syntax::print;
use rustc_hash::FxHashMap;

use super::canvas::{shorten, width};
use crate::layout::sequence::word;

#[derive(Debug)]
pub(super) struct Measured {
    /// For each lifeline: its head and its column.
    pub(super) heads: Vec<String>,
    pub(super) columns: Vec<usize>,
    pub(super) parts: Vec<Part>,
    pub(super) width: usize,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    pub(super) span: Option<(usize, usize)>,
    /// The width that the part takes to the left of the first lifeline of its span; `right` is that
    /// to the right of the last lifeline.
    pub(super) left: usize,
    pub(super) right: usize,
    /// The number of rows; 0 only for the empty interaction.
    pub(super) rows: u64,
    pub(super) appearance: Appearance,
}

#[derive(Debug, Clone, Default)]
pub(super) enum Appearance {
    /// No form of its own: its operands are drawn one below the other.
    #[default]
    Sequence,
    Arrow(Arrow),
    Frame {
        title: String,
        operands: Vec<NodeId>,
        separated: bool,
    },
    /// A part with a syntax error.
    Invalid,
}

#[derive(Debug, Clone)]
pub(super) struct Arrow {
    pub(super) label: String,
    pub(super) origin: Option<usize>,
    /// Receiving lifelines other than the origin.
    pub(super) targets: Vec<usize>,
    /// Whether the origin also receives the message.
    pub(super) own: bool,
    pub(super) synchronous: bool,
}

/// The text in place of a part with a syntax error.
pub(super) const UNREADABLE: &str = "(unreadable)";
/// The width of the loop of a message to its own sender, and of the shortest arrow to or from the environment.
const OWN: usize = 4;
const OUTSIDE: usize = 5;

impl Measured {
    /// Measures an interaction. No text is wider than `most` columns.
    pub(super) fn new(
        file: &SpecFile,
        interaction: &Interaction,
        signature: &Signature,
        most: usize,
    ) -> Self {
        let mut measure = Measure {
            file,
            most,
            heads: Vec::new(),
            known: FxHashMap::default(),
            apart: BTreeMap::new(),
            left: Vec::new(),
            right: Vec::new(),
            parts: Vec::with_capacity(interaction.nodes.len()),
        };
        for (lifeline, name) in signature.lifelines() {
            measure.add(name, signature.label(lifeline).unwrap_or(name));
        }
        for (is_used, node) in used(interaction).into_iter().zip(&interaction.nodes) {
            let part =
                if is_used { measure.node(interaction, &node.kind) } else { Part::default() };
            measure.parts.push(part);
        }
        measure.finish()
    }
}

/// For each node: whether it is part of the interaction.
fn used(interaction: &Interaction) -> Vec<bool> {
    let mut used = vec![false; interaction.nodes.len()];
    used[interaction.root.0 as usize] = true;
    // Operators come after their operands, so a backward pass visits each operator before its operands.
    for index in (0..used.len()).rev() {
        if let (true, NodeKind::Operator(_, operands)) =
            (used[index], &interaction.nodes[index].kind)
        {
            for operand in operands {
                used[operand.0 as usize] = true;
            }
        }
    }
    used
}

struct Measure<'f> {
    file: &'f SpecFile,
    most: usize,
    heads: Vec<String>,
    known: FxHashMap<String, usize>,
    /// For each pair of lifelines: the least number of columns between them.
    apart: BTreeMap<(usize, usize), usize>,
    /// For each lifeline: the number of free columns beside it.
    left: Vec<usize>,
    right: Vec<usize>,
    parts: Vec<Part>,
}

impl Measure<'_> {
    fn add(&mut self, name: &str, shown: &str) -> usize {
        let index = self.heads.len();
        self.known.insert(name.to_owned(), index);
        self.heads.push(shorten(shown, self.most));
        self.left.push(0);
        self.right.push(0);
        index
    }

    /// The number of a lifeline; undeclared lifelines come after all declared lifelines.
    fn lifeline(&mut self, name: Name) -> usize {
        let text = self.file.names.text(name.symbol);
        match self.known.get(text) {
            Some(&index) => index,
            None => self.add(text, text),
        }
    }

    fn keep_apart(&mut self, first: usize, last: usize, columns: usize) {
        let known = self.apart.entry((first, last)).or_default();
        *known = columns.max(*known);
    }

    fn node(&mut self, interaction: &Interaction, kind: &NodeKind) -> Part {
        match kind {
            NodeKind::Empty => Part::default(),
            NodeKind::Invalid => {
                Part { rows: 1, appearance: Appearance::Invalid, ..Part::default() }
            }
            NodeKind::Passing(passing) => self.passing(passing),
            NodeKind::Operator(operator, operands) => {
                self.operator(interaction, operator, operands)
            }
        }
    }

    fn passing(&mut self, passing: &Passing) -> Part {
        let origin = passing.origin.map(|name| self.lifeline(name));
        let named = passing.target.lifelines().iter();
        let mut targets: Vec<usize> = named.map(|&name| self.lifeline(name)).collect();
        targets.sort_unstable();
        targets.dedup();
        let own = origin.is_some_and(|origin| targets.contains(&origin));
        targets.retain(|&target| Some(target) != origin);
        let message = self.file.names.text(passing.message.symbol);
        let label = if passing.guard.is_empty() {
            shorten(message, self.most)
        } else {
            let guard = print::guard(self.file, passing);
            shorten(&format!("{message} {guard}"), self.most.saturating_mul(2))
        };
        let columns = width(&label);
        let touched = || targets.iter().copied().chain(origin);
        let Some(span) = touched().min().zip(touched().max()) else { return Part::default() };
        let mut part = Part { span: Some(span), rows: 2, ..Part::default() };
        if own {
            part.rows += if targets.is_empty() { 1 } else { 2 };
            // If there are other targets, the loop is drawn below the label, so only the loop must
            // fit.
            let reach = if targets.is_empty() { OWN.max(columns + 2) } else { OWN };
            let at = origin.unwrap_or(span.0);
            self.right[at] = self.right[at].max(reach);
            if at == span.1 {
                part.right = reach;
            }
        }
        if !targets.is_empty() && origin.is_some() {
            self.keep_apart(span.0, span.1, columns + 5);
        } else if targets.is_empty() && !own {
            part.right = OUTSIDE.max(columns + 3);
            self.right[span.1] = self.right[span.1].max(part.right);
        } else if origin.is_none() {
            part.left = OUTSIDE.max(columns + 3);
            self.left[span.0] = self.left[span.0].max(part.left);
        }
        let synchronous = passing.synchronous;
        part.appearance = Appearance::Arrow(Arrow { label, origin, targets, own, synchronous });
        part
    }

    fn operator(
        &mut self,
        interaction: &Interaction,
        operator: &Operator,
        operands: &[NodeId],
    ) -> Part {
        if let (Operator::Fresh(fresh), &[inner]) = (operator, operands)
            && let NodeKind::Operator(operator, operands) = &interaction.node(inner).kind
        {
            let title = format!("{} (fresh {})", self.title(operator), self.names(fresh));
            return self.frame(title, operands.clone(), false);
        }
        if let Operator::New(_) = operator {
            return self.frame(self.title(operator), operands.to_vec(), false);
        }
        let is_loop = matches!(operator, Operator::Loop(_));
        if *operator == Operator::Seq || (!is_loop && operands.len() < 2) {
            let rows = self.rows(operands, 0);
            return Part { rows, ..self.together(operands) };
        }
        let is_empty = |id: NodeId| interaction.node(id).kind == NodeKind::Empty;
        match *operands {
            [some, none] | [none, some] if *operator == Operator::Alt && is_empty(none) => {
                self.frame("opt".to_owned(), vec![some], false)
            }
            _ => self.frame(self.title(operator), operands.to_vec(), !is_loop),
        }
    }

    /// The title of a frame, with the lifelines of its coregion.
    fn title(&self, operator: &Operator) -> String {
        let (word, has_region) = word(operator);
        if let Operator::New(variables) = operator {
            return format!("{word} {}", self.names(variables));
        }
        if !has_region {
            return word.to_owned();
        }
        let names: Vec<String> = operator
            .region()
            .iter()
            .map(|name| {
                let text = self.file.names.text(name.symbol);
                let head = self.known.get(text).map(|&index| self.heads[index].clone());
                head.unwrap_or_else(|| shorten(text, self.most))
            })
            .collect();
        let most = self.most.saturating_mul(4);
        shorten(&format!("{word}({})", names.join(", ")), most)
    }

    /// Variables, separated by commas.
    fn names(&self, names: &[Name]) -> String {
        let texts: Vec<&str> = names.iter().map(|name| self.file.names.text(name.symbol)).collect();
        shorten(&texts.join(", "), self.most)
    }

    /// The lifelines and the extent of some nodes together.
    fn together(&self, operands: &[NodeId]) -> Part {
        let parts = || operands.iter().map(|operand| &self.parts[operand.0 as usize]);
        let spans = || parts().filter_map(|part| part.span);
        let span = spans().map(|span| span.0).min().zip(spans().map(|span| span.1).max());
        let reach = |at: fn(&Part) -> Option<(usize, usize)>, edge: Option<usize>| {
            let touching = parts().filter_map(at).filter(|(at, _)| Some(*at) == edge);
            touching.map(|(_, reach)| reach).max().unwrap_or(0)
        };
        Part {
            span,
            left: reach(|part| Some((part.span?.0, part.left)), span.map(|span| span.0)),
            right: reach(|part| Some((part.span?.1, part.right)), span.map(|span| span.1)),
            ..Part::default()
        }
    }

    /// The total number of rows of some nodes. A node with fewer than `least` rows counts as `least` rows.
    fn rows(&self, operands: &[NodeId], least: u64) -> u64 {
        let rows = operands.iter().map(|operand| self.parts[operand.0 as usize].rows.max(least));
        rows.fold(0, u64::saturating_add)
    }

    fn frame(&mut self, title: String, operands: Vec<NodeId>, separated: bool) -> Part {
        if self.heads.is_empty() {
            self.add("", "");
        }
        let mut part = self.together(&operands);
        let span = part.span.unwrap_or((0, 0));
        part.span = Some(span);
        part.left += 2;
        part.right += 2;
        let least = width(&title) + 5;
        if span.0 < span.1 {
            self.keep_apart(span.0, span.1, least.saturating_sub(part.left + part.right));
        } else {
            part.right = part.right.max(least.saturating_sub(part.left));
        }
        self.left[span.0] = self.left[span.0].max(part.left);
        self.right[span.1] = self.right[span.1].max(part.right);
        let lines = if separated { operands.len().saturating_sub(1) as u64 } else { 0 };
        // Operands without rows show ∅; those of a loop are not separated.
        let inside = self.rows(&operands, u64::from(separated)).max(1);
        part.rows = inside.saturating_add(lines + 2);
        part.appearance = Appearance::Frame { title, operands, separated };
        part
    }

    fn finish(mut self) -> Measured {
        let count = self.heads.len();
        let mut columns = vec![0; count];
        let boxes: Vec<usize> = self.heads.iter().map(|head| width(head) + 4).collect();
        for (index, &width) in boxes.iter().enumerate() {
            let before = (width - 1) / 2;
            let after = width - 1 - before;
            if index > 0 {
                let other = boxes[index - 1];
                let needed = other - 1 - (other - 1) / 2 + before + 2;
                self.keep_apart(index - 1, index, needed);
                let reach = self.right[index - 1].max(self.left[index]) + 2;
                self.keep_apart(index - 1, index, reach);
            } else {
                columns[0] = before.max(self.left[0]);
            }
            if index + 1 == count {
                self.right[index] = self.right[index].max(after);
            }
        }
        let mut apart: Vec<((usize, usize), usize)> = self.apart.into_iter().collect();
        apart.sort_unstable_by_key(|&((first, last), _)| (last, first));
        for ((first, last), needed) in apart {
            columns[last] = columns[last].max(columns[first] + needed);
        }
        let width = columns.last().zip(self.right.last()).map_or(0, |(x, right)| x + right + 1);
        // The text in place of parts with errors needs room as well.
        let unreadable =
            self.parts.iter().any(|part| matches!(part.appearance, Appearance::Invalid));
        let width = width.max(if unreadable { UNREADABLE.len() + 2 } else { 1 });
        Measured { heads: self.heads, columns, parts: self.parts, width }
    }
}
