//! Lints: parts of a specification that are valid but probably not intended.
//!
//! There is no lint for parts that cannot terminate, because every interaction accepts a finite trace: ∅
//! and events do, `alt` does if an operand does, `strict` and `coreg` accept the concatenation of a trace
//! of each operand, and a loop may run zero times. The only passing that could never happen, a
//! synchronous one from a lifeline to itself, is already an error of lowering (`O0307`).
//!
//! Nodes with a syntax error, and nodes that contain one, are not linted.

mod values;

use otus_syntax::ast::{Interaction, NodeId, NodeKind, Operator, Passing, Section, SpecFile};
use otus_syntax::diagnostic::{Severity, any_error};
use otus_syntax::name::{Name, Symbol};
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, SourceId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::findings::{Findings, MAX_CANDIDATES, and_elsewhere};
use crate::index::TermId;
use crate::lower::{Lowered, reachable};
use crate::pool::Pool;
use crate::unknown::NameKind;
use crate::value::Kind;

/// Lints the files that `lowered` was made from. The findings are in the order of the files and of their
/// texts.
///
/// ```
/// use otus_syntax::{Code, Source, parse_spec};
///
/// let text = "@lifeline{a} @message{m} loopW(alt(a -- m ->|, o))";
/// let parsed = parse_spec(&Source::new("model.hsf", text));
/// let files = [&parsed.tree];
/// let found = otus_core::lint(&files, &otus_core::lower(&files));
/// assert_eq!(found[0].code, Code::NULLABLE_LOOP);
/// ```
pub fn lint(files: &[&SpecFile], lowered: &Lowered) -> Vec<Diagnostic> {
    let mut lints = Vec::new();
    let Some(at) = lowered.file else { return Vec::new() };
    let Some(file) = files.get(at) else { return Vec::new() };
    let Some(interaction) = &file.interaction else { return Vec::new() };
    let reachable = reachable(interaction);
    let used = Used::of(interaction, &reachable);
    // After a syntax error or a misspelt name, a declaration may seem unused although it is used,
    // so unused names are not reported then.
    let is_complete = !any_error(&lowered.diagnostics)
        && interaction
            .nodes
            .iter()
            .zip(&reachable)
            .all(|(node, &reached)| !reached || node.kind != NodeKind::Invalid);
    if is_complete {
        unused(files, file, &used, &mut lints);
        values::values(at, file, interaction, &reachable, &mut lints);
    }
    structure(at, file, interaction, &reachable, lowered, &mut lints);
    if is_complete && !file.implicit {
        one_sided(at, &used, &mut lints);
    }

    // A diagram's loop with a fixed count is unfolded into several nodes with the same span; a
    // finding in it is reported once.
    lints.sort_by_key(|lint| (lint.file, lint.span, lint.kind.code()));
    lints.dedup_by_key(|lint| (lint.file, lint.span, lint.kind.code()));
    let mut findings = Findings::default();
    for lint in lints {
        let file = files[lint.file];
        findings.add(lint.kind.code(), file.source, lint.span, |draft| {
            lint.kind.describe(file, file.source, |message| draft.message(message))
        });
    }
    let mut found = findings.finish();
    if file.implicit {
        // The body of a diagram's loop may have notes. These describe the behaviour in words, so
        // the loop is not reported.
        let is_shown = [Code::EMPTY_LOOP, Code::NULLABLE_LOOP];
        for lint in found.iter_mut().filter(|lint| is_shown.contains(&lint.code)) {
            lint.severity = Severity::Note;
        }
    }
    found
}

struct Lint<'a> {
    file: usize,
    span: Span,
    kind: LintKind<'a>,
}

enum LintKind<'a> {
    Unused(NameKind, Name),
    EqualAlternatives { first: Span },
    EmptyLoop,
    NullableLoop,
    OneSided { sent: bool, message: &'a UsedMessage, used: &'a Used },
    SingleOperand(&'static str),
    EmptyOperand(&'static str),
    UnusedVariable(Name),
    LonelyVariable(Name),
    MixedKinds { field: Name, kind: Kind, known: Kind, first: Span },
    Contradiction { first: Span },
}

impl LintKind<'_> {
    fn code(&self) -> Code {
        match self {
            LintKind::Unused(NameKind::Lifeline, _) => Code::UNUSED_LIFELINE,
            LintKind::Unused(NameKind::Message, _) => Code::UNUSED_MESSAGE,
            LintKind::EqualAlternatives { .. } => Code::EQUAL_ALTERNATIVES,
            LintKind::EmptyLoop => Code::EMPTY_LOOP,
            LintKind::NullableLoop => Code::NULLABLE_LOOP,
            LintKind::OneSided { sent: true, .. } => Code::ONLY_SENT,
            LintKind::OneSided { sent: false, .. } => Code::ONLY_RECEIVED,
            LintKind::SingleOperand(_) => Code::SINGLE_OPERAND,
            LintKind::EmptyOperand(_) => Code::EMPTY_OPERAND,
            LintKind::UnusedVariable(_) => Code::UNUSED_VARIABLE,
            LintKind::LonelyVariable(_) => Code::LONELY_VARIABLE,
            LintKind::MixedKinds { .. } => Code::MIXED_KINDS,
            LintKind::Contradiction { .. } => Code::CONTRADICTION,
        }
    }

    fn describe(
        &self,
        file: &SpecFile,
        source: SourceId,
        message: impl FnOnce(String) -> Diagnostic,
    ) -> Diagnostic {
        let text = |symbol| file.names.text(symbol);
        match *self {
            LintKind::Unused(kind, name) => {
                let word = kind.word();
                message(format!("the {word} `{}` is never used", text(name.symbol)))
                    .with_label("declared here")
                    .with_help(format!(
                        "remove it from `@{word}{{…}}`, unless another model needs it"
                    ))
            }
            LintKind::EqualAlternatives { first } => message("two alternatives are equal".into())
                .with_label("the same again")
                .with_related(source, first, "as this one")
                .with_help("remove one, or change the one that should differ"),
            LintKind::EmptyLoop => {
                let lint = message("this loop repeats nothing".into());
                let span = lint.primary.span;
                if file.implicit {
                    lint.with_help("put what is repeated between `loop` and `end`, or remove it")
                } else {
                    lint.with_fix(span, "o").with_help(
                        "put what is repeated into it; as it is, it means the empty interaction `o`",
                    )
                }
            }
            LintKind::NullableLoop => {
                message("an iteration of this loop may do nothing at all".into()).with_help(
                    "a loop may already run zero times: make one part of its body mandatory, \
                     for instance by leaving out the empty alternative",
                )
            }
            LintKind::OneSided { sent, message: own, used } => {
                let name = text(own.symbol);
                let (this, that, verb) = if sent {
                    ("sent", "received", "receives")
                } else {
                    ("received", "sent", "sends")
                };
                let counterparts = used.only(!sent).take(MAX_CANDIDATES);
                let candidates = counterparts.map(|other| text(other.symbol));
                let help = match did_you_mean(name, candidates) {
                    Some(suggestion) => {
                        format!("a similar message is only {that}: {suggestion}")
                    }
                    None => format!("fine if the environment {verb} it"),
                };
                message(format!("`{name}` is {this} but never {that}"))
                    .with_label(format!("{this} here{}", and_elsewhere(own.count - 1)))
                    .with_help(help)
            }
            LintKind::SingleOperand(operator) => {
                message(format!("`{operator}` has only one operand"))
                    .with_help("it means the operand alone: write that, or add what is missing")
            }
            LintKind::EmptyOperand(operator) => {
                message(format!("an empty operand of `{operator}` changes nothing"))
                    .with_help("leave it out")
            }
            LintKind::UnusedVariable(name) => {
                message(format!("no guard names the variable `{}`", text(name.symbol)))
                    .with_label("declared here")
                    .with_help("remove it, or compare a field with it")
            }
            LintKind::LonelyVariable(name) => {
                let name_text = text(name.symbol);
                message(format!("only this event names `{name_text}`, so any value will do"))
                    .with_related(source, name.span, "declared here")
                    .with_help("name it in the guard of another message, or remove this atom")
            }
            LintKind::MixedKinds { field, kind, known, first } => {
                let field = text(field.symbol);
                let (kind, known) = (kind.describe(), known.describe());
                message(format!(
                    "`{field}` is compared with {kind} here and with {known} elsewhere"
                ))
                .with_related(source, first, "compared with another kind of value here")
                .with_help("values of different kinds are different: \"1\" is not 1")
            }
            LintKind::Contradiction { first } => {
                message("no event satisfies this guard: two of its atoms exclude each other".into())
                    .with_related(source, first, "this atom says something else")
                    .with_help("remove one of the two")
            }
        }
    }
}

/// Lints the operators of all nodes without a syntax error.
fn structure(
    at: usize,
    file: &SpecFile,
    interaction: &Interaction,
    reachable: &[bool],
    lowered: &Lowered,
    lints: &mut Vec<Lint<'_>>,
) {
    let (sound, valued) = (sound(interaction), valued(interaction));
    let term = |id: NodeId| lowered.nodes.get(id.index()).copied().unwrap_or(Pool::EMPTY);
    let is_sound = |id: NodeId| sound[id.index()];
    // Each iteration of `loopP(fresh x)(loopW(…))` is the sessions of one x, of which there may be none.
    let fresh: FxHashSet<NodeId> = interaction
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Operator(Operator::Fresh(_), operands) => operands.first().copied(),
            NodeKind::Empty | NodeKind::Invalid | NodeKind::Passing(_) | NodeKind::Operator(..) => {
                None
            }
        })
        .collect();
    let is_fresh =
        |number: usize| u32::try_from(number).is_ok_and(|number| fresh.contains(&NodeId(number)));
    let all = interaction.nodes.iter().enumerate().zip(reachable);
    for ((number, node), _) in all.filter(|(_, reached)| **reached) {
        let NodeKind::Operator(operator, operands) = &node.kind else { continue };
        let mut add = |span, kind| lints.push(Lint { file: at, span, kind });
        let name = operator.keyword();
        match operator {
            Operator::Loop(_) => {
                let ([body], true) = (operands.as_slice(), operands.iter().all(|&id| is_sound(id)))
                else {
                    continue;
                };
                let body = term(*body);
                if !lowered.pool.has_events(body) {
                    add(node.span, LintKind::EmptyLoop);
                } else if lowered.pool.attributes(body).terminates && !is_fresh(number) {
                    add(node.span, LintKind::NullableLoop);
                }
            }
            Operator::Alt => {
                if operands.len() == 1 {
                    add(node.span, LintKind::SingleOperand(name));
                }
                if is_guarded(file, number) {
                    continue;
                }
                let mut first: FxHashMap<TermId, Span> = FxHashMap::default();
                // Terms have no values: alternatives with guards may differ by these.
                let is_comparable = |id: NodeId| is_sound(id) && !valued[id.index()];
                for &operand in operands.iter().filter(|&&id| is_comparable(id)) {
                    let span = interaction.node(operand).span;
                    let earlier = *first.entry(term(operand)).or_insert(span);
                    if earlier != span {
                        add(span, LintKind::EqualAlternatives { first: earlier });
                    }
                }
            }
            Operator::New(_) | Operator::Fresh(_) => {}
            Operator::Strict | Operator::Seq | Operator::Par | Operator::Coreg(_) => {
                // The `seq` of a diagram's statements is implicit.
                if operands.len() == 1 && (!file.implicit || *operator != Operator::Seq) {
                    add(node.span, LintKind::SingleOperand(name));
                }
                for &operand in operands.iter().filter(|&&id| operands.len() > 1 && is_sound(id)) {
                    if term(operand) == Pool::EMPTY {
                        add(interaction.node(operand).span, LintKind::EmptyOperand(name));
                    }
                }
            }
        }
    }
}

/// Whether the author of a diagram distinguished the operands of a node by guards, or wrote only notes in
/// one of them.
fn is_guarded(file: &SpecFile, number: usize) -> bool {
    let node = NodeId(u32::try_from(number).unwrap_or(u32::MAX));
    let shown = file.drawing.as_ref().and_then(|drawing| drawing.of(node));
    shown.and_then(|shown| shown.frame.as_ref()).is_some_and(|frame| {
        let mut texts =
            std::iter::once(&frame.label).chain(frame.operands.iter().map(|it| &it.guard));
        texts.any(|text| !text.is_empty())
    })
}

/// For each node: whether neither it nor a node below it has a syntax error.
fn sound(interaction: &Interaction) -> Vec<bool> {
    let mut sound: Vec<bool> = Vec::with_capacity(interaction.nodes.len());
    for node in &interaction.nodes {
        sound.push(match &node.kind {
            NodeKind::Empty | NodeKind::Passing(_) => true,
            NodeKind::Invalid => false,
            NodeKind::Operator(_, operands) => {
                !operands.is_empty() && operands.iter().all(|id| sound[id.index()])
            }
        });
    }
    sound
}

/// For each node: whether it or a node below it has a guard or a binder.
fn valued(interaction: &Interaction) -> Vec<bool> {
    let mut valued: Vec<bool> = Vec::with_capacity(interaction.nodes.len());
    for node in &interaction.nodes {
        valued.push(match &node.kind {
            NodeKind::Empty | NodeKind::Invalid => false,
            NodeKind::Passing(passing) => !passing.guard.is_empty(),
            NodeKind::Operator(operator, operands) => {
                !operator.variables().is_empty() || operands.iter().any(|id| valued[id.index()])
            }
        });
    }
    valued
}

/// Lints unused declarations, except in diagrams, where declarations are implicit or made by a
/// directive.
fn unused<'a>(
    files: &[&'a SpecFile],
    interaction_file: &SpecFile,
    used: &Used,
    lints: &mut Vec<Lint<'a>>,
) {
    let text = |symbol: &Symbol| interaction_file.names.text(*symbol);
    let lifelines: FxHashSet<&str> = used.lifelines.iter().map(text).collect();
    let messages: FxHashSet<&str> =
        used.messages.iter().map(|message| text(&message.symbol)).collect();
    for (at, file) in files.iter().enumerate().filter(|(_, file)| !file.implicit) {
        for section in &file.sections {
            let (kind, names, used) = match section {
                Section::Lifelines(names) => (NameKind::Lifeline, names, &lifelines),
                Section::Messages(names) => (NameKind::Message, names, &messages),
                Section::Options(_) => continue,
            };
            for declaration in &names.names {
                let name = declaration.name;
                if !used.contains(file.names.text(name.symbol)) {
                    let kind = LintKind::Unused(kind, name);
                    lints.push(Lint { file: at, span: name.span, kind });
                }
            }
        }
    }
}

/// Lints messages that are only sent or only received. A model in which no passing has both ends (a
/// single machine and its environment) is not linted.
fn one_sided<'a>(at: usize, used: &'a Used, lints: &mut Vec<Lint<'a>>) {
    if !used.two_sided {
        return;
    }
    for sent in [true, false] {
        lints.extend(used.only(sent).filter_map(|message| {
            let span = if sent { message.sent } else { message.received }?;
            Some(Lint { file: at, span, kind: LintKind::OneSided { sent, message, used } })
        }));
    }
}

#[derive(Default)]
struct Used {
    lifelines: FxHashSet<Symbol>,
    /// In the order of their first use.
    messages: Vec<UsedMessage>,
    /// Whether some passing has both an origin and a target.
    two_sided: bool,
}

struct UsedMessage {
    symbol: Symbol,
    /// The first passing that sends it, and the first one that receives it.
    sent: Option<Span>,
    received: Option<Span>,
    count: usize,
}

impl Used {
    fn of(interaction: &Interaction, reachable: &[bool]) -> Used {
        let mut used = Used::default();
        let mut known_messages = FxHashMap::default();
        for (node, _) in interaction.nodes.iter().zip(reachable).filter(|(_, reached)| **reached) {
            let lifelines: &[Name] = match &node.kind {
                NodeKind::Empty | NodeKind::Invalid => &[],
                NodeKind::Passing(passing) => {
                    used.passing(passing, &mut known_messages);
                    used.lifelines.extend(passing.origin.map(|origin| origin.symbol));
                    passing.target.lifelines()
                }
                NodeKind::Operator(operator, _) => operator.region(),
            };
            used.lifelines.extend(lifelines.iter().map(|name| name.symbol));
        }
        used
    }

    /// The messages that are only sent, or only received.
    fn only(&self, sent: bool) -> impl Iterator<Item = &UsedMessage> {
        let is_one_sided = move |message: &&UsedMessage| {
            message.sent.is_some() == sent && message.received.is_some() != sent
        };
        self.messages.iter().filter(is_one_sided)
    }

    fn passing(&mut self, passing: &Passing, known: &mut FxHashMap<Symbol, usize>) {
        let Name { symbol, span } = passing.message;
        let at = *known.entry(symbol).or_insert_with(|| {
            self.messages.push(UsedMessage { symbol, sent: None, received: None, count: 0 });
            self.messages.len() - 1
        });
        let message = &mut self.messages[at];
        let (sent, received) = (passing.origin.is_some(), !passing.target.lifelines().is_empty());
        message.count += 1;
        if sent {
            message.sent.get_or_insert(span);
        }
        if received {
            message.received.get_or_insert(span);
        }
        self.two_sided |= sent && received;
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::lower;
    use crate::sample::{spec, spec_with_id};

    const SIGNATURE: &str = "@lifeline{a;b} @message{m;n} ";

    /// Checks the lints of an interaction over [`SIGNATURE`], as code, text and related text, without
    /// those about unused declarations.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let whole = format!("{SIGNATURE}{text}");
        let file = spec(&whole);
        let lowered = lower(&[&file]);
        let found = lint(&[&file], &lowered);
        let shown: Vec<String> = found
            .iter()
            .filter(|found| ![Code::UNUSED_LIFELINE, Code::UNUSED_MESSAGE].contains(&found.code))
            .map(|found| {
                let mut line = format!("{} {}", found.code, &whole[found.primary.span.range()]);
                for related in &found.related {
                    let _ = write!(line, " / {}", &whole[related.span.range()]);
                }
                line
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn nothing_is_said_about_what_is_fine() {
        check("seq(a -- m -> b, loopW(b -- n -> a), alt(a -- m -> b, o))", &[]);
        check("a -- m ->|", &[]);
        check("strict(a -- m ->|, m -> b)", &[]);
        check("par(a -- m -> (a,b), n -> (b), a -- n ->|)", &[]);
        check("o", &[]);
    }

    #[test]
    fn equal_alternatives_are_found_in_any_spelling() {
        check("alt(a -- m ->|, o, a -- m ->|)", &["O0703 a -- m ->| / a -- m ->|"]);
        check(
            "alt(a -- m -> b, strict(a -- m ->|, m -> b), seq(a -- m -> b))",
            &[
                "O0703 strict(a -- m ->|, m -> b) / a -- m -> b",
                "O0703 seq(a -- m -> b) / a -- m -> b",
                "O0709 seq(a -- m -> b)",
            ],
        );
    }

    #[test]
    fn loops_that_repeat_nothing_or_may() {
        check("loopW(o)", &["O0704 loopW(o)"]);
        check("loopS(alt(o, loopP(o)))", &["O0704 loopS(alt(o, loopP(o)))", "O0704 loopP(o)"]);
        check("loopW(alt(a -- m ->|, o))", &["O0705 loopW(alt(a -- m ->|, o))"]);
        check("loopC(a)(loopW(a -- m ->|))", &["O0705 loopC(a)(loopW(a -- m ->|))"]);
        check("loopW(seq(a -- m ->|, loopW(a -- m ->|)))", &[]);
    }

    #[test]
    fn operators_with_one_operand_or_empty_ones() {
        check("seq(a -- m ->|)", &["O0709 seq(a -- m ->|)"]);
        check("alt(a -- m ->|)", &["O0709 alt(a -- m ->|)"]);
        check("par(o, a -- m ->|, o)", &["O0710 o", "O0710 o"]);
        check("coreg(a)(a -- m ->|, strict(o, o))", &["O0710 o", "O0710 o"]);
    }

    #[test]
    fn messages_of_one_side_are_noted_among_passings() {
        check("seq(a -- m -> b, a -- n ->|, a -- n ->|)", &["O0706 n"]);
        check("seq(a -- m -> b, n -> a)", &["O0707 n"]);
        check("seq(a -- n ->|, m -> a)", &[]);
        check("seq(a -- m -> b, a -- n ->|, n -> b)", &[]);
    }

    #[test]
    fn similar_messages_of_one_side_are_matched() {
        let text = "@lifeline{a;b} @message{m;publish;publsh} \
                    seq(a -- m -> b, a -- publish ->|, publsh -> b)";
        let file = spec(text);
        let found = lint(&[&file], &lower(&[&file]));
        let helps: Vec<&str> = found.iter().filter_map(|found| found.help.as_deref()).collect();
        assert_eq!(
            helps,
            [
                "a similar message is only received: did you mean `publsh`?",
                "a similar message is only sent: did you mean `publish`?",
            ]
        );
    }

    #[test]
    fn unused_declarations_are_found_in_their_own_file() {
        let signature = spec_with_id(0, "@lifeline{a;b;c} @message{m;n}");
        let mut model = spec_with_id(1, "@lifeline{d} coreg(b)(a -- m ->|, a -- m ->|)");
        let found = |model: &SpecFile| -> Vec<String> {
            let files = [&signature, model];
            lint(&files, &lower(&files))
                .iter()
                .map(|found| format!("{} {} {}", found.code, found.primary.source.0, found.message))
                .collect()
        };
        assert_eq!(
            found(&model),
            [
                "O0701 0 the lifeline `c` is never used",
                "O0702 0 the message `n` is never used",
                "O0701 1 the lifeline `d` is never used",
            ]
        );
        model.implicit = true;
        assert_eq!(found(&model).len(), 2);
        let alone = [&signature];
        assert!(lint(&alone, &lower(&alone)).is_empty());
    }

    #[test]
    fn what_could_not_be_read_is_not_judged() {
        check("alt(!, !, loopW(!), loopW(seq(!, o)))", &["O0710 o"]);
        check("seq(!, a -- m ->|)", &[]);
    }

    #[test]
    fn an_empty_loop_can_be_mended() {
        let file = spec("loopW(o)");
        let found = lint(&[&file], &lower(&[&file]));
        let fix = found[0].fix.as_ref().unwrap();
        assert_eq!((fix.span, fix.replacement.as_str()), (Span::new(0, 8), "o"));
    }
}
