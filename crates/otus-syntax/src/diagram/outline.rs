//! Turns the tree of an interaction into the statements of a diagram.
//!
//! `build(outline(t))` is the same term as `t`, where n-ary operators are right-nested
//! (`seq(a, b, c)` is `seq(a, seq(b, c))`), an operator with one operand is that operand, and
//! `coreg()` is `seq`. To achieve this:
//! - a sequence becomes consecutive statements, also in the *last* position of a sequence; elsewhere it
//!   becomes an explicit `seq` block;
//! - ∅ becomes an `empty` statement, or no statement if it is a whole operand;
//! - an operator that diagrams lack becomes a block whose statements are the operands;
//! - a message from a lifeline to itself becomes a `strict` block of its two actions, since an
//!   arrow to oneself denotes a local action.
//!
//! The traversal uses an explicit stack. Its output is linear in the size of the *term*: a shared
//! operand is written at each of its occurrences.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::ast::guard::{Atom, Operand, Relation, Test};
use crate::ast::{
    Interaction, LoopKind, Node, NodeId, NodeKind, Operator, Passing, Section, SpecFile,
};
use crate::diagram::statement::{
    Fragment, Look, Mark, Message, Repetition, Separator, Statement, StatementKind,
};
use crate::drawing::Drawing;
use crate::grammar::interaction::guard::{Draft, same};
use crate::name::{Name, Names, Symbol};
use crate::source::Span;

mod look;
mod presentation;

pub(crate) use presentation::{Style, present};

/// The statements of a diagram, before they are spelt in a language.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    pub names: Names,
    /// The statements; their spans are those of the tree.
    pub statements: Vec<Statement>,
    /// The parts of the drawing that cannot be kept.
    pub left_out: BTreeSet<&'static str>,
}

/// The statements of a tree: `build(outline(tree))` is the same term.
pub(crate) fn outline(tree: &SpecFile) -> Outline {
    let (mut statements, mut names) = (Vec::new(), tree.names.clone());
    let drawing = tree.drawing.as_deref();
    if let Some(drawing) = drawing {
        look::headings(drawing, &mut statements);
    }
    if has_values(tree) {
        let kind = StatementKind::Mark(Mark::Values);
        statements.insert(0, Statement { span: Span::default(), kind });
    }
    declarations(tree, &mut statements);
    if let Some(interaction) = &tree.interaction {
        let (statements, tasks) = (&mut statements, Vec::new());
        Walk { interaction, drawing, names: &mut names, statements, tasks }.run();
    }
    Outline { names, statements, left_out: BTreeSet::new() }
}

/// Whether some message of a tree has a guard.
fn has_values(tree: &SpecFile) -> bool {
    let mut nodes = tree.interaction.iter().flat_map(|interaction| &interaction.nodes);
    nodes.any(|node| matches!(&node.kind, NodeKind::Passing(passing) if !passing.guard.is_empty()))
}

/// The deepest level that writers indent further. Without a bound, the output for deep diagrams would
/// have quadratic size.
pub(super) const MAX_INDENT: usize = 40;

/// A pending part of the output; the last one on the stack is next.
enum Task {
    /// A node, to be written as exactly one statement.
    Single(NodeId),
    /// A node, to be written as the rest of a sequence.
    Rest(NodeId),
    /// A node, to be written as a whole operand: like the rest of a sequence, but without a
    /// statement for ∅.
    Operand(NodeId),
    Write(Span, StatementKind),
}

struct Walk<'a> {
    interaction: &'a Interaction,
    drawing: Option<&'a Drawing>,
    /// The names of the tree, and those of new variables.
    names: &'a mut Names,
    statements: &'a mut Vec<Statement>,
    tasks: Vec<Task>,
}

impl Walk<'_> {
    fn run(mut self) {
        self.tasks.push(Task::Operand(self.interaction.root));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Write(span, kind) => self.statements.push(Statement { span, kind }),
                Task::Single(node) => self.single(node),
                Task::Operand(node) => {
                    let node = self.resolve(node);
                    if !self.is_empty(node) {
                        self.rest(node);
                    }
                }
                Task::Rest(node) => {
                    let node = self.resolve(node);
                    self.rest(node);
                }
            }
        }
    }

    /// A resolved node as the rest of a sequence.
    fn rest(&mut self, node: NodeId) {
        if is_sequence(&self.interaction.node(node).kind) {
            self.marks(node);
        }
        self.members(node);
    }

    /// Writes a sequence as its statements, without its own marks; writes any other node as it is.
    fn members(&mut self, node: NodeId) {
        if let NodeKind::Operator(operator, operands) = &self.interaction.node(node).kind
            && is_seq(operator)
            && let [others @ .., last] = &operands[..]
        {
            self.tasks.push(Task::Rest(*last));
            self.tasks.extend(others.iter().rev().map(|&operand| Task::Single(operand)));
        } else {
            self.single(node);
        }
    }

    fn single(&mut self, node: NodeId) {
        let node = self.resolve(node);
        let interaction = self.interaction;
        let span = interaction.node(node).span;
        let is_block = is_sequence(&interaction.node(node).kind);
        if !is_block {
            self.marks(node);
        }
        self.guard_before(node);
        if self.drawn_arrow(node) {
            return;
        }
        let (operator, operands) = match &interaction.node(node).kind {
            NodeKind::Passing(passing) => return self.passing(span, passing),
            NodeKind::Operator(operator, operands) if !operands.is_empty() => (operator, operands),
            NodeKind::Empty | NodeKind::Invalid | NodeKind::Operator(..) => {
                return self.write(span, StatementKind::Empty);
            }
        };
        match operator {
            Operator::Seq => self.sequence(node),
            Operator::Coreg(region) if region.is_empty() => self.sequence(node),
            Operator::Strict | Operator::Coreg(_) => self.block(node, operator),
            Operator::New(_) => {
                self.open(span, Fragment::Block(operator.clone()));
                self.tasks.extend(operands.iter().rev().map(|&body| Task::Rest(body)));
            }
            Operator::Fresh(fresh) => {
                match operands.first().map(|&id| (id, interaction.node(id))) {
                    Some((
                        id,
                        Node { kind: NodeKind::Operator(Operator::Loop(kind), body), .. },
                    )) => {
                        self.repeated(id, kind, fresh, body);
                    }
                    // The parser puts it around a loop only.
                    Some((id, _)) => self.tasks.push(Task::Rest(id)),
                    None => {}
                }
            }
            Operator::Par => self.fragment(node, Fragment::Par, Separator::And),
            Operator::Alt => match operands[..] {
                [body, other] if self.is_empty(self.resolve(other)) => {
                    self.look_of_frame(node, 1);
                    self.open(span, Fragment::Opt);
                    self.tasks.push(Task::Operand(body));
                }
                _ => self.fragment(node, Fragment::Alt, Separator::Else),
            },
            Operator::Loop(kind) => self.repeated(node, kind, &[], operands),
        }
    }

    /// A loop whose iterations have variables of their own.
    fn repeated(&mut self, node: NodeId, kind: &LoopKind, fresh: &[Name], operands: &[NodeId]) {
        let span = self.interaction.node(node).span;
        if *kind != LoopKind::Weak || !fresh.is_empty() {
            let mark = Mark::LoopKind(kind.clone(), fresh.to_vec());
            self.write(span, StatementKind::Mark(mark));
        }
        self.look_of_loop(node);
        self.open(span, Fragment::Loop(Repetition::ANY));
        // The parser reports a loop with several operands.
        match *operands {
            [body] => self.tasks.push(Task::Operand(body)),
            _ => self.tasks.extend(operands.iter().rev().map(|&body| Task::Single(body))),
        }
    }

    /// The guard of a node that is one arrow, before the look of the arrow.
    fn guard_before(&mut self, node: NodeId) {
        let Node { span, kind } = self.interaction.node(node);
        let passing = match kind {
            NodeKind::Passing(passing) => passing,
            // An arrow both ways.
            NodeKind::Operator(Operator::Par, ways) if self.goes_both_ways(node) => {
                match ways.first().map(|&way| &self.interaction.node(way).kind) {
                    Some(NodeKind::Passing(passing)) => passing,
                    _ => return,
                }
            }
            NodeKind::Empty | NodeKind::Invalid | NodeKind::Operator(..) => return,
        };
        let is_one_arrow = match *passing.target.lifelines() {
            [] => passing.origin.is_some(),
            [target] => passing.origin.is_none_or(|origin| origin.symbol != target.symbol),
            _ => false,
        };
        if is_one_arrow {
            self.guard(*span, &passing.guard);
        }
    }

    fn guard(&mut self, span: Span, atoms: &[Atom]) {
        if !atoms.is_empty() {
            let drafts = atoms.iter().cloned().map(Draft::of).collect();
            self.write(span, StatementKind::Mark(Mark::Guard(drafts)));
        }
    }

    /// Opens a fragment, which is closed after the tasks that are pushed next.
    fn open(&mut self, span: Span, fragment: Fragment) {
        self.write(span, StatementKind::Open(fragment));
        self.tasks.push(Task::Write(span, StatementKind::Close));
    }

    /// An explicit `seq` block.
    fn sequence(&mut self, node: NodeId) {
        self.marks(node);
        self.open(self.interaction.node(node).span, Fragment::Block(Operator::Seq));
        self.members(node);
    }

    /// A block whose statements are the operands.
    fn block(&mut self, node: NodeId, operator: &Operator) {
        self.open(self.interaction.node(node).span, Fragment::Block(operator.clone()));
        let operands = self.flatten(node);
        self.tasks.extend(operands.iter().rev().map(|&operand| Task::Single(operand)));
    }

    fn fragment(&mut self, node: NodeId, fragment: Fragment, separator: Separator) {
        let span = self.interaction.node(node).span;
        let operands = self.flatten(node);
        let guards = self.look_of_frame(node, operands.len());
        self.open(span, fragment);
        for (i, &operand) in operands.iter().enumerate().rev() {
            self.tasks.push(Task::Operand(operand));
            if i > 0 {
                self.tasks.push(Task::Write(span, StatementKind::Next(separator)));
                if let Some(guard) = guards.get(i) {
                    let guard = StatementKind::Look(Look::Guard(guard.clone()));
                    self.tasks.push(Task::Write(span, guard));
                }
            }
        }
    }

    /// The operands of an operator together with those of the same operator in last position.
    fn flatten(&self, node: NodeId) -> Vec<NodeId> {
        let mut flat = Vec::new();
        let mut node = node;
        while let NodeKind::Operator(operator, operands) = &self.interaction.node(node).kind {
            let [others @ .., last] = &operands[..] else { break };
            flat.extend_from_slice(others);
            let last = self.resolve(*last);
            if let NodeKind::Operator(inner, under) = &self.interaction.node(last).kind
                && !under.is_empty()
                && joins(operator, inner)
            {
                node = last;
            } else {
                flat.push(last);
                break;
            }
        }
        flat
    }

    fn passing(&mut self, span: Span, passing: &Passing) {
        let message = passing.message;
        let from = passing.origin;
        match *passing.target.lifelines() {
            [] if passing.origin.is_none() => self.write(span, StatementKind::Empty),
            [] => self.arrow(span, from, None, message, passing.synchronous),
            [target] => self.point_to_point(span, passing, target),
            ref targets => {
                if passing.synchronous {
                    self.write(span, StatementKind::Mark(Mark::Synchronous));
                }
                self.write(span, StatementKind::Open(Fragment::Broadcast));
                for (i, &target) in targets.iter().enumerate() {
                    // An atom at one lifeline stands at an arrow of this lifeline.
                    let is_here = |atom: &&Atom| {
                        atom.lifeline.is_none_or(|lifeline| {
                            let is_origin = from.is_some_and(|it| it.symbol == lifeline.symbol);
                            lifeline.symbol == target.symbol || is_origin && i == 0
                        })
                    };
                    let atoms: Vec<Atom> = passing.guard.iter().filter(is_here).cloned().collect();
                    self.guard(span, &atoms);
                    self.arrow(span, from, Some(target), message, false);
                }
                self.write(span, StatementKind::Close);
            }
        }
    }

    fn point_to_point(&mut self, span: Span, passing: &Passing, target: Name) {
        let from = passing.origin;
        let to = Some(target);
        let message = passing.message;
        if passing.origin.is_some_and(|origin| origin.symbol == target.symbol) {
            let (guard, bound) = self.without_same(&passing.guard);
            if !bound.is_empty() {
                let block = Fragment::Block(Operator::New(bound.clone()));
                self.write(span, StatementKind::Open(block));
            }
            self.write(span, StatementKind::Open(Fragment::Block(Operator::Strict)));
            self.guard(span, &guard);
            self.arrow(span, from, None, message, false);
            self.guard(span, &guard);
            self.arrow(span, None, to, message, false);
            self.write(span, StatementKind::Close);
            if !bound.is_empty() {
                self.write(span, StatementKind::Close);
            }
        } else {
            self.arrow(span, from, to, message, passing.synchronous);
        }
    }

    fn arrow(
        &mut self,
        span: Span,
        from: Option<Name>,
        to: Option<Name>,
        message: Name,
        synchronous: bool,
    ) {
        if synchronous {
            self.write(span, StatementKind::Mark(Mark::Synchronous));
        }
        self.write(span, StatementKind::Message(Message::new(from, to, message)));
    }

    /// A guard for both actions of a message to oneself, which are two arrows: `=f` is `f = y` with a new variable y. The
    /// variables are returned, too.
    fn without_same(&mut self, atoms: &[Atom]) -> (Vec<Atom>, Vec<Name>) {
        let mut bound = Vec::new();
        let atoms = atoms.iter().map(|atom| {
            let Test::Same(field) = atom.test else { return atom.clone() };
            let candidates = (1..).map(|i: u64| format!("same{i}"));
            let mut unused = candidates.filter(|text| self.names.find(text).is_none());
            let text = unused.next().unwrap_or_default();
            let symbol = self.names.intern(&text);
            let name = Name { symbol, span: atom.span };
            bound.push(name);
            let operand = Operand::Variable { name, offset: None };
            let test = Test::Compare { field, relation: Relation::Equal, operand };
            Atom { test, ..atom.clone() }
        });
        let atoms = atoms.collect();
        // As a guard is read: its first variable is the innermost.
        bound.reverse();
        (atoms, bound)
    }

    fn write(&mut self, span: Span, kind: StatementKind) {
        self.statements.push(Statement { span, kind });
    }

    /// The node below operators with a single operand, except loops.
    fn resolve(&self, mut node: NodeId) -> NodeId {
        while let NodeKind::Operator(operator, operands) = &self.interaction.node(node).kind
            && let &[only] = operands.as_slice()
            && !matches!(operator, Operator::Loop(_) | Operator::New(_) | Operator::Fresh(_))
        {
            node = only;
        }
        node
    }

    /// Whether a resolved node is written as ∅.
    fn is_empty(&self, node: NodeId) -> bool {
        match &self.interaction.node(node).kind {
            NodeKind::Empty | NodeKind::Invalid => true,
            NodeKind::Operator(_, operands) => operands.is_empty(),
            NodeKind::Passing(passing) => {
                passing.origin.is_none() && passing.target.lifelines().is_empty()
            }
        }
    }
}

/// Whether two guards say the same, wherever they stand.
fn equal(one: &[Atom], other: &[Atom]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}

/// Whether a node is written as statements one after the other.
fn is_sequence(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Operator(operator, operands) if is_seq(operator) && !operands.is_empty())
}

/// `seq`, or `coreg` on no lifeline.
fn is_seq(operator: &Operator) -> bool {
    matches!(operator, Operator::Seq | Operator::Coreg(_)) && operator.region().is_empty()
}

/// Whether `f(a, f(b, c))` may be written `f(a, b, c)`.
fn joins(outer: &Operator, inner: &Operator) -> bool {
    match (outer, inner) {
        (Operator::Strict, Operator::Strict)
        | (Operator::Par, Operator::Par)
        | (Operator::Alt, Operator::Alt) => true,
        (Operator::Coreg(a), Operator::Coreg(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.symbol == b.symbol)
        }
        _ => false,
    }
}

/// Adds the heads of the declared lifelines, and the declared messages that no arrow uses.
fn declarations(tree: &SpecFile, statements: &mut Vec<Statement>) {
    let mut used: FxHashSet<Symbol> = FxHashSet::default();
    for node in tree.interaction.iter().flat_map(|interaction| &interaction.nodes) {
        if let NodeKind::Passing(passing) = &node.kind {
            used.insert(passing.message.symbol);
        }
    }
    let mut heads: FxHashSet<Symbol> = FxHashSet::default();
    let mut unused = Vec::new();
    for section in &tree.sections {
        match section {
            Section::Lifelines(declarations) => {
                for declaration in &declarations.names {
                    if heads.insert(declaration.name.symbol) {
                        let (name, label) = (declaration.name, declaration.label.clone());
                        statements.push(Statement {
                            span: name.span,
                            kind: StatementKind::Participant { name, label },
                        });
                    }
                }
            }
            Section::Messages(declarations) => {
                for declaration in &declarations.names {
                    if used.insert(declaration.name.symbol) {
                        unused.push(declaration.name);
                    }
                }
            }
            Section::Options(_) => {}
        }
    }
    if let Some(first) = unused.first() {
        statements.push(Statement { span: first.span, kind: StatementKind::Messages(unused) });
    }
}

/// The lifelines of some statements.
pub(crate) fn lifelines(statements: &[Statement]) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    for statement in statements {
        let names: &[Name] = match &statement.kind {
            StatementKind::Participant { name, .. } => std::slice::from_ref(name),
            StatementKind::Message(message) => {
                found.extend(message.ends().map(|name| name.symbol));
                continue;
            }
            StatementKind::Open(Fragment::Block(operator)) => operator.region(),
            StatementKind::Mark(Mark::LoopKind(LoopKind::Coregion(region), _)) => region,
            StatementKind::Lifelines(listed) => listed,
            StatementKind::Open(_)
            | StatementKind::Next(_)
            | StatementKind::Close
            | StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Look(_)
            | StatementKind::Messages(_) => continue,
        };
        found.extend(names.iter().map(|name| name.symbol));
    }
    found
}

#[cfg(test)]
mod tests;
