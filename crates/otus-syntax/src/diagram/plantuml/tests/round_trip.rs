//! Written diagrams are parsed as the same statements, with any names.

use super::{outline, parse, random, show};
use crate::ast::{LoopKind, Operator};
use crate::diagram::outline::Outline;
use crate::diagram::plantuml::write;
use crate::diagram::statement::{
    Fragment, Mark, Message, Repetition, Separator, Statement, StatementKind,
};
use crate::name::Name;
use crate::source::{Source, Span};

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..2000 {
        let outline = generated(seed);
        let text = write::spell(&outline).text;
        let (read, diagnostics) = parse(&Source::new("x", text.clone()));
        let errors: Vec<_> = diagnostics.iter().filter(|finding| finding.is_error()).collect();
        assert!(errors.is_empty(), "seed {seed}\n{text}\n{errors:?}");
        let expected: Vec<String> = normalized(&outline)
            .into_iter()
            .map(|line| if line.starts_with("participant") { unlabelled(&line) } else { line })
            .collect();
        let found: Vec<String> = normalized(&renamed(&read));
        let found: Vec<String> = found
            .into_iter()
            .map(|line| if line.starts_with("participant") { unlabelled(&line) } else { line })
            .collect();
        assert_eq!(found, expected, "seed {seed}\n{text}");
    }
}

/// Random outlines with awkward names, from a seed.
pub(super) fn generated(seed: u64) -> Outline {
    let mut random = random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let pieces: Vec<&str> =
        "a B é 名 \" ' \\ n / < > U+0041 % $ ( ) [ ] { } # ! @ & * - -- -> : ; , . ? | = ~ \
                             “ « 1 _ x o end note %date() %upper( /' '/ [[ <b> 😀 \u{2028}"
            .split(' ')
            .chain([" ", "\n", "\t", "\r", "\u{a0}"])
            .collect();
    let text = move |random: &mut dyn FnMut(usize) -> usize| {
        let length = 1 + random(4);
        (0..length).map(|_| pieces[random(pieces.len())]).collect::<String>()
    };
    outline(|name| {
        let lifelines: Vec<Name> = (0..4).map(|_| name(&text(&mut random))).collect();
        let mut kinds = Vec::new();
        for &lifeline in &lifelines {
            match random(3) {
                0 => {
                    let label = text(&mut random);
                    kinds.push(StatementKind::Participant { name: lifeline, label: Some(label) });
                }
                1 => kinds.push(StatementKind::Participant { name: lifeline, label: None }),
                _ => {}
            }
        }
        let mut open: Vec<bool> = Vec::new();
        for _ in 0..20 {
            let some = |random: &mut dyn FnMut(usize) -> usize| {
                (0..random(3)).map(|_| lifelines[random(4)]).collect::<Vec<_>>()
            };
            let end = |random: &mut dyn FnMut(usize) -> usize| match random(5) {
                4 => None,
                index => Some(lifelines[index]),
            };
            let kind = match random(14) {
                0 => StatementKind::Open(Fragment::Alt),
                1 => StatementKind::Open(Fragment::Par),
                2 => StatementKind::Open(Fragment::Opt),
                3 => StatementKind::Open(Fragment::Break),
                4 => StatementKind::Open(Fragment::Block(Operator::Coreg(some(&mut random)))),
                5 => StatementKind::Open(Fragment::Block(Operator::Strict)),
                6 => {
                    let kind = LoopKind::Coregion(some(&mut random));
                    kinds.push(StatementKind::Mark(Mark::LoopKind(kind, Vec::new())));
                    let least = u32::try_from(random(3)).expect("small");
                    let most = [None, Some(least), Some(least + 2)][random(3)];
                    StatementKind::Open(Fragment::Loop(Repetition { least, most, stated: true }))
                }
                7 | 8 if open.pop().is_some() => StatementKind::Close,
                9 if open.last() == Some(&true) => StatementKind::Next(Separator::Else),
                10 => StatementKind::Messages(vec![name(&text(&mut random))]),
                _ => {
                    let (from, to) = (end(&mut random), end(&mut random));
                    let message = name(&text(&mut random));
                    if from.is_none() && to.is_none() {
                        StatementKind::Empty
                    } else {
                        StatementKind::Message(Message::new(from, to, message))
                    }
                }
            };
            if let StatementKind::Open(fragment) = &kind {
                open.push(matches!(fragment, Fragment::Alt | Fragment::Par));
            }
            kinds.push(kind);
        }
        kinds.extend(open.iter().map(|_| StatementKind::Close));
        kinds
    })
}

/// The statements in the form that the parser returns: a marked loop is a block, `and` is `else`.
fn normalized(outline: &Outline) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    let mut statements = outline.statements.iter().map(|statement| &statement.kind).peekable();
    while let Some(kind) = statements.next() {
        let any = StatementKind::Open(Fragment::Loop(Repetition::ANY));
        if let StatementKind::Mark(Mark::LoopKind(kind, _)) = kind
            && statements.peek() == Some(&&any)
        {
            statements.next();
            let block = Fragment::Block(Operator::Loop(kind.clone()));
            shown.push(show(&StatementKind::Open(block), &outline.names));
        } else if matches!(kind, StatementKind::Next(_)) {
            shown.push(String::from("next"));
        } else {
            shown.push(show(kind, &outline.names));
        }
    }
    shown
}

/// The statements with aliases resolved, as building does.
fn renamed(outline: &Outline) -> Outline {
    let mut names = outline.names.clone();
    let mut outside = Vec::new();
    let mut aliases = Vec::new();
    let mut kinds = Vec::new();
    for statement in &outline.statements {
        let resolve = |name: Name| {
            aliases
                .iter()
                .find(|(alias, _): &&(Name, Name)| alias.symbol == name.symbol)
                .map_or(name, |(_, name)| *name)
        };
        let end = |end: Option<Name>| end.map(resolve);
        match &statement.kind {
            StatementKind::Mark(Mark::Rename { alias, name }) => aliases.push((*alias, *name)),
            StatementKind::Mark(Mark::Environment(name)) => outside.push(name.symbol),
            StatementKind::Participant { name, .. } if outside.contains(&name.symbol) => {}
            StatementKind::Participant { name, label } => kinds
                .push(StatementKind::Participant { name: resolve(*name), label: label.clone() }),
            StatementKind::Message(message) => kinds.push(StatementKind::Message(Message {
                from: end(message.from),
                to: end(message.to),
                ..*message
            })),
            StatementKind::Look(_)
            | StatementKind::Open(_)
            | StatementKind::Next(_)
            | StatementKind::Close
            | StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => kinds.push(statement.kind.clone()),
        }
    }
    let span = Span::default();
    names.intern("");
    let statements = kinds.into_iter().map(|kind| Statement { span, kind }).collect();
    Outline { names, statements, ..Outline::default() }
}

/// The label, unless it equals the name.
fn unlabelled(line: &str) -> String {
    let Some((name, label)) = line.split_once(" label ") else { return line.to_owned() };
    let own = name.strip_prefix("participant ").unwrap_or(name);
    if label == format!("Some({own})") { format!("{name} label None") } else { line.to_owned() }
}
