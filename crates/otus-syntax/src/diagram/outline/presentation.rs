//! Adapts the marks that an author drew between statements, so that another tool can draw them as well.
//!
//! The statements of a tree are not always those of the text: a `break` becomes an alternative, and a loop with
//! bounds is unfolded. So one end of a bar or of a frame may be lost. This pass keeps the bars and frames that still
//! have both ends:
//!
//! ```text
//! bars                 a bar ends only if it began; the end of "the latest" bar names its lifeline; two bars with no
//!                      message in between are one
//! frames               an Open and a Close at one level of one operand become a fragment without a meaning
//! numbers              of arrows become `autonumber` before the first arrow of each run of numbers
//! boxes                go around the declarations of their lifelines, if these are neighbours
//! create               stays directly before the first message to the lifeline
//! destroy              stands before the last message of the lifeline (Mermaid) or after it (PlantUML)
//! ```

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "each step is about a few kinds of statements, and the others pass through"
)]

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Outline;
use crate::ast::Operator;
use crate::diagram::number::Form;
use crate::diagram::statement::{Fragment, Look, Message, Numbering, Statement, StatementKind};
use crate::drawing::{Drawing, HeadBox, Mark};
use crate::name::{Name, Symbol};
use crate::source::Span;

/// The position of `destroy`, and which lifelines may be created later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `destroy` comes before the last message; a lifeline in a box cannot be created.
    Mermaid,
    /// `destroy` comes after the last message.
    Plantuml,
}

/// The outline with the presentation that a language has.
pub(crate) fn present(mut outline: Outline, drawing: Option<&Drawing>, style: Style) -> Outline {
    let Some(drawing) = drawing else { return outline };
    let statements = joined_bars(bars(outline.statements), &mut outline.left_out);
    let statements = frames(statements, &mut outline.left_out);
    let (statements, boxed) = boxes(statements, &drawing.boxes, &mut outline.left_out);
    let statements = lives(statements, style, &boxed, &mut outline.left_out);
    Outline { statements: numbers(statements, style), ..outline }
}

/// The mark of a statement.
fn mark_of(statement: &Statement) -> Option<&Mark> {
    match &statement.kind {
        StatementKind::Look(Look::Mark(mark)) => Some(mark),
        _ => None,
    }
}

/// The message of a statement.
fn message_of(statement: &Statement) -> Option<&Message> {
    match &statement.kind {
        StatementKind::Message(message) => Some(message),
        _ => None,
    }
}

fn bars(statements: Vec<Statement>) -> Vec<Statement> {
    let mut active: Vec<Name> = Vec::new();
    let mut kept = Vec::with_capacity(statements.len());
    for mut statement in statements {
        match &mut statement.kind {
            StatementKind::Look(Look::Mark(Mark::Activate { lifeline, .. })) => {
                active.push(*lifeline);
            }
            StatementKind::Look(Look::Mark(Mark::Deactivate(ended))) => {
                let is_it = |bar: &Name| ended.is_none_or(|it| it.symbol == bar.symbol);
                let Some(at) = active.iter().rposition(is_it) else { continue };
                *ended = Some(active.remove(at));
            }
            _ => {}
        }
        kept.push(statement);
    }
    kept
}

/// Joins a bar with the next bar of its lifeline if there is no message between them, because
/// PlantUML rejects two such bars.
fn joined_bars(
    statements: Vec<Statement>,
    left_out: &mut BTreeSet<&'static str>,
) -> Vec<Statement> {
    // For each lifeline: the end of a bar since the latest message.
    let mut ended: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut is_dropped = vec![false; statements.len()];
    for (at, statement) in statements.iter().enumerate() {
        match mark_of(statement) {
            Some(Mark::Deactivate(Some(lifeline))) => {
                ended.insert(lifeline.symbol, at);
            }
            Some(Mark::Activate { lifeline, .. }) => {
                if let Some(end) = ended.remove(&lifeline.symbol) {
                    (is_dropped[end], is_dropped[at]) = (true, true);
                    left_out.insert("bars that begin where another one ends");
                }
            }
            _ if message_of(statement).is_some() => ended.clear(),
            _ => {}
        }
    }
    let kept = statements.into_iter().zip(is_dropped).filter(|(_, is_dropped)| !is_dropped);
    kept.map(|(statement, _)| statement).collect()
}

/// An open construct at some position.
enum Level {
    /// A fragment, and whether its statements are a sequence.
    Fragment(bool),
    /// A frame, given by the index of its Open mark.
    Frame(usize),
}

fn frames(statements: Vec<Statement>, left_out: &mut BTreeSet<&'static str>) -> Vec<Statement> {
    let mut open: Vec<Level> = Vec::new();
    let mut other_end: FxHashMap<usize, usize> = FxHashMap::default();
    let drop_frames = |open: &mut Vec<Level>| {
        while let Some(Level::Frame(_)) = open.last() {
            open.pop();
        }
    };
    for (at, statement) in statements.iter().enumerate() {
        match &statement.kind {
            StatementKind::Open(fragment) => {
                let is_sequence = match fragment {
                    Fragment::Block(operator) => *operator == Operator::Seq,
                    Fragment::Broadcast => false,
                    Fragment::Alt
                    | Fragment::Opt
                    | Fragment::Par
                    | Fragment::Loop(_)
                    | Fragment::Break
                    | Fragment::Frame
                    | Fragment::Critical(_) => true,
                };
                open.push(Level::Fragment(is_sequence));
            }
            StatementKind::Next(_) => drop_frames(&mut open),
            StatementKind::Close => {
                drop_frames(&mut open);
                open.pop();
            }
            StatementKind::Look(Look::Mark(Mark::Open(_))) => open.push(Level::Frame(at)),
            StatementKind::Look(Look::Mark(Mark::Close)) => {
                if let Some(&Level::Frame(begin)) = open.last() {
                    open.pop();
                    let outside = open.iter().rev().find_map(|level| match level {
                        Level::Fragment(is_sequence) => Some(*is_sequence),
                        Level::Frame(_) => None,
                    });
                    if outside.unwrap_or(true) {
                        other_end.extend([(begin, at), (at, begin)]);
                    }
                }
            }
            _ => {}
        }
    }
    let mut kept = Vec::with_capacity(statements.len());
    let is_plain = |statements: &[Statement], at: usize| match mark_of(&statements[at]) {
        // Other keywords have a meaning, which is part of the tree already.
        Some(Mark::Open(frame)) => matches!(&*frame.keyword, "rect" | "group" | "critical" | "box"),
        _ => false,
    };
    let keep: Vec<bool> = (0..statements.len())
        .map(|at| other_end.get(&at).is_some_and(|&other| is_plain(&statements, at.min(other))))
        .collect();
    for (at, statement) in statements.into_iter().enumerate() {
        let span = statement.span;
        match statement.kind {
            StatementKind::Look(Look::Mark(Mark::Open(frame))) => {
                if keep[at] {
                    let frame = StatementKind::Look(Look::Frame(frame));
                    kept.push(Statement { span, kind: frame });
                    kept.push(Statement { span, kind: StatementKind::Open(Fragment::Frame) });
                } else if matches!(&*frame.keyword, "rect" | "group" | "box") {
                    left_out.insert("frames that end in another fragment than they begin in");
                }
            }
            StatementKind::Look(Look::Mark(Mark::Close)) => {
                if keep[at] {
                    kept.push(Statement { span, kind: StatementKind::Close });
                }
            }
            kind => kept.push(Statement { span, kind }),
        }
    }
    kept
}

/// Puts boxes around the declarations of their lifelines; returns the lifelines in boxes, too.
fn boxes(
    statements: Vec<Statement>,
    boxes: &[HeadBox],
    left_out: &mut BTreeSet<&'static str>,
) -> (Vec<Statement>, FxHashSet<Symbol>) {
    let declared: Vec<(usize, Symbol)> = statements
        .iter()
        .enumerate()
        .filter_map(|(at, statement)| match &statement.kind {
            StatementKind::Participant { name, .. } => Some((at, name.symbol)),
            _ => None,
        })
        .collect();
    let mut boxed: FxHashSet<Symbol> = FxHashSet::default();
    let mut begins: FxHashMap<usize, &HeadBox> = FxHashMap::default();
    let mut ends: FxHashSet<usize> = FxHashSet::default();
    for one in boxes {
        let members: FxHashSet<Symbol> = one.members.iter().map(|name| name.symbol).collect();
        let first = declared.iter().position(|(_, symbol)| members.contains(symbol));
        let Some(first) = first.filter(|_| members.is_disjoint(&boxed)) else { continue };
        let group = declared[first..].iter().take_while(|(_, symbol)| members.contains(symbol));
        let last = first + group.count() - 1;
        if last + 1 - first < members.len() {
            left_out.insert("boxes around lifelines that are no neighbours");
            continue;
        }
        begins.insert(declared[first].0, one);
        ends.insert(declared[last].0);
        boxed.extend(members);
    }
    let mut kept = Vec::with_capacity(statements.len() + 2 * ends.len());
    for (at, statement) in statements.into_iter().enumerate() {
        let span = statement.span;
        if let Some(&one) = begins.get(&at) {
            kept.push(Statement { span, kind: StatementKind::Look(Look::OpenBox(one.clone())) });
        }
        kept.push(statement);
        if ends.contains(&at) {
            kept.push(Statement { span, kind: StatementKind::Look(Look::CloseBox) });
        }
    }
    (kept, boxed)
}

/// The messages next to a mark in its operand.
struct Neighbours {
    before: Option<usize>,
    after: Option<usize>,
}

impl Neighbours {
    fn of(statements: &[Statement], at: usize) -> Neighbours {
        let is_message = |&at: &usize| message_of(&statements[at]).is_some();
        let is_passed = |at: &usize| matches!(statements[*at].kind, StatementKind::Look(_));
        let before = (0..at).rev().find(|at| !is_passed(at));
        let after = (at + 1..statements.len()).find(|at| !is_passed(at));
        Neighbours { before: before.filter(is_message), after: after.filter(is_message) }
    }
}

/// Moves creations and destructions to the positions that the language requires.
fn lives(
    statements: Vec<Statement>,
    style: Style,
    boxed: &FxHashSet<Symbol>,
    left_out: &mut BTreeSet<&'static str>,
) -> Vec<Statement> {
    let concerns = |at: usize, lifeline: Name| {
        message_of(&statements[at])
            .is_some_and(|message| message.ends().any(|end| end.symbol == lifeline.symbol))
    };
    // For each statement: the marks that come before it, and those that come after it.
    let mut before: FxHashMap<usize, Vec<Mark>> = FxHashMap::default();
    let mut after: FxHashMap<usize, Vec<Mark>> = FxHashMap::default();
    let mut created: FxHashSet<Symbol> = FxHashSet::default();
    // The position at which a message and its look begin.
    let begin = |message: usize| {
        let is_look = message > 0
            && matches!(statements[message - 1].kind, StatementKind::Look(Look::Arrow(_)));
        message - usize::from(is_look)
    };
    for (at, statement) in statements.iter().enumerate() {
        let Some(mark @ (Mark::Create(lifeline) | Mark::Destroy(lifeline))) = mark_of(statement)
        else {
            continue;
        };
        let near = Neighbours::of(&statements, at);
        if let Mark::Create(_) = mark {
            let is_first = !(0..at).any(|at| concerns(at, *lifeline));
            let creating = near.after.filter(|&next| {
                let to = message_of(&statements[next]).and_then(|message| message.to);
                to.is_some_and(|to| to.symbol == lifeline.symbol)
            });
            let is_free = style == Style::Plantuml || !boxed.contains(&lifeline.symbol);
            match creating.filter(|_| is_first && is_free && created.insert(lifeline.symbol)) {
                Some(next) => before.entry(begin(next)).or_default().push(mark.clone()),
                None => {
                    left_out.insert(
                        "the creation of lifelines in boxes, or apart from their first message",
                    );
                }
            }
            continue;
        }
        let next = near.after.filter(|&next| concerns(next, *lifeline));
        let last = next.or(near.before.filter(|&last| concerns(last, *lifeline)));
        match (style, last) {
            (Style::Mermaid, Some(last)) => {
                before.entry(begin(last)).or_default().push(mark.clone());
            }
            (Style::Plantuml, Some(last)) => after.entry(last).or_default().push(mark.clone()),
            (Style::Plantuml, None) => after.entry(at).or_default().push(mark.clone()),
            (Style::Mermaid, None) => {
                left_out.insert("the destruction of lifelines apart from their last message");
            }
        }
    }
    let mut kept = Vec::with_capacity(statements.len());
    for (at, statement) in statements.into_iter().enumerate() {
        let span = statement.span;
        let look = |mark| Statement { span, kind: StatementKind::Look(Look::Mark(mark)) };
        kept.extend(before.remove(&at).unwrap_or_default().into_iter().map(look));
        if !matches!(mark_of(&statement), Some(Mark::Create(_) | Mark::Destroy(_))) {
            kept.push(statement);
        }
        kept.extend(after.remove(&at).unwrap_or_default().into_iter().map(look));
    }
    kept
}

/// Says where numbers begin and end. Mermaid has no forms of numbers, so there all of them count as the same.
fn numbers(statements: Vec<Statement>, style: Style) -> Vec<Statement> {
    let continues = |one: &Form, other: &Form| match style {
        Style::Mermaid => true,
        Style::Plantuml => one.continues(other),
    };
    let number = |statement: &Statement| match &statement.kind {
        StatementKind::Look(Look::Arrow(arrow)) => {
            Some(arrow.number.as_ref().and_then(|number| Form::parse(number)))
        }
        _ => None,
    };
    let all: Vec<Option<(Form, i64)>> = statements.iter().filter_map(number).collect();
    let mut seen = 0;
    // The next number and the step, while arrows are numbered.
    let mut running: Option<(Form, i64, i64)> = None;
    let mut kept = Vec::with_capacity(statements.len());
    let say = |span: Span, numbering| Statement {
        span,
        kind: StatementKind::Look(Look::Numbering(numbering)),
    };
    for statement in statements {
        let span = statement.span;
        if let Some(own) = number(&statement) {
            seen += 1;
            match (own, &running) {
                (Some((form, own)), Some((known, next, step)))
                    if own == *next && continues(&form, known) =>
                {
                    running = Some((known.clone(), next.saturating_add(*step), *step));
                }
                (Some((form, own)), _) => {
                    let next = all.get(seen).and_then(Option::as_ref);
                    let next = next.filter(|(next, _)| continues(next, &form));
                    let step = next.map_or(1, |(_, next)| next.saturating_sub(own)).max(1);
                    let start = Numbering::Start {
                        outer: Vec::new(),
                        first: own,
                        step,
                        form: form.clone(),
                    };
                    kept.push(say(span, start));
                    running = Some((form, own.saturating_add(step), step));
                }
                (None, Some(_)) => {
                    kept.push(say(span, Numbering::Stop));
                    running = None;
                }
                (None, None) => {}
            }
        }
        kept.push(statement);
    }
    kept
}
