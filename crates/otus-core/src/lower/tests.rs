//! Tests of lowering: terms and diagnostics.

use std::fmt::Write as _;

use otus_syntax::ast::{Interaction, Node, NodeId, NodeKind, Operator, Passing, SpecFile, Target};
use otus_syntax::name::Name;
use otus_syntax::{Code, Diagnostic, Severity, Source, Span, parse_spec};

use crate::sample::{spec, spec_with_id};
use crate::{Pool, TermId, lower};

const SIGNATURE: &str = "@lifeline{a;b;c} @message{m;n} ";

/// The term that an interaction over [`SIGNATURE`] is lowered to, without any finding.
#[track_caller]
fn check(text: &str, expected: &str) {
    let parsed = parse_spec(&Source::new("x.hsf", format!("{SIGNATURE}{text}")));
    assert_eq!(parsed.diagnostics, []);
    let lowered = lower(&[&parsed.tree]);
    assert_eq!(lowered.diagnostics, []);
    assert_eq!(lowered.pool.text(lowered.term.unwrap()), expected);
}

/// One line per finding: code, the text it points at, message, label, help, related places.
#[track_caller]
fn check_findings(texts: &[&str], expected: &[&str]) {
    let files: Vec<SpecFile> = (0..).zip(texts).map(|(id, text)| spec_with_id(id, text)).collect();
    let lowered = lower(&files.iter().collect::<Vec<_>>());
    let shown: Vec<String> = lowered.diagnostics.iter().map(|found| show(texts, found)).collect();
    assert_eq!(shown, expected);
}

fn show(texts: &[&str], found: &Diagnostic) -> String {
    let at = |source: otus_syntax::SourceId, span: Span| &texts[source.0 as usize][span.range()];
    let mut line = format!(
        "{} {}@{} `{}`: {}",
        found.code,
        found.primary.source.0,
        found.primary.span.start,
        at(found.primary.source, found.primary.span),
        found.message
    );
    if !found.primary.text.is_empty() {
        let _ = write!(line, " | {}", found.primary.text);
    }
    for related in &found.related {
        let place = at(related.source, related.span);
        let _ = write!(
            line,
            " | {}@{} `{place}` {}",
            related.source.0, related.span.start, related.text
        );
    }
    if let Some(help) = &found.help {
        let _ = write!(line, " | help: {help}");
    }
    line
}

#[test]
fn operators_nest_to_the_right() {
    check("o", "∅");
    check("seq(o, a -- m ->|, o)", "seq(∅, seq(a!m, ∅))");
    check("par(m -> a, n -> b, m -> c)", "par(a?m, par(b?n, c?m))");
    check("strict(o)", "∅");
    check("alt(a -- m ->|, o)", "alt(a!m, ∅)");
    check("coreg(b, a)(o, o, o)", "coreg(a, b)(∅, coreg(a, b)(∅, ∅))");
    check("loopS(loopW(loopP(loopC(a)(o))))", "loopS(loopW(loopP(loopC(a)(∅))))");
}

#[test]
fn passings_are_strict_from_emission_to_receptions() {
    check("a -- m -> b", "strict(a!m, b?m)");
    check("a -- m -> a", "strict(a!m, a?m)");
    check("a -- m -> (b)", "strict(a!m, b?m)");
    check("a -- m -> (b, c)", "strict(a!m, seq(b?m, c?m))");
    check("a -- m -> (b, c, a)", "strict(a!m, seq(b?m, seq(c?m, a?m)))");
    check("a -- m ->|", "a!m");
    check("m -> b", "b?m");
    check("m -> (b, c)", "seq(b?m, c?m)");
}

#[test]
fn synchronous_passings_are_one_event() {
    check("a -- <synch> m -> b", "{a!m, b?m}");
    check("b -- <synch> m -> (c, a)", "{a?m, b!m, c?m}");
    check("a -- <synch> m ->|", "a!m");
    check("<synch> m -> b", "b?m");
    check("<synch> m -> (b, c)", "{b?m, c?m}");
}

#[test]
fn a_region_of_all_lifelines_is_par_and_order_does_not_matter() {
    let file = spec(&format!(
        "{SIGNATURE} alt(coreg(c,a,b)(o,o), par(o,o), coreg(a,b)(o,o), coreg(b,a)(o,o))"
    ));
    let lowered = lower(&[&file]);
    let term = |node: usize| lowered.nodes[node];
    assert_eq!(term(2), term(5));
    assert_eq!(term(8), term(11));
    assert_ne!(term(2), term(8));
}

#[test]
fn parts_in_several_files_are_merged() {
    check_findings(&["@lifeline{a;b} @message{m}", "a -- m -> b"], &[]);
    check_findings(&["a -- m -> b", "@lifeline{a;b}", "@message{m}"], &[]);
    check_findings(&["@lifeline{a}", "@message{a} a -- a -> a"], &[]);
    check_findings(&["o"], &[]);
}

#[test]
fn undeclared_names_are_told_once_where_first_used() {
    check_findings(
        &["@lifeline{broker;client} @message{publish}\n\
           coreg(brokr)(client -- publish -> brokr, client -- x -> brokr)"],
        &[
            "O0301 0@49 `brokr`: the lifeline `brokr` is not declared | used here, and in 2 other \
             places | help: did you mean `broker`? Otherwise declare it in `@lifeline{…}`",
            "O0302 0@94 `x`: the message `x` is not declared | used here | help: declare it in \
             `@message{…}`",
        ],
    );
}

#[test]
fn a_name_of_the_other_kind_is_said_to_be_so() {
    check_findings(
        &["@lifeline{a;b} @message{m} m -- a -> b"],
        &[
            "O0301 0@27 `m`: `m` is declared as a message, not as a lifeline | used here | help: \
             As a message it stands in `a -- m -> b` and `a!m`; to use it as a lifeline, declare \
             it in `@lifeline{…}` too",
            "O0302 0@32 `a`: `a` is declared as a lifeline, not as a message | used here | help: \
             As a lifeline it stands in `a -- m -> b` and `a!m`; to use it as a message, declare \
             it in `@message{…}` too",
        ],
    );
}

#[test]
fn names_declared_twice_point_at_the_first() {
    check_findings(
        &["@lifeline{a;a} @message{m}", "@message{a;m} o"],
        &[
            "O0303 0@12 `a`: the lifeline `a` is declared twice | declared again here | 0@10 `a` \
             first declared here | help: remove one of the two, or rename it",
            "O0303 1@11 `m`: the message `m` is declared twice | declared again here | 0@24 `m` \
             first declared here | help: remove one of the two, or rename it",
        ],
    );
}

#[test]
fn without_any_signature_that_alone_is_told() {
    check_findings(
        &["seq(a -- m -> b, a -- n ->|)"],
        &["O0304 0@4 `a`: no file declares any lifeline or message | the first of 4 names in use \
           | help: give the signature too (`sig.hsf model.hif`), or put `@message{…}` and \
           `@lifeline{…}` before the interaction"],
    );
}

#[test]
fn the_first_of_several_interactions_is_taken() {
    check_findings(
        &["o", "@lifeline{a} @message{m}", "a -- m ->|"],
        &[
            "O0306 2@0 `a -- m ->|`: a specification has one interaction, and this is another | 0@0 \
           `o` the first one is here | help: give only one of the two files",
        ],
    );
}

#[test]
fn repeated_lifelines_and_meeting_oneself_are_told() {
    check_findings(
        &["@lifeline{a;b} @message{m}\
           seq(coreg(a,b,a)(o,o), a -- m -> (b,b), a -- <synch> m -> (b,a), <synch> m -> (b,b))"],
        &[
            "O0305 0@40 `a`: `a` is listed twice in this region | listed again here | 0@36 `a` \
             first listed here | help: leave one of the two out",
            "O0305 0@62 `b`: `b` is listed twice, so it receives `m` twice | listed again here | \
             0@60 `b` first listed here | help: leave one of the two out",
            "O0307 0@87 `a`: `a` cannot send to itself in one indivisible step | receives here | \
             0@66 `a` and sends here | help: leave out `<synch>` if it sends first and receives \
             later, or write `->|` if only the emission matters",
            "O0305 0@107 `b`: `b` is listed twice among the receivers | listed again here | 0@105 \
             `b` first listed here | help: leave one of the two out",
        ],
    );
}

#[test]
fn head_first_loops_are_noted_once() {
    check_findings(
        &["seq(loopH(loopH(o)), loopH(o))"],
        &["O0708 0@10 `loopH`: `loopH` is read as `loopW` | here, and in 2 other places | help: \
           Otus has no head-first rule; write `loopW` to say what is checked"],
    );
}

#[test]
fn diagrams_declare_by_use_in_the_order_of_the_text() {
    let mut file = spec("@lifeline{z} coreg(y)(b -- n -> a, a -- m -> b)");
    file.implicit = true;
    let lowered = lower(&[&file]);
    // An arrow declares what it uses, a region does not.
    let [found] = &lowered.diagnostics[..] else { panic!("{:?}", lowered.diagnostics) };
    assert_eq!(found.message, "the lifeline `y` is not declared");
    assert_eq!(found.help.as_deref(), Some("declare it with a directive: `otus: lifeline y`"));
    let signature = lowered.pool.signature();
    let lifelines: Vec<&str> = signature.lifelines().map(|(_, name)| name).collect();
    let messages: Vec<&str> = signature.messages().map(|(_, name)| name).collect();
    assert_eq!(lifelines, ["z", "y", "b", "a"]);
    assert_eq!(messages, ["n", "m"]);
}

#[test]
fn findings_are_bounded() {
    let many: Vec<String> = (0..300).map(|i| format!("x{i} -- m ->|")).collect();
    let file = spec(&format!("@message{{m}} seq({})", many.join(", ")));
    let found = lower(&[&file]).diagnostics;
    assert_eq!(found.len(), 101);
    assert_eq!(found[100].message, "200 more findings are not shown");
    assert_eq!(found[100].severity, Severity::Error);
    assert!(found[..100].iter().all(|found| found.code == Code::UNDECLARED_LIFELINE));
}

#[test]
fn terms_know_where_they_were_read() {
    let text = "@lifeline{a;b;c} @message{m;n} seq(a -- m -> b, a -- n ->|, n -> (b,c))";
    let lowered = lower(&[&spec(text)]);
    let mut found = Vec::new();
    for at in 0..lowered.pool.term_count() {
        let term = TermId(u32::try_from(at).unwrap());
        if let Some((_, span)) = lowered.place(term) {
            found.push(format!("{} @ {}", lowered.pool.text(term), &text[span.range()]));
        }
    }
    expect_test::expect![[r"
        a!m @ a -- m
        b?m @ m -> b
        strict(a!m, b?m) @ a -- m -> b
        a!n @ a -- n
        b?n @ b
        c?n @ c
        seq(b?n, c?n) @ n -> (b,c)
        seq(a!n, seq(b?n, c?n)) @ a -- n ->|, n -> (b,c)
        seq(strict(a!m, b?m), seq(a!n, seq(b?n, c?n))) @ seq(a -- m -> b, a -- n ->|, n -> (b,c))"]]
    .assert_eq(&found.join("\n"));
}

#[test]
fn nodes_that_are_not_part_of_the_interaction_are_ignored() {
    let mut file = spec("@lifeline{a} @message{m} a -- m ->|");
    let interaction = file.interaction.as_mut().unwrap();
    let unknown = Name { symbol: file.names.intern("nobody"), span: Span::default() };
    let passing = Passing {
        origin: Some(unknown),
        message: unknown,
        guard: Vec::new(),
        target: Target::Environment,
        synchronous: false,
    };
    interaction.nodes.push(Node { span: Span::default(), kind: NodeKind::Passing(passing) });
    let lowered = lower(&[&file]);
    assert_eq!(lowered.diagnostics, []);
    assert_eq!(lowered.nodes, [lowered.term.unwrap(), Pool::EMPTY]);
}

#[test]
fn depth_and_sharing_cost_nothing() {
    let mut nodes = vec![Node { span: Span::default(), kind: NodeKind::Empty }];
    for at in 0..100_000 {
        let operands = vec![NodeId(at), NodeId(at)];
        let kind = NodeKind::Operator(Operator::Seq, operands);
        nodes.push(Node { span: Span::default(), kind });
    }
    let interaction = Interaction { nodes, root: NodeId(100_000) };
    let file = SpecFile { interaction: Some(interaction), ..SpecFile::default() };
    let lowered = lower(&[&file]);
    let attributes = lowered.pool.attributes(lowered.term.unwrap());
    assert_eq!((attributes.depth, attributes.nodes), (100_000, u64::MAX));
    let raised = crate::raise(&lowered.pool, lowered.term.unwrap());
    assert!(raised.interaction.unwrap().nodes.len() <= 100_001);
}

#[test]
fn partitions_in_options_name_lifelines_too() {
    let options = "@explore_option{ loggers = [tracegen[partition={(a,brokr)}]] }";
    check_findings(
        &["@lifeline{a;broker} @message{m}", options, "a -- m -> broker"],
        &["O0301 1@51 `brokr`: the lifeline `brokr` is not declared | used here | help: did you \
           mean `broker`? Otherwise declare it in `@lifeline{…}`"],
    );
    check_findings(&[options], &[]);
}

mod properties {
    use proptest::prelude::*;

    use super::*;
    use crate::lint;

    fn soup() -> impl Strategy<Value = String> {
        let tokens = prop::sample::select(vec![
            "@lifeline{",
            "@message{",
            "}",
            ";",
            "seq(",
            "par(",
            "alt(",
            "strict(",
            "coreg(a,b)(",
            "loopS(",
            "loopH(",
            "loopC(é)(",
            ")",
            ",",
            "a",
            "b",
            "é",
            "m",
            "\"x y\"",
            " -- ",
            " -> ",
            " ->| ",
            "<synch> ",
            "(",
            "o",
            "a -- m -> b",
            "m -> (a, b, a)",
            "a -- <synch> m -> a",
        ]);
        prop::collection::vec(tokens, 0..40).prop_map(|tokens| tokens.concat())
    }

    proptest! {
        #[test]
        fn any_text_is_lowered_linted_and_raised(text in soup()) {
            let parsed = parse_spec(&Source::new("x.hsf", text.as_str()));
            for implicit in [false, true] {
                let file = SpecFile { implicit, ..parsed.tree.clone() };
                let lowered = lower(&[&file]);
                let found = lowered.diagnostics.iter().chain(&parsed.diagnostics).cloned();
                for found in found.chain(lint(&[&file], &lowered)) {
                    for label in found.related.iter().chain([&found.primary]) {
                        let place = text.get(label.span.range());
                        prop_assert!(place.is_some(), "{found:?}");
                    }
                }
                if let Some(term) = lowered.term {
                    let again = lower(&[&crate::raise(&lowered.pool, term)]);
                    let (before, after) = (lowered.pool.text(term), again.pool.text(again.term.unwrap()));
                    prop_assert_eq!(before, after);
                }
            }
        }
    }
}
