//! Tests of the parser and writer of directives.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::ast::{LoopKind, Operator};
use crate::diagram::statement::{Fragment, Mark, StatementKind};
use crate::name::{Name, Names};
use crate::parser::Findings;
use crate::source::{SourceId, Span};

/// Checks the statement of a comment and the diagnostics about it.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    let (mut names, mut findings) = (Names::default(), Findings::unbounded(SourceId(0)));
    let kind = read(text, 0, &mut names, &mut findings);
    let mut shown = String::new();
    if let Some(kind) = &kind {
        let _ = write!(shown, "{}", write_back(kind, &names));
    }
    for diagnostic in &findings.list {
        let span = diagnostic.primary.span;
        shown.push_str(if shown.is_empty() { "" } else { "\n" });
        let _ = write!(shown, "{} `{}` ", diagnostic.code, &text[span.range()]);
        let _ = write!(shown, "{}", diagnostic.message);
        let _ = write!(shown, "; {}", diagnostic.help.as_deref().unwrap_or("no help"));
    }
    expected.assert_eq(&shown);
}

fn write_back(kind: &StatementKind, names: &Names) -> String {
    write(kind, names).unwrap_or_else(|| format!("{kind:?}"))
}

#[test]
fn comments_that_are_no_directives_are_silent() {
    for text in ["", " a comment", "otus is great", "todo: otus: strict", "fotus: strict"] {
        check(text, &expect![""]);
    }
}

#[test]
fn every_directive_is_read_and_written() {
    check("otus: strict", &expect!["otus: strict"]);
    check("  OTUS:seq  ", &expect!["otus: seq"]);
    check("otus: par", &expect!["otus: par"]);
    check("otus: alt", &expect!["otus: alt"]);
    check("otus: broadcast", &expect!["otus: broadcast"]);
    check("otus: coreg(a,b)", &expect!["otus: coreg(a, b)"]);
    check("otus: coreg ( a , \"b c\" )", &expect![[r#"otus: coreg(a, "b c")"#]]);
    check("otus: coreg()", &expect!["otus: coreg()"]);
    check("otus: end", &expect!["otus: end"]);
    check("otus: loopS", &expect!["otus: loopS"]);
    check("otus: loop_seq", &expect!["otus: loopW"]);
    check("otus: loopH", &expect!["otus: loopH"]);
    check("otus: loop_par", &expect!["otus: loopP"]);
    check("otus: loopC(l1, l2)", &expect!["otus: loopC(l1, l2)"]);
    check("otus: synch", &expect!["otus: synch"]);
    check("otus: empty", &expect!["otus: empty"]);
    check("otus: environment my-db", &expect![[r#"otus: environment "my-db""#]]);
    check("otus: name p1 \"a b\"", &expect![[r#"otus: name p1 "a b""#]]);
    check("otus: lifeline a, b", &expect!["otus: lifeline a, b"]);
    check(
        r#"otus: message "\u{41}\u{}\u{110000}\u""#,
        &expect![[r#"otus: message "Au{}u{110000}u""#]],
    );
    check(r#"otus: message "\"\\\n", é"#, &expect![[r#"otus: message "\"\\\n", é"#]]);
}

#[test]
fn faults_name_the_place_and_the_remedy() {
    check(
        "otus: stritc",
        &expect![[r#"
            otus: strict
            O0609 `stritc` there is no directive `stritc`; did you mean `strict`?"#]],
    );
    check(
        "otus: corge",
        &expect![[r#"
            otus: coreg()
            O0609 `corge` there is no directive `corge`; did you mean `coreg`?"#]],
    );
    check(
        "otus: atomic",
        &expect![
            "O0609 `atomic` there is no directive `atomic`; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, new, values, synch, critical, environment, name, empty, lifeline, message"
        ],
    );
    check(
        "otus:",
        &expect![
            "O0204 `` `otus:` is not followed by a directive; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, new, values, synch, critical, environment, name, empty, lifeline, message"
        ],
    );
    check(
        "otus: (",
        &expect![
            "O0609 `(` there is no directive `(`; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, new, values, synch, critical, environment, name, empty, lifeline, message"
        ],
    );
    check(
        "otus: strict please",
        &expect![[r#"
            otus: strict
            O0204 `please` `otus: strict` is complete before this; one directive stands on a line; remove the rest"#]],
    );
    check(
        "otus: coreg",
        &expect![[r#"
            otus: coreg()
            O0212 `` `coreg` needs the lifelines it is concurrent on; write `coreg(l1, l2)`"#]],
    );
    check(
        "otus: coreg(a b)",
        &expect![[r#"
            otus: coreg()
            O0205 `(a ` the list of lifelines does not end with `)`; write `(l1, l2)`"#]],
    );
    check(
        "otus: coreg(a,",
        &expect![[r#"
            otus: coreg()
            O0204 `` a name was expected here; the directive reads `(l1, l2)`; quote a name that has spaces in it"#]],
    );
    check(
        "otus: coreg(,)",
        &expect![[r#"
            otus: coreg()
            O0204 `,` a name was expected here; the directive reads `(l1, l2)`; quote a name that has spaces in it"#]],
    );
    check(
        "otus: environment",
        &expect![
            "O0204 `` a name was expected here; the directive reads `otus: environment NAME`; quote a name that has spaces in it"
        ],
    );
    check(
        "otus: environment \"a",
        &expect![[
            r#"O0203 `"a` the quoted name does not end on this line; close it with `"`; a quote inside is written `\"`"#
        ]],
    );
}

#[test]
fn the_options_of_a_critical_part() {
    check("otus: critical alt", &expect!["otus: critical alt"]);
    check("otus: critical opt", &expect!["otus: critical opt"]);
    check(
        "otus: critical par",
        &expect![
            "O0204 `par` this is no meaning of the options of a `critical`; write `otus: critical alt` if one option happens instead of the critical part, `otus: critical opt` if at most one follows it"
        ],
    );
    check(
        "otus: critical",
        &expect![
            "O0204 `` a name was expected here; the directive reads `otus: critical alt` or `otus: critical opt`; quote a name that has spaces in it"
        ],
    );
}

#[test]
fn what_is_written_is_read_back() {
    let mut names = Names::default();
    let awkward = [
        "a",
        "1",
        "",
        " ",
        "a b",
        "\"",
        "\\",
        "\\n",
        "\n\r\t",
        "\u{2028}\u{7f}",
        "\\u{41}",
        "u{",
        "é∅",
        "(x)",
        "a,b",
    ];
    let list: Vec<Name> = awkward
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| Name { symbol: names.intern(text), span: Span::default() })
        .collect();
    let mut kinds = vec![StatementKind::Close, StatementKind::Empty];
    for region in [Vec::new(), vec![list[0]], list.clone()] {
        kinds.push(StatementKind::Open(Fragment::Block(Operator::Coreg(region.clone()))));
        kinds.push(StatementKind::Mark(Mark::LoopKind(
            LoopKind::Coregion(region.clone()),
            Vec::new(),
        )));
        if !region.is_empty() {
            kinds.push(StatementKind::Lifelines(region.clone()));
            kinds.push(StatementKind::Messages(region));
        }
    }
    for block in [Operator::Strict, Operator::Seq, Operator::Par, Operator::Alt] {
        kinds.push(StatementKind::Open(Fragment::Block(block)));
    }
    kinds.push(StatementKind::Open(Fragment::Broadcast));
    for kind in [LoopKind::Strict, LoopKind::Weak, LoopKind::HeadFirst, LoopKind::Parallel] {
        kinds.push(StatementKind::Mark(Mark::LoopKind(kind, Vec::new())));
    }
    kinds.push(StatementKind::Mark(Mark::Synchronous));
    for &name in &list {
        kinds.push(StatementKind::Mark(Mark::Environment(name)));
        kinds.push(StatementKind::Mark(Mark::Rename { alias: list[0], name }));
    }
    for kind in &kinds {
        let text = write(kind, &names).expect("these kinds have a directive form");
        assert!(!text.contains(['\n', '\r']), "{text:?} stays on its line");
        let mut findings = Findings::unbounded(SourceId(0));
        let read = read(&text, 0, &mut names, &mut findings);
        assert!(findings.list.is_empty(), "{text}: {findings:?}");
        // Spans differ; the texts compare everything else.
        let again = read.map(|read| write_back(&read, &names));
        assert_eq!(again.as_deref(), Some(text.as_str()));
    }
}

#[test]
fn spans_are_those_of_the_source() {
    let (mut names, mut findings) = (Names::default(), Findings::unbounded(SourceId(0)));
    let kind = read(" otus: lifeline ab", 100, &mut names, &mut findings);
    let Some(StatementKind::Lifelines(list)) = kind else { panic!("a list of lifelines") };
    assert_eq!(list[0].span, Span::new(116, 118));
}

#[test]
fn labels_of_groups_are_operators_only_when_spelt_exactly() {
    let mut names = Names::default();
    for label in ["strict", " coreg(a, b) ", "loopS", "loop_par", "loopC(a)", "broadcast"] {
        let block = block(label, 0, &mut names).expect("an operator");
        let shown = |block: &Fragment, names: &Names| {
            let Fragment::Block(operator) = block else { return "broadcast".to_owned() };
            block_label(operator, names)
        };
        let again = shown(&block, &names);
        let read = super::block(&again, 0, &mut names);
        assert_eq!(read.map(|block| shown(&block, &names)), Some(again));
    }
    for label in
        ["", "strictly", "Strict", "strict order", "coreg", "coreg(a", "end", "loop", "synch"]
    {
        assert_eq!(block(label, 0, &mut names), None, "{label}");
    }
}
