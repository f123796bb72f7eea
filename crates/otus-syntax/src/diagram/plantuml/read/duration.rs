//! Durations between anchors, in a diagram with values.
//!
//! ```text
//! {s} A -> B : req
//! {e} B -> A : rep            new s
//! {s} <-> {e} : within 2s  =    A -> B : req [A at s]
//!                               B -> A : rep [A within 2s of s]
//!                             end
//! ```
//!
//! A duration is measured on the one lifeline that both messages touch, on the sender of the first if they touch two, or
//! as `within 2s on B` says. The block of its anchor is in the innermost operand with both messages, from the first
//! to the second; blocks that overlap become one.

use std::collections::BTreeMap;

use super::Reader;
use crate::ast::Operator;
use crate::ast::guard::{Atom, Test};
use crate::code::Code;
use crate::diagram::picture::Decoration;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::{Fragment, Mark, Message, Statement, StatementKind};
use crate::diagram::values;
use crate::grammar::interaction::guard::Draft;
use crate::name::{Name, Symbol};
use crate::source::Span;

/// `{from} <-> {to} : bound on lifeline`
pub(super) struct Duration {
    span: Span,
    from: Name,
    to: Name,
    /// `within 2s of from`, with a lifeline that is not known yet.
    test: Test,
    on: Option<Name>,
}

/// What an arrow with an anchor is.
struct Anchored {
    /// Its statement.
    at: usize,
    message: Message,
}

impl Reader<'_> {
    /// The anchor before an arrow: `{s} A -> B : req`.
    pub(super) fn anchor(&mut self, line: &Line<'_>) {
        let Some((name, _)) = anchor_of(line.text()) else { return };
        if !self.has_values {
            self.picture.add(Decoration::ANCHOR, line.whole());
            return;
        }
        let symbol = self.names.intern(name);
        let span = line.span(1..1 + name.len());
        self.push(line.whole(), StatementKind::Mark(Mark::Anchor(Name { symbol, span })));
    }

    /// `{s} <-> {e} : within 2s`
    pub(super) fn duration(&mut self, line: &Line<'_>) {
        if !self.has_values {
            self.picture.add(Decoration::ANCHOR, line.whole());
            return;
        }
        let parts = anchor_of(line.text()).and_then(|(from, rest)| {
            let (to, rest) = anchor_of(rest.strip_prefix("<->")?.trim_start())?;
            Some((from, to, rest.strip_prefix(':').unwrap_or(rest).trim()))
        });
        let Some((from, to, label)) = parts else {
            let help = "write `{s} <-> {e} : within 2s`";
            let message = "this duration lacks an anchor";
            return self.findings.report(Code::LINE_NOT_UNDERSTOOD, line.whole(), message, help);
        };
        let [from, to] =
            [from, to].map(|name| Name { symbol: self.names.intern(name), span: line.whole() });
        let label = text::name(label);
        let (bound, on) = match label.rsplit_once(" on ") {
            Some((bound, on)) => (bound.trim(), Some(on.trim().trim_matches('"'))),
            None => (&*label, None),
        };
        let word = match bound.split_whitespace().next() {
            Some("within") => "of",
            Some("at") => "after",
            Some(_) | None => {
                let message = format!("`{bound}` is no bound of a duration");
                let help = "write `within 2s` or `at least 2s`, perhaps with `on B` behind it";
                return self.findings.report(Code::BAD_DURATION, line.whole(), message, help);
            }
        };
        let anchor = self.names.text(from.symbol);
        let guard = format!("[x {bound} {word} {anchor}]");
        let drafts = values::read(&guard, line.whole(), false, self.names, self.findings);
        let Some(Atom { test, .. }) = drafts.first().map(|draft| draft.atom().clone()) else {
            return;
        };
        let on = on.map(|on| Name { symbol: self.names.intern(on), span: line.whole() });
        self.durations.push(Duration { span: line.whole(), from, to, test, on });
    }

    /// Puts the durations into the statements.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter here")]
    pub(super) fn measure(&mut self) {
        let mut anchors: BTreeMap<Symbol, Anchored> = BTreeMap::new();
        let mut pending = None;
        for (at, statement) in self.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Mark(Mark::Anchor(name)) => pending = Some(*name),
                StatementKind::Message(message) => {
                    if let Some(name) = pending.take() {
                        anchors.insert(name.symbol, Anchored { at, message: *message });
                    }
                }
                _ => {}
            }
        }
        // By statement: the atoms of its message. And the blocks: first and last statement, variables.
        let mut guards: BTreeMap<usize, Vec<Draft>> = BTreeMap::new();
        let mut blocks: Vec<(usize, usize, Vec<Name>)> = Vec::new();
        // By anchor: the lifelines on which it is measured, with their variables.
        let mut measured: BTreeMap<Symbol, Vec<(Symbol, Name)>> = BTreeMap::new();
        for duration in std::mem::take(&mut self.durations) {
            let Some((range, on)) = self.place(&duration, &anchors) else { continue };
            let at = |name: Name| anchors[&name.symbol].at;
            let atom = |test| Draft::of(Atom { span: duration.span, lifeline: Some(on), test });
            // A variable has the time of one lifeline, so an anchor has one for each.
            let variables = measured.entry(duration.from.symbol).or_default();
            let known = variables.iter().find(|(lifeline, _)| *lifeline == on.symbol);
            let variable = if let Some(&(_, known)) = known {
                known
            } else {
                let number = variables.len() + 1;
                let name = self.names.text(duration.from.symbol);
                let name = if number == 1 { name.to_owned() } else { format!("{name}_{number}") };
                let variable = Name { symbol: self.names.intern(&name), span: duration.span };
                variables.push((on.symbol, variable));
                guards.entry(at(duration.from)).or_default().push(atom(Test::At(variable)));
                variable
            };
            let test = match duration.test {
                Test::Within { duration, .. } => Test::Within { duration, anchor: variable },
                Test::After { duration, .. } => Test::After { duration, anchor: variable },
                other => other,
            };
            guards.entry(at(duration.to)).or_default().push(atom(test));
            blocks.push((range.0, range.1, vec![variable]));
        }
        blocks.sort_by_key(|block| block.0);
        let mut merged: Vec<(usize, usize, Vec<Name>)> = Vec::new();
        for (first, last, variables) in blocks {
            match merged.last_mut() {
                // A block inside another could stay, but one is enough.
                Some(before) if first <= before.1 => {
                    before.1 = before.1.max(last);
                    let known = |it: &Name| before.2.iter().any(|name| name.symbol == it.symbol);
                    let new: Vec<Name> = variables.into_iter().filter(|it| !known(it)).collect();
                    before.2.extend(new);
                }
                Some(_) | None => merged.push((first, last, variables)),
            }
        }
        self.insert(&guards, &merged);
    }

    /// The statements from the first to the last message of a duration, and its lifeline.
    fn place(
        &mut self,
        duration: &Duration,
        anchors: &BTreeMap<Symbol, Anchored>,
    ) -> Option<((usize, usize), Name)> {
        let mut fail = |message: String, help: &str| {
            self.findings.report(Code::BAD_DURATION, duration.span, message, help);
        };
        let find = |name: Name| anchors.get(&name.symbol);
        let (Some(from), Some(to)) = (find(duration.from), find(duration.to)) else {
            let missing = if find(duration.from).is_none() { duration.from } else { duration.to };
            let name = self.names.text(missing.symbol);
            fail(
                format!("no arrow has the anchor `{name}`"),
                "write `{s} A -> B : m` for anchor s",
            );
            return None;
        };
        if from.at >= to.at {
            fail("the second anchor does not come after the first".to_owned(), "exchange them");
            return None;
        }
        let touches = |anchored: &Anchored, name: Name| {
            anchored.message.ends().any(|end| end.symbol == name.symbol)
        };
        let mut shared = from.message.ends().filter(|&end| touches(to, end));
        let on = match duration.on {
            Some(on) if touches(from, on) && touches(to, on) => Some(on),
            Some(_) => None,
            None => shared.next(),
        };
        let Some(on) = on else {
            let help = "name a lifeline of both messages: `within 2s on B`; across two lifelines, \
                        write guards: `[A at s]` and `[B within 2s of s]`";
            fail("no lifeline of both messages measures this duration".to_owned(), help);
            return None;
        };
        let Some(range) = enclosing(&self.statements, from.at, to.at) else {
            let help = "write the guards and `otus: new` by hand, or move the `break` out";
            fail("a `break` or an operand ends between the two messages".to_owned(), help);
            return None;
        };
        Some((range, on))
    }

    /// Adds guards before their arrows, and opens and closes the blocks of variables.
    fn insert(
        &mut self,
        guards: &BTreeMap<usize, Vec<Draft>>,
        blocks: &[(usize, usize, Vec<Name>)],
    ) {
        let statements = std::mem::take(&mut self.statements);
        let mut block = blocks.iter().peekable();
        let mut open: Option<usize> = None;
        for (at, statement) in statements.into_iter().enumerate() {
            let span = statement.span;
            if let Some((_, last, variables)) = block.next_if(|block| block.0 == at) {
                let fragment = Fragment::Block(Operator::New(variables.clone()));
                self.push(span, StatementKind::Open(fragment));
                open = Some(*last);
            }
            if let Some(drafts) = guards.get(&at) {
                self.guard_of_last(span, drafts);
            }
            if !matches!(statement.kind, StatementKind::Mark(Mark::Anchor(_))) {
                self.statements.push(statement);
            }
            if open.take_if(|last| *last == at).is_some() {
                self.push(span, StatementKind::Close);
            }
        }
    }

    /// Adds atoms to the guard of the arrow that comes next; its look stands before it already.
    fn guard_of_last(&mut self, span: Span, drafts: &[Draft]) {
        let is_look = |statement: &Statement| matches!(statement.kind, StatementKind::Look(_));
        let at = self.statements.iter().rposition(|it| !is_look(it)).map_or(0, |at| at + 1);
        if let Some(StatementKind::Mark(Mark::Guard(guard))) =
            at.checked_sub(1).and_then(|at| self.statements.get_mut(at)).map(|it| &mut it.kind)
        {
            guard.extend_from_slice(drafts);
            return;
        }
        let kind = StatementKind::Mark(Mark::Guard(drafts.to_vec()));
        self.statements.insert(at, Statement { span, kind });
    }
}

/// The statements at the level of the innermost operand with two messages, from the one with the first message to the
/// one with the second. `None` if they are in different operands, or a `break` is between them.
#[expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter here")]
fn enclosing(statements: &[Statement], from: usize, to: usize) -> Option<(usize, usize)> {
    // The openers around the first message, from the outermost.
    let mut around = Vec::new();
    for (at, statement) in statements[..from].iter().enumerate() {
        match statement.kind {
            StatementKind::Open(_) => around.push(at),
            StatementKind::Close => _ = around.pop(),
            _ => {}
        }
    }
    // Up to the second message, `depth` is how many of them are left, and `deeper` how many more are open.
    let (mut depth, mut deeper, mut deeper_at) = (around.len(), 0_usize, to);
    for (at, statement) in statements.iter().enumerate().take(to).skip(from) {
        match &statement.kind {
            StatementKind::Open(fragment) => {
                if deeper == 0 {
                    deeper_at = at;
                    if *fragment == Fragment::Break {
                        return None;
                    }
                }
                deeper += 1;
            }
            StatementKind::Close if deeper > 0 => deeper -= 1,
            StatementKind::Close => depth = depth.checked_sub(1)?,
            // The operand ends before the second message.
            StatementKind::Next(_) if deeper == 0 => return None,
            _ => {}
        }
    }
    let is_break = |&at: &usize| statements[at].kind == StatementKind::Open(Fragment::Break);
    if around[depth..].iter().any(is_break) {
        return None;
    }
    let first = around.get(depth).copied().unwrap_or(from);
    let last = if deeper == 0 { to } else { close_of(statements, deeper_at)? };
    Some((with_marks(statements, first), last))
}

/// The statement that closes the one at `open`.
#[expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter here")]
fn close_of(statements: &[Statement], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    statements[open..]
        .iter()
        .position(|statement| {
            match statement.kind {
                StatementKind::Open(_) => depth += 1,
                StatementKind::Close => depth -= 1,
                _ => {}
            }
            depth == 0
        })
        .map(|length| open + length)
}

/// The first of the marks that belong to a statement.
fn with_marks(statements: &[Statement], at: usize) -> usize {
    let is_mark = |statement: &Statement| {
        matches!(statement.kind, StatementKind::Mark(_) | StatementKind::Look(_))
    };
    statements[..at].iter().rposition(|statement| !is_mark(statement)).map_or(0, |at| at + 1)
}

/// The name of the anchor at the start of a text, and the rest.
fn anchor_of(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('{')?.split_once('}')?;
    Some((name, rest.trim_start()))
}
