//! From the tree of an interaction to statements.
//!
//! `build(outline(t))` is the same term as `t`, where n-ary operators are right-nested
//! (`seq(a, b, c)` is `seq(a, seq(b, c))`), an operator with one operand is that operand, and
//! `coreg()` is `seq`. To that end:
//! - a sequence becomes consecutive statements, and so does a sequence in *last* position of a
//!   sequence; elsewhere it becomes an explicit `seq` block;
//! - ∅ becomes an `empty` statement, or no statement at all where it is a whole operand;
//! - what diagrams lack becomes a block whose statements are the operands;
//! - a message from a lifeline to itself becomes a `strict` block of its two actions, since an
//!   arrow to oneself means a local action.
//!
//! The walk uses an explicit stack. Its output is linear in the size of the *term*: an operand
//! that several nodes share is written as often as it is used.

use rustc_hash::FxHashSet;

use crate::ast::{
    Interaction, LoopKind, NodeId, NodeKind, Operator, Passing, Section, SpecFile, Target,
};
use crate::diagram::statement::{
    Block, End, Fragment, Mark, Repetition, Separator, Statement, StatementKind,
};
use crate::name::{Name, Names, Symbol};
use crate::source::Span;

/// A diagram to be spelt: statements and the names they use.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Names of the tree and those made up on the way (a participant for the environment).
    pub names: Names,
    /// The statements; their spans are those of the tree.
    pub statements: Vec<Statement>,
}

/// The statements that describe a tree: `build(outline(tree))` is the same term.
pub fn outline(tree: &SpecFile) -> Outline {
    let mut statements = Vec::new();
    declarations(tree, &mut statements);
    if let Some(interaction) = &tree.interaction {
        Walk { interaction, statements: &mut statements, tasks: Vec::new() }.run();
    }
    Outline { names: tree.names.clone(), statements }
}

/// What is left to write, the next one last.
enum Task {
    /// A node as exactly one statement.
    Single(NodeId),
    /// A node as the rest of a sequence.
    Rest(NodeId),
    /// A node as a whole operand: like the rest of a sequence, but ∅ is no statement.
    Operand(NodeId),
    Write(Span, StatementKind),
}

struct Walk<'a> {
    interaction: &'a Interaction,
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
        match &self.interaction.node(node).kind {
            NodeKind::Operator(operator, operands) if is_seq(operator) => {
                let [others @ .., last] = &operands[..] else {
                    self.single(node);
                    return;
                };
                self.tasks.push(Task::Rest(*last));
                self.tasks.extend(others.iter().rev().map(|&operand| Task::Single(operand)));
            }
            NodeKind::Operator(..) | NodeKind::Empty | NodeKind::Passing(_) | NodeKind::Invalid => {
                self.single(node);
            }
        }
    }

    /// A node as exactly one statement.
    fn single(&mut self, node: NodeId) {
        let node = self.resolve(node);
        let interaction = self.interaction;
        let span = interaction.node(node).span;
        let (operator, operands) = match &interaction.node(node).kind {
            NodeKind::Empty | NodeKind::Invalid => return self.write(span, StatementKind::Empty),
            NodeKind::Passing(passing) => return self.passing(span, passing),
            NodeKind::Operator(operator, operands) if !operands.is_empty() => (operator, operands),
            NodeKind::Operator(..) => return self.write(span, StatementKind::Empty),
        };
        match operator {
            Operator::Strict => self.block(node, Block::Strict),
            Operator::Coreg(region) if !region.is_empty() => {
                self.block(node, Block::Coreg(region.clone()));
            }
            Operator::Seq | Operator::Coreg(_) => {
                self.write(span, StatementKind::Open(Fragment::Block(Block::Seq)));
                self.tasks.push(Task::Write(span, StatementKind::Close));
                self.rest(node);
            }
            Operator::Par => self.fragment(node, Fragment::Par, Separator::And),
            Operator::Alt => match operands[..] {
                [body, other] if self.is_empty(self.resolve(other)) => {
                    self.write(span, StatementKind::Open(Fragment::Opt));
                    self.tasks.push(Task::Write(span, StatementKind::Close));
                    self.tasks.push(Task::Operand(body));
                }
                _ => self.fragment(node, Fragment::Alt, Separator::Else),
            },
            Operator::Loop(kind) => {
                match kind {
                    LoopKind::Weak => {}
                    LoopKind::Strict
                    | LoopKind::HeadFirst
                    | LoopKind::Parallel
                    | LoopKind::Coregion(_) => {
                        let mark = Mark::LoopKind(kind.clone());
                        self.write(span, StatementKind::Mark(mark));
                    }
                }
                self.write(span, StatementKind::Open(Fragment::Loop(Repetition::ANY)));
                self.tasks.push(Task::Write(span, StatementKind::Close));
                // A loop has one operand; more is an error that is reported where it was read.
                match operands[..] {
                    [body] => self.tasks.push(Task::Operand(body)),
                    _ => {
                        self.tasks.extend(operands.iter().rev().map(|&body| Task::Single(body)));
                    }
                }
            }
        }
    }

    /// A block whose statements are the operands.
    fn block(&mut self, node: NodeId, block: Block) {
        let span = self.interaction.node(node).span;
        self.write(span, StatementKind::Open(Fragment::Block(block)));
        self.tasks.push(Task::Write(span, StatementKind::Close));
        let operands = self.flatten(node);
        self.tasks.extend(operands.iter().rev().map(|&operand| Task::Single(operand)));
    }

    /// A fragment with operands and separators.
    fn fragment(&mut self, node: NodeId, fragment: Fragment, separator: Separator) {
        let span = self.interaction.node(node).span;
        self.write(span, StatementKind::Open(fragment));
        self.tasks.push(Task::Write(span, StatementKind::Close));
        for (i, &operand) in self.flatten(node).iter().enumerate().rev() {
            self.tasks.push(Task::Operand(operand));
            if i > 0 {
                self.tasks.push(Task::Write(span, StatementKind::Next(separator)));
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
            match &self.interaction.node(last).kind {
                NodeKind::Operator(inner, under) if !under.is_empty() && joins(operator, inner) => {
                    node = last;
                }
                NodeKind::Operator(..)
                | NodeKind::Empty
                | NodeKind::Passing(_)
                | NodeKind::Invalid => {
                    flat.push(last);
                    break;
                }
            }
        }
        flat
    }

    fn passing(&mut self, span: Span, passing: &Passing) {
        let message = passing.message;
        let from = passing.origin.map_or(End::Environment, End::Lifeline);
        let synchronous = passing.synchronous;
        match (passing.origin, &passing.target) {
            (None, Target::Environment) => self.write(span, StatementKind::Empty),
            (Some(_), Target::Environment) => {
                self.arrow(span, from, End::Environment, message, synchronous);
            }
            (_, Target::Lifeline(target)) => self.point_to_point(span, passing, *target),
            (_, Target::Broadcast(targets)) => match targets[..] {
                [] if passing.origin.is_none() => self.write(span, StatementKind::Empty),
                [] => self.arrow(span, from, End::Environment, message, synchronous),
                [target] => self.point_to_point(span, passing, target),
                [..] => {
                    if synchronous {
                        self.write(span, StatementKind::Mark(Mark::Synchronous));
                    }
                    self.write(span, StatementKind::Open(Fragment::Block(Block::Broadcast)));
                    for &target in targets {
                        self.arrow(span, from, End::Lifeline(target), message, false);
                    }
                    self.write(span, StatementKind::Close);
                }
            },
        }
    }

    fn point_to_point(&mut self, span: Span, passing: &Passing, target: Name) {
        let from = passing.origin.map_or(End::Environment, End::Lifeline);
        let to = End::Lifeline(target);
        let message = passing.message;
        if passing.origin.is_some_and(|origin| origin.symbol == target.symbol) {
            self.write(span, StatementKind::Open(Fragment::Block(Block::Strict)));
            self.arrow(span, from, End::Environment, message, false);
            self.arrow(span, End::Environment, to, message, false);
            self.write(span, StatementKind::Close);
        } else {
            self.arrow(span, from, to, message, passing.synchronous);
        }
    }

    fn arrow(&mut self, span: Span, from: End, to: End, message: Name, synchronous: bool) {
        if synchronous {
            self.write(span, StatementKind::Mark(Mark::Synchronous));
        }
        self.write(span, StatementKind::Message { from, to, message });
    }

    fn write(&mut self, span: Span, kind: StatementKind) {
        self.statements.push(Statement { span, kind });
    }

    /// Past operators with one operand, which mean that operand. Loops stay.
    fn resolve(&self, mut node: NodeId) -> NodeId {
        loop {
            match &self.interaction.node(node).kind {
                NodeKind::Operator(
                    Operator::Strict
                    | Operator::Seq
                    | Operator::Par
                    | Operator::Alt
                    | Operator::Coreg(_),
                    operands,
                ) if operands.len() == 1 => node = operands[0],
                NodeKind::Operator(..)
                | NodeKind::Empty
                | NodeKind::Passing(_)
                | NodeKind::Invalid => return node,
            }
        }
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

/// `seq`, or `coreg` on no lifeline.
fn is_seq(operator: &Operator) -> bool {
    match operator {
        Operator::Seq => true,
        Operator::Coreg(region) => region.is_empty(),
        Operator::Strict | Operator::Par | Operator::Alt | Operator::Loop(_) => false,
    }
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
        (
            Operator::Strict
            | Operator::Seq
            | Operator::Par
            | Operator::Alt
            | Operator::Coreg(_)
            | Operator::Loop(_),
            _,
        ) => false,
    }
}

/// Heads of the declared lifelines, and the declared messages that no arrow uses.
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

#[cfg(test)]
mod tests;
