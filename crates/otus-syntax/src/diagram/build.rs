//! Builds the tree of an interaction from the statements of a diagram.
//!
//! One pass with an explicit stack of open fragments: nothing recurses on the depth of the diagram, and
//! children precede their parents in the arena. The meaning of statements:
//!
//! | statements | interaction |
//! |---|---|
//! | consecutive ones | `seq` of them; one is itself, none is ∅ |
//! | an arrow from A to B | `A -- m -> B` |
//! | an arrow from A to A | `A -- m ->\|`: a local action, by convention |
//! | `alt`/`else`, `par`/`and` | `alt`, `par` of the operands; a single operand is itself |
//! | `opt` | `alt(x, ∅)` |
//! | `loop` | see [`repeat`](Builder::repeat) |
//! | `break B` after `pre`, before `rest` | `seq(pre, alt(B, rest))`, see [`join`](Builder::join) |
//! | a frame | its statements |
//! | an `otus:` block | its operator applied to its statements |
//!
//! `otus: environment` and `otus: name` apply to the whole diagram, whatever their position.

use crate::ast::{
    Interaction, LoopKind, Node, NodeId, NodeKind, Operator, Passing, SpecFile, Target,
};
use crate::code::Code;
use crate::diagram::statement::{Fragment, Mark, Repetition, Separator, Statement, StatementKind};
use crate::name::{Name, Names};
use crate::parser::Findings;
use crate::source::{Span, offset};

mod alias;
mod broadcast;
mod declare;
mod repeat;
mod scope;

use alias::Aliases;
use scope::{Arrow, Item, Opener, Scope};

/// Builds the tree of a diagram. `whole` is the span of the diagram.
pub(crate) fn build(
    whole: Span,
    names: Names,
    statements: &[Statement],
    findings: &mut Findings,
) -> SpecFile {
    let source = findings.source();
    let aliases = Aliases::of(statements);
    let sections = declare::sections(whole, &names, &aliases, statements);
    let mut builder = Builder {
        names: &names,
        aliases: &aliases,
        findings,
        nodes: Vec::new(),
        sizes: Vec::new(),
        unfolded: 0,
        scopes: vec![Scope::new(Fragment::Frame, whole)],
        openers: Vec::new(),
        synchronous: None,
        loop_kind: None,
    };
    for statement in statements {
        builder.statement(statement);
    }
    let interaction = Some(builder.finish(whole));
    SpecFile { source, names, sections, interaction, comments: Vec::new(), implicit: true }
}

struct Builder<'a> {
    names: &'a Names,
    aliases: &'a Aliases,
    findings: &'a mut Findings,
    nodes: Vec<Node>,
    /// By node: its size as a tree.
    sizes: Vec<u64>,
    /// The number of nodes that the unfolding of loops has added so far, as a tree.
    unfolded: u64,
    /// The scopes of the open fragments; the first is the diagram's own.
    scopes: Vec<Scope>,
    openers: Vec<Opener>,
    /// A pending `otus: synch`, which applies to the next arrow.
    synchronous: Option<Span>,
    /// A pending `otus: loopS` or the like, which applies to the next loop.
    loop_kind: Option<(LoopKind, Span)>,
}

impl Builder<'_> {
    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        self.check_marks(statement);
        match &statement.kind {
            StatementKind::Participant { .. }
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => {}
            StatementKind::Message { from, to, message } => {
                self.message(span, *from, *to, *message);
            }
            StatementKind::Open(fragment) => self.open(span, fragment),
            StatementKind::Next(separator) => self.separate(span, *separator),
            StatementKind::Close => match self.openers.pop() {
                Some(opener) if opener.has_scope => self.close(span),
                Some(_) => {}
                None => {
                    let message = "this `end` closes nothing: no fragment is open here";
                    let help = "remove it, or open a fragment (`alt`, `loop`, …) above";
                    self.findings.report(Code::NOTHING_TO_CLOSE, span, message, help);
                }
            },
            StatementKind::Mark(mark) => match mark {
                Mark::Synchronous => self.synchronous = Some(span),
                Mark::LoopKind(kind) => self.loop_kind = Some((self.kind(kind), span)),
                Mark::Environment(_) | Mark::Rename { .. } => {}
            },
            StatementKind::Empty => {
                self.foreign(span);
                let node = self.empty(span);
                self.item(Item::Node(node));
            }
        }
    }

    /// Reports pending marks that do not apply to this statement. Declarations may stand in between.
    fn check_marks(&mut self, statement: &Statement) {
        let kind = &statement.kind;
        if matches!(
            kind,
            StatementKind::Participant { .. }
                | StatementKind::Lifelines(_)
                | StatementKind::Messages(_)
                | StatementKind::Mark(Mark::Environment(_) | Mark::Rename { .. })
        ) {
            return;
        }
        let takes_synchronous = matches!(
            kind,
            StatementKind::Message { .. } | StatementKind::Open(Fragment::Broadcast)
        );
        if !takes_synchronous {
            self.drop_synchronous();
        }
        if !matches!(kind, StatementKind::Open(Fragment::Loop(_))) {
            self.drop_loop_kind();
        }
    }

    fn drop_synchronous(&mut self) {
        if let Some(span) = self.synchronous.take() {
            self.misplaced(
                span,
                "`otus: synch` is not followed by an arrow",
                "put it on the line directly above the arrow that is one indivisible step",
            );
        }
    }

    fn drop_loop_kind(&mut self) {
        if let Some((_, span)) = self.loop_kind.take() {
            self.misplaced(
                span,
                "this directive sets the kind of a loop, but no `loop` follows it",
                "put it on the line directly above the `loop` it is about",
            );
        }
    }

    fn misplaced(&mut self, span: Span, message: &str, help: &str) {
        self.findings.report(Code::DIRECTIVE_MISPLACED, span, message, help);
    }

    fn message(&mut self, span: Span, from: Option<Name>, to: Option<Name>, message: Name) {
        let synchronous = self.synchronous.take().is_some();
        let [origin, target] =
            [from, to].map(|end| end.and_then(|name| self.aliases.lifeline(name)));
        let arrow = Arrow { span, origin, message, target };
        let scope = self.scope();
        if scope.is_broadcast() {
            scope.synchronous |= synchronous;
            scope.arrows.push(arrow);
            return;
        }
        let node = self.passing(arrow, synchronous);
        self.item(Item::Node(node));
    }

    fn passing(&mut self, arrow: Arrow, mut synchronous: bool) -> NodeId {
        let Arrow { span, origin, message, target } = arrow;
        let target = match (origin, target) {
            (None, None) => {
                let text = self.names.text(message.symbol);
                let message = format!("`{text}` goes from the environment to the environment");
                let help = "one end of an arrow must be a lifeline; remove the arrow";
                self.findings.report(Code::UNSUPPORTED_CONSTRUCT, span, message, help);
                return self.node(span, NodeKind::Invalid);
            }
            (Some(origin), Some(target)) if origin.symbol == target.symbol => {
                if synchronous {
                    self.misplaced(
                        span,
                        "a message to itself cannot be synchronous",
                        "remove `otus: synch`: an arrow from a lifeline to itself is one local \
                         action already",
                    );
                }
                synchronous = false;
                Target::Environment
            }
            (_, Some(target)) => Target::Lifeline(target),
            (Some(_), None) => Target::Environment,
        };
        self.node(span, NodeKind::Passing(Passing { origin, message, target, synchronous }))
    }

    fn open(&mut self, span: Span, fragment: &Fragment) {
        let synchronous = self.synchronous.take().is_some();
        let loop_kind = self.loop_kind.take().map(|(kind, _)| kind);
        self.foreign(span);
        let dissolves = *fragment == Fragment::Frame && self.scope().is_sequence();
        self.openers.push(Opener { span, has_scope: !dissolves });
        if !dissolves {
            let mut scope = Scope::new(fragment.clone(), span);
            scope.synchronous = synchronous;
            scope.loop_kind = loop_kind;
            self.scopes.push(scope);
        }
    }

    fn separate(&mut self, span: Span, separator: Separator) {
        // A frame without a scope of its own is still the innermost open fragment.
        let in_frame = self.openers.last().is_some_and(|opener| !opener.has_scope);
        let fragment = &self.scope().fragment;
        let fits = !in_frame
            && match separator {
                Separator::Else => matches!(fragment, Fragment::Alt | Fragment::Par),
                Separator::And => matches!(fragment, Fragment::Par),
            };
        if fits {
            let operand = self.end_operand(span);
            self.scope().operands.push(operand);
            return;
        }
        let (word, home, help) = match separator {
            Separator::Else => (
                "else",
                "alt",
                "`else` separates the operands of `alt`; close inner fragments with `end` first",
            ),
            Separator::And => (
                "and",
                "par",
                "`and` separates the operands of `par`; write `else` inside `alt`, and close \
                 inner fragments with `end` first",
            ),
        };
        let message = format!("this `{word}` does not stand directly inside `{home}`");
        let mut found = self.findings.finding(Code::SEPARATOR_MISPLACED, span, message);
        if let Some(opener) = self.openers.last() {
            let source = self.findings.source();
            found = found.with_related(source, opener.span, "this fragment is open here");
        }
        self.findings.push(found.with_help(help));
    }

    /// Closes the innermost scope; `span` is that of its `end`.
    fn close(&mut self, span: Span) {
        let Some(mut scope) = self.scopes.pop() else { return };
        let span = scope.opener.to(span);
        let items = std::mem::take(&mut scope.items);
        let item = match &scope.fragment {
            Fragment::Alt | Fragment::Par => {
                let is_alt = scope.fragment == Fragment::Alt;
                let mut operands = scope.operands;
                operands.push(self.join(&items, &Operator::Seq, span));
                self.apply(if is_alt { Operator::Alt } else { Operator::Par }, operands, span)
            }
            Fragment::Opt => {
                let body = self.join(&items, &Operator::Seq, span);
                self.optional(body, span)
            }
            Fragment::Loop(repetition) => {
                let kind = scope.loop_kind.unwrap_or(LoopKind::Weak);
                self.repeat(&items, *repetition, &kind, scope.opener, span)
            }
            Fragment::Break => {
                let body = self.join(&items, &Operator::Seq, span);
                self.item(Item::Break(body, scope.opener));
                return;
            }
            Fragment::Frame => self.join(&items, &Operator::Seq, span),
            Fragment::Block(operator) => match operator {
                Operator::Strict | Operator::Seq => self.join(&items, operator, span),
                Operator::Par | Operator::Alt => self.choose(&items, operator.clone(), span),
                Operator::Coreg(region) => {
                    let region = self.aliases.lifelines(region);
                    self.choose(&items, Operator::Coreg(region), span)
                }
                Operator::Loop(kind) => {
                    let kind = self.kind(kind);
                    self.repeat(&items, Repetition::ANY, &kind, scope.opener, span)
                }
            },
            Fragment::Broadcast => self.broadcast(scope, span),
        };
        self.item(Item::Node(item));
    }

    /// Closes all open fragments and returns the interaction.
    fn finish(mut self, whole: Span) -> Interaction {
        self.drop_synchronous();
        self.drop_loop_kind();
        let end = Span::at(whole.end);
        while let Some(opener) = self.openers.pop() {
            let message = "this fragment is never closed";
            let help = "write `end` after its last line (`otus: end` for an `otus:` block)";
            self.findings.report(Code::NEVER_CLOSED, opener.span, message, help);
            if opener.has_scope {
                self.close(end);
            }
        }
        let root = self.end_operand(whole);
        Interaction { nodes: self.nodes, root }
    }

    /// The current operand as a sequence; `span` is its place if it is empty.
    fn end_operand(&mut self, span: Span) -> NodeId {
        let items = std::mem::take(&mut self.scope().items);
        self.join(&items, &Operator::Seq, span)
    }

    /// The items as operands of an operator that orders them, with the meaning of `break`:
    ///
    /// ```text
    /// pre; break B; rest   =   f(pre, alt(B, f(rest)))
    /// ```
    ///
    /// The items are processed from the right, so several breaks nest: `rest` may contain further breaks.
    fn join(&mut self, items: &[Item], operator: &Operator, span: Span) -> NodeId {
        if let [Item::Break(_, opener)] = *items {
            self.break_alone(opener);
        }
        // The operands after the current item, last first.
        let mut tail: Vec<NodeId> = Vec::with_capacity(items.len());
        for item in items.iter().rev() {
            match *item {
                Item::Node(node) => tail.push(node),
                Item::Break(body, _) => {
                    tail.reverse();
                    let at = self.span_of(body);
                    let rest = self.apply(operator.clone(), std::mem::take(&mut tail), at);
                    let choice = self.apply(Operator::Alt, vec![body, rest], at);
                    tail.push(choice);
                }
            }
        }
        tail.reverse();
        self.apply(operator.clone(), tail, span)
    }

    /// The items as operands of an operator that does not order all of them. A `break` among them has
    /// nothing to leave.
    fn choose(&mut self, items: &[Item], operator: Operator, span: Span) -> NodeId {
        let mut operands = Vec::with_capacity(items.len());
        for item in items {
            operands.push(match *item {
                Item::Node(node) => node,
                Item::Break(body, opener) => {
                    self.break_alone(opener);
                    self.optional(body, self.span_of(body))
                }
            });
        }
        self.apply(operator, operands, span)
    }

    fn break_alone(&mut self, span: Span) {
        let message = "this `break` has nothing to leave: nothing stands before or after it";
        let help = "it is read as `opt`; write `opt`, or put it beside what it interrupts";
        self.findings.report(Code::BREAK_ALONE, span, message, help);
    }

    /// Records a statement that is not allowed in a broadcast, if one is open.
    fn foreign(&mut self, span: Span) {
        let scope = self.scope();
        if scope.is_broadcast() {
            scope.foreign.get_or_insert(span);
        }
    }

    fn kind(&self, kind: &LoopKind) -> LoopKind {
        if let LoopKind::Coregion(region) = kind {
            LoopKind::Coregion(self.aliases.lifelines(region))
        } else {
            kind.clone()
        }
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the scope of the diagram is never closed")
    }

    fn item(&mut self, item: Item) {
        self.scope().items.push(item);
    }

    fn optional(&mut self, body: NodeId, span: Span) -> NodeId {
        let nothing = self.empty(span);
        self.apply(Operator::Alt, vec![body, nothing], span)
    }

    fn empty(&mut self, span: Span) -> NodeId {
        self.node(span, NodeKind::Empty)
    }

    /// An operator with operands: ∅ without operands, and the operand itself if there is only one, except
    /// for loops.
    fn apply(&mut self, operator: Operator, operands: Vec<NodeId>, span: Span) -> NodeId {
        match (&operator, &operands[..]) {
            (_, []) => self.empty(span),
            (Operator::Loop(_), _) => self.node(span, NodeKind::Operator(operator, operands)),
            (_, &[only]) => only,
            // A sequence extends from its first to its last member.
            (Operator::Seq | Operator::Strict, &[first, .., last]) => {
                let span = self.span_of(first).to(self.span_of(last));
                self.node(span, NodeKind::Operator(operator, operands))
            }
            _ => self.node(span, NodeKind::Operator(operator, operands)),
        }
    }

    fn node(&mut self, span: Span, kind: NodeKind) -> NodeId {
        let size = match &kind {
            NodeKind::Empty | NodeKind::Passing(_) | NodeKind::Invalid => 1,
            NodeKind::Operator(_, operands) => operands
                .iter()
                .map(|operand| self.sizes[operand.index()])
                .fold(1, u64::saturating_add),
        };
        let id = NodeId(offset(self.nodes.len()));
        self.nodes.push(Node { span, kind });
        self.sizes.push(size);
        id
    }

    fn span_of(&self, node: NodeId) -> Span {
        self.nodes[node.index()].span
    }
}

#[cfg(test)]
mod tests;
