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
//! | an arrow from A that is lost on its way to B | `A -- m ->\|`: sent, never received |
//! | an arrow both ways | `par(A -- m -> B, B -- m -> A)` |
//! | `&` before an arrow or fragment y, after x | `par(x, y)` |
//! | `alt`/`else` | `alt` of the operands; a single operand is an `opt`: the author wrote "if" |
//! | `par`/`and` | `par` of the operands; a single operand is itself |
//! | `opt` | `alt(x, ∅)` |
//! | `critical x`, `option y`, `option z` | `seq(x, alt(y, z, ∅))`, or `alt(x, y, z)` if a directive says so |
//! | PlantUML's `else` in any other fragment | its operands are alternatives: `loop x else y` is a loop over `alt(x, y)` |
//! | `loop` | see [`repeat`](Builder::repeat) |
//! | `break B` after `pre`, before `rest` | `seq(pre, alt(B, rest))`, see [`join`](Builder::join) |
//! | a frame | its statements |
//! | an `otus:` block | its operator applied to its statements |
//!
//! `otus: environment` and `otus: name` apply to the whole diagram, whatever their position.

use crate::ast::guard::Atom;
use crate::ast::{
    Interaction, LoopKind, Node, NodeId, NodeKind, Operator, Passing, SpecFile, Target,
};
use crate::code::Code;
use crate::diagram::picture::{Decoration, Picture};
use crate::diagram::statement::{
    Course, Fragment, Look, Mark, Message, Options, Repetition, Separator, Statement, StatementKind,
};
use crate::drawing::{self, Drawing};
use crate::grammar::interaction::guard::{self, Draft};
use crate::name::{Name, Names};
use crate::parser::Findings;
use crate::source::{Span, offset};

mod alias;
mod broadcast;
mod declare;
mod repeat;
mod scope;
mod sketch;

pub(super) use alias::Aliases;
use scope::{Arrow, Item, Opener, Scope};
use sketch::Sketch;

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
        guard: None,
        loop_kind: None,
        options: None,
        beside: false,
        remarks: Picture::default(),
        sketch: Sketch::default(),
    };
    for statement in statements {
        builder.statement(statement);
    }
    let (interaction, drawing) = builder.finish(whole);
    let drawing = drawing.with_heads(&sections);
    SpecFile {
        source,
        names,
        sections,
        interaction: Some(interaction),
        comments: Vec::new(),
        implicit: true,
        drawing: Some(Box::new(drawing)),
    }
}

struct Builder<'a> {
    names: &'a Names,
    aliases: &'a Aliases,
    findings: &'a mut Findings,
    nodes: Vec<Node>,
    /// For each node: the number of nodes of its tree, counted without sharing.
    sizes: Vec<u64>,
    /// The number of nodes that unfolding loops has added so far, counted as in a tree, without
    /// sharing.
    unfolded: u64,
    /// The scopes of the open fragments; the first is the diagram's own.
    scopes: Vec<Scope>,
    openers: Vec<Opener>,
    /// A pending `otus: synch`, which applies to the next arrow.
    synchronous: Option<Span>,
    /// A pending guard, which applies to the next arrow.
    guard: Option<Vec<Draft>>,
    /// A pending `otus: loopS` or the like, which applies to the next loop, and its fresh variables.
    loop_kind: Option<(LoopKind, Vec<Name>, Span)>,
    /// A pending `otus: critical alt`, which applies to the next `critical`.
    options: Option<(Options, Span)>,
    /// A pending `&`, which applies to the next arrow or fragment.
    beside: bool,
    remarks: Picture,
    sketch: Sketch,
}

impl Builder<'_> {
    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        self.check_marks(statement);
        match &statement.kind {
            StatementKind::Participant { .. }
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => {}
            StatementKind::Look(look) => self.look(look),
            StatementKind::Message(message) => self.message(span, message),
            StatementKind::Open(fragment) => self.open(span, fragment),
            StatementKind::Next(separator) => self.separate(span, *separator),
            StatementKind::Close => match self.openers.pop() {
                Some(opener) if opener.has_scope => self.close(span),
                Some(_) => self.mark(drawing::Mark::Close),
                None => {
                    let message = "this `end` closes nothing: no fragment is open here";
                    let help = "remove it, or open a fragment (`alt`, `loop`, …) above";
                    self.findings.report(Code::NOTHING_TO_CLOSE, span, message, help);
                }
            },
            StatementKind::Mark(mark) => match mark {
                Mark::Synchronous => self.synchronous = Some(span),
                Mark::LoopKind(kind, fresh) => {
                    self.loop_kind = Some((self.kind(kind), fresh.clone(), span));
                }
                Mark::Guard(guard) => self.guard = Some(guard.clone()),
                Mark::Critical(options) => self.options = Some((*options, span)),
                Mark::Beside => self.beside = true,
                Mark::Environment(_) | Mark::Rename { .. } | Mark::Values | Mark::Anchor(_) => {}
            },
            StatementKind::Empty => {
                self.foreign(span);
                let node = self.empty(span);
                self.item(Item::Node(node));
            }
        }
    }

    /// Reports pending marks that do not apply to this statement. Declarations may stand between a
    /// mark and its statement.
    fn check_marks(&mut self, statement: &Statement) {
        let kind = &statement.kind;
        if matches!(
            kind,
            StatementKind::Participant { .. }
                | StatementKind::Lifelines(_)
                | StatementKind::Messages(_)
                | StatementKind::Look(_)
                | StatementKind::Mark(
                    Mark::Environment(_)
                        | Mark::Rename { .. }
                        | Mark::Beside
                        | Mark::Guard(_)
                        | Mark::Anchor(_)
                        | Mark::Values
                )
        ) {
            return;
        }
        let takes_synchronous =
            matches!(kind, StatementKind::Message(_) | StatementKind::Open(Fragment::Broadcast));
        if !takes_synchronous {
            self.drop_synchronous();
        }
        if !matches!(kind, StatementKind::Open(Fragment::Loop(_))) {
            self.drop_loop_kind();
        }
        if !matches!(kind, StatementKind::Open(Fragment::Critical(_))) {
            self.drop_options();
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
        if let Some((_, _, span)) = self.loop_kind.take() {
            self.misplaced(
                span,
                "this directive sets the kind of a loop, but no `loop` follows it",
                "put it on the line directly above the `loop` it is about",
            );
        }
    }

    fn drop_options(&mut self) {
        if let Some((_, span)) = self.options.take() {
            self.misplaced(
                span,
                "this directive is about the options of a `critical`, but none follows it",
                "put it on the line directly above the `critical` it is about",
            );
        }
    }

    fn misplaced(&mut self, span: Span, message: &str, help: &str) {
        self.findings.report(Code::DIRECTIVE_MISPLACED, span, message, help);
    }

    fn message(&mut self, span: Span, message: &Message) {
        let synchronous = self.synchronous.take().is_some();
        let beside = std::mem::take(&mut self.beside);
        let [origin, target] =
            [message.from, message.to].map(|end| end.and_then(|name| self.aliases.lifeline(name)));
        let guard = self.guard(message);
        let arrow = Arrow { span, origin, message: message.message, target, guard };
        let look = self.sketch.arrow(message, origin, target);
        let scope = self.scope();
        if scope.is_broadcast() {
            scope.synchronous |= synchronous;
            scope.arrows.push(arrow);
            if message.course != Course::Arrives {
                self.foreign(span);
            }
            return;
        }
        let is_local =
            origin.is_some() && origin.map(|end| end.symbol) == target.map(|end| end.symbol);
        let node = match message.course {
            Course::BothWays if !is_local => {
                let back = Arrow { origin: target, target: origin, ..arrow.clone() };
                let ways = [arrow, back].map(|arrow| self.passing(arrow, synchronous));
                self.apply(Operator::Par, ways.to_vec(), span)
            }
            // The message has neither a sender nor a receiver.
            Course::Lost if origin.is_none() => return,
            Course::Lost => {
                if synchronous {
                    self.misplaced(
                        span,
                        "a message that is lost cannot be synchronous",
                        "remove `otus: synch`: nobody receives the message",
                    );
                }
                self.passing(Arrow { target: None, ..arrow }, false)
            }
            Course::Arrives | Course::BothWays => self.passing(arrow, synchronous),
        };
        self.sketch.drawing.entry(node).arrow = look;
        self.add(node, beside);
    }

    /// Adds a member to the current sequence; with `beside`, in parallel with the member before it.
    fn add(&mut self, node: NodeId, beside: bool) {
        let before = self.scope().items.last().copied();
        match before {
            Some(Item::Node(before)) if beside => {
                let span = self.span_of(before).to(self.span_of(node));
                let both = self.apply(Operator::Par, vec![before, node], span);
                self.scope().items.pop();
                self.scope().items.push(Item::Node(both));
            }
            _ => self.item(Item::Node(node)),
        }
    }

    fn passing(&mut self, arrow: Arrow, mut synchronous: bool) -> NodeId {
        let Arrow { span, origin, message, target, guard } = arrow;
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
        self.node(span, NodeKind::Passing(Passing { origin, message, guard, target, synchronous }))
    }

    fn open(&mut self, span: Span, fragment: &Fragment) {
        let synchronous = self.synchronous.take().is_some();
        let (loop_kind, fresh) =
            self.loop_kind.take().map(|(kind, fresh, _)| (kind, fresh)).unzip();
        let options = self.options.take();
        let beside = std::mem::take(&mut self.beside);
        self.foreign(span);
        let dissolves = *fragment == Fragment::Frame && !beside && self.scope().is_sequence();
        let first = self.scope().items.len();
        self.openers.push(Opener { span, has_scope: !dissolves, first });
        if !dissolves {
            let mut scope = Scope::new(fragment.clone(), span);
            if let (Fragment::Critical(meaning), Some((chosen, _))) = (&mut scope.fragment, options)
            {
                *meaning = chosen;
            }
            scope.synchronous = synchronous;
            scope.loop_kind = loop_kind;
            scope.fresh = fresh.unwrap_or_default();
            scope.beside = beside;
            scope.frame = self.sketch.frame.take();
            self.scopes.push(scope);
        } else if let Some(frame) = self.sketch.frame.take() {
            self.mark(drawing::Mark::Open(frame));
        } else {
            self.mark(drawing::Mark::Open(drawing::Frame::default()));
        }
    }

    fn separate(&mut self, span: Span, separator: Separator) {
        // A frame without a scope of its own is still the innermost open fragment.
        let in_frame = self.openers.last().is_some_and(|opener| !opener.has_scope);
        if in_frame && separator == Separator::Or {
            self.give_scope();
            return self.separate(span, separator);
        }
        let fragment = &self.scope().fragment;
        let fragment = fragment.clone();
        let fits = !in_frame
            && match separator {
                Separator::Else => matches!(fragment, Fragment::Alt | Fragment::Par),
                Separator::And => matches!(fragment, Fragment::Par),
                Separator::Option => matches!(fragment, Fragment::Critical(_)),
                Separator::Or => {
                    self.scopes.len() > 1
                        && !matches!(fragment, Fragment::Block(_) | Fragment::Broadcast)
                }
            };
        if fits {
            let operand = self.end_operand(span);
            let guard = self.sketch.guard.take().unwrap_or_default();
            let scope = self.scope();
            scope.operands.push(operand);
            scope.guards.push(guard);
            return;
        }
        let (word, home, help) = match separator {
            Separator::Else | Separator::Or => (
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
            Separator::Option => (
                "option",
                "critical",
                "`option` belongs to `critical`; write `else` inside `alt`, and close inner fragments \
                 with `end` first",
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

    /// Gives the innermost frame a scope of its own, with the statements that it has so far.
    fn give_scope(&mut self) {
        let Some(opener) = self.openers.last_mut() else { return };
        opener.has_scope = true;
        let mut scope = Scope::new(Fragment::Frame, opener.span);
        let first = opener.first.min(self.scope().items.len());
        scope.items = self.scope().items.split_off(first);
        // So far, the frame was drawn between two marks. From now on it is the frame of the scope.
        let before = self.scope().items.last().copied();
        let pending = &mut self.scope().pending;
        scope.frame = sketch::take_open(pending).or_else(|| {
            let inside = scope.items.first().copied();
            self.sketch.take_frame(before.map(Item::node), inside.map(Item::node))
        });
        self.scopes.push(scope);
    }

    /// Closes the innermost scope; `span` is that of its `end`.
    fn close(&mut self, span: Span) {
        let Some(mut scope) = self.scopes.pop() else { return };
        let span = scope.opener.to(span);
        let items = std::mem::take(&mut scope.items);
        let beside = scope.beside;
        let (frame, guards) = (scope.frame.take(), std::mem::take(&mut scope.guards));
        let (fresh, opener) = (std::mem::take(&mut scope.fresh), scope.opener);
        let pending = std::mem::take(&mut scope.pending);
        let operands = std::mem::take(&mut scope.operands);
        let first = items.first().copied();
        let (node, last) = match &scope.fragment {
            Fragment::Break => {
                let (body, last) = self.divided(&items, &operands, span);
                self.sketch.before(last, pending);
                self.sketch.around(body, frame.unwrap_or_default());
                self.item(Item::Break(body, scope.opener));
                return;
            }
            Fragment::Par => {
                let last = self.join(&items, &Operator::Seq, span);
                let all = operands.iter().copied().chain([last]).collect();
                (self.apply(Operator::Par, all, span), Some(last))
            }
            Fragment::Critical(options) => {
                let last = self.join(&items, &Operator::Seq, span);
                let node = self.critical(operands.clone(), last, *options, scope.opener, span);
                (node, Some(last))
            }
            Fragment::Alt | Fragment::Opt => {
                let (body, last) = self.divided(&items, &operands, span);
                if operands.is_empty() {
                    if scope.fragment == Fragment::Alt && !items.is_empty() {
                        self.remarks.add(Decoration::SINGLE_ALT, scope.opener);
                    }
                    (self.optional(body, span), Some(last))
                } else {
                    (body, Some(last))
                }
            }
            Fragment::Frame => {
                let (body, last) = self.divided(&items, &operands, span);
                (body, Some(last))
            }
            Fragment::Loop(repetition) => {
                let kind = scope.loop_kind.unwrap_or(LoopKind::Weak);
                if operands.is_empty() {
                    let repeated = self.repeat(&items, *repetition, &kind, scope.opener, span);
                    (repeated.node, Some(repeated.body))
                } else {
                    let (body, last) = self.divided(&items, &operands, span);
                    let items = [Item::Node(body)];
                    let node = self.repeat(&items, *repetition, &kind, scope.opener, span).node;
                    (node, Some(last))
                }
            }
            Fragment::Block(operator) => {
                let node = match operator {
                    Operator::Strict | Operator::Seq => self.join(&items, operator, span),
                    Operator::Par | Operator::Alt => self.choose(&items, operator.clone(), span),
                    Operator::Coreg(region) => {
                        let region = self.aliases.lifelines(region);
                        self.choose(&items, Operator::Coreg(region), span)
                    }
                    Operator::Loop(kind) => {
                        let kind = self.kind(kind);
                        self.repeat(&items, Repetition::ANY, &kind, scope.opener, span).node
                    }
                    Operator::New(_) | Operator::Fresh(_) => {
                        let body = self.join(&items, &Operator::Seq, span);
                        self.apply(operator.clone(), vec![body], span)
                    }
                };
                (node, None)
            }
            Fragment::Broadcast => (self.broadcast(scope, span), None),
        };
        if first.is_none() {
            self.sketch.before(last.unwrap_or(node), pending);
        }
        if let Some(frame) = frame {
            let is_own = !matches!(first, Some(Item::Node(first)) if first == node);
            self.sketch.frame_of(node, is_own, frame, &operands, last, guards);
        }
        let node = self.with_fresh(node, fresh, opener, span);
        self.add(node, beside);
    }

    /// A loop whose iterations have variables of their own.
    fn with_fresh(&mut self, node: NodeId, fresh: Vec<Name>, opener: Span, span: Span) -> NodeId {
        if fresh.is_empty() {
            return node;
        }
        if let NodeKind::Operator(Operator::Loop(_), _) = self.nodes[node.index()].kind {
            return self.node(span, NodeKind::Operator(Operator::Fresh(fresh), vec![node]));
        }
        let message = "the iterations of this loop are written out, so `fresh` has no meaning here";
        let help = "repeat it any number of times (`loop 0..*`), and leave it with no `break`";
        self.findings.report(Code::UNSUPPORTED_CONSTRUCT, opener, message, help);
        node
    }

    /// The guard of an arrow, whose lifelines are named as in the picture or by their names.
    fn guard(&mut self, message: &Message) -> Vec<Atom> {
        let Some(drafts) = self.guard.take() else { return Vec::new() };
        let aliases = self.aliases;
        let mut ends: Vec<Name> = message.ends().collect();
        ends.extend(message.ends().filter_map(|end| aliases.lifeline(end)));
        let is_end = |symbol| ends.iter().any(|end| end.symbol == symbol);
        let mut atoms = guard::resolve(drafts, is_end);
        atoms.retain_mut(|atom| {
            let Some(lifeline) = atom.lifeline else { return true };
            atom.lifeline = aliases.lifeline(lifeline);
            if atom.lifeline.is_none() {
                let message = "the environment has no events to which this could apply";
                let help = "name the lifeline at the other end, or leave the name out";
                self.findings.report(Code::DIRECTIVE_MISPLACED, atom.span, message, help);
            }
            atom.lifeline.is_some()
        });
        atoms
    }

    /// The statements of a fragment as one node, and its last operand. Several operands become
    /// alternatives.
    fn divided(&mut self, items: &[Item], before: &[NodeId], span: Span) -> (NodeId, NodeId) {
        let last = self.join(items, &Operator::Seq, span);
        if before.is_empty() {
            return (last, last);
        }
        let all = before.iter().copied().chain([last]).collect();
        (self.apply(Operator::Alt, all, span), last)
    }

    /// The node of `critical`, given the parts before its last part.
    fn critical(
        &mut self,
        mut parts: Vec<NodeId>,
        last: NodeId,
        options: Options,
        opener: Span,
        span: Span,
    ) -> NodeId {
        parts.push(last);
        match options {
            Options::Instead => self.apply(Operator::Alt, parts, span),
            Options::After if parts.len() == 1 => last,
            Options::After => {
                let critical = parts.remove(0);
                let at = self.span_of(parts[0]).to(self.span_of(last));
                self.remarks.add(Decoration::OPTION, opener);
                let nothing = self.empty(at);
                parts.push(nothing);
                let option = self.apply(Operator::Alt, parts, at);
                self.apply(Operator::Seq, vec![critical, option], span)
            }
        }
    }

    /// Closes all open fragments and returns the interaction.
    fn finish(mut self, whole: Span) -> (Interaction, Drawing) {
        self.drop_synchronous();
        self.drop_loop_kind();
        self.drop_options();
        let end = Span::at(whole.end);
        // If the diagram is incomplete, findings about its fragments would distract from that
        // error, so they are left out.
        let is_complete = self.openers.is_empty();
        while let Some(opener) = self.openers.pop() {
            let message = "this fragment is never closed";
            let help = "write `end` after its last line (`otus: end` for an `otus:` block)";
            self.findings.report(Code::NEVER_CLOSED, opener.span, message, help);
            if opener.has_scope {
                self.close(end);
            }
        }
        let root = self.end_operand(whole);
        if is_complete {
            self.remarks.report(self.findings);
        }
        (Interaction { nodes: self.nodes, root }, self.sketch.drawing)
    }

    /// The current operand as a sequence; `span` is its place if it is empty.
    fn end_operand(&mut self, span: Span) -> NodeId {
        let items = std::mem::take(&mut self.scope().items);
        let pending = std::mem::take(&mut self.scope().pending);
        let node = self.join(&items, &Operator::Seq, span);
        self.sketch.before(node, pending);
        node
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

    /// The items as operands of an operator that does not order all of them. A `break` among them is
    /// reported, because there is no sequence that it could leave.
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
        let scope = self.scope();
        scope.items.push(item);
        let pending = std::mem::take(&mut scope.pending);
        let (Item::Node(node) | Item::Break(node, _)) = item;
        self.sketch.before(node, pending);
    }

    /// Attaches a mark to the statement before it or, at the beginning of an operand, to the first
    /// statement.
    fn mark(&mut self, mark: drawing::Mark) {
        match self.scope().items.last().copied() {
            Some(Item::Node(node) | Item::Break(node, _)) => {
                self.sketch.drawing.entry(node).after.push(mark);
            }
            None => self.scope().pending.push(mark),
        }
    }

    fn look(&mut self, look: &Look) {
        match look {
            Look::Mark(mark) => {
                if let Some(mark) = sketch::resolved(mark.clone(), self.aliases) {
                    self.mark(mark);
                }
            }
            Look::Head(head) => {
                if let Some(lifeline) = self.aliases.lifeline(head.lifeline) {
                    self.sketch.take(&Look::Head(drawing::Head { lifeline, ..head.clone() }));
                }
            }
            Look::Arrow(_)
            | Look::Frame(_)
            | Look::Guard(_)
            | Look::Title(_)
            | Look::OpenBox(_)
            | Look::CloseBox
            | Look::Numbering(_) => self.sketch.take(look),
        }
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
            (Operator::Loop(_) | Operator::New(_) | Operator::Fresh(_), _) => {
                self.node(span, NodeKind::Operator(operator, operands))
            }
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
