//! What is learnt from small runs, as text.

use otus_core::raise;
use otus_syntax::{Source, parse_trace, print};

use super::*;
use crate::transform::implied_signature;

/// What is learnt from the texts of some runs, in one line, after `;` the notes.
fn learnt(texts: &[&str], options: &Options) -> (String, Vec<String>) {
    let trees: Vec<_> =
        texts.iter().map(|text| parse_trace(&Source::new("run.htf", *text)).tree).collect();
    let mut pool = Pool::new(implied_signature(&trees));
    let traces: Vec<MultiTrace> =
        trees.iter().map(|tree| crate::lower(tree, &mut pool).0).collect();
    let runs: Vec<Run<'_>> = traces.iter().map(Run::new).collect();
    let learnt = learn(&mut pool, &runs, options, &mut |_, _, _| true);
    let mut tree = raise(&pool, learnt.term);
    tree.sections.clear();
    let text = print::spec(&tree);
    let notes = learnt.notes.iter().map(|note| note.text(&pool)).collect();
    (
        text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")"),
        notes,
    )
}

#[track_caller]
fn check(texts: &[&str], expected: &str) {
    assert_eq!(learnt(texts, &Options::default()).0, expected, "{texts:?}");
}

#[test]
fn one_run_is_its_messages_in_order() {
    check(&["[a] a!m; [b] b?m"], "a -- m -> b");
    check(&["[a] a!m.a?r; [b] b?m.b!r"], "seq(a -- m -> b, b -- r -> a)");
    check(
        &["[a] a!m.a?r; [b] b?m.b!n.b?o.b!r; [c] c?n.c!o"],
        "seq(a -- m -> b, b -- n -> c, c -- o -> b, b -- r -> a)",
    );
    check(&["[a] a!m.a!m; [b] b?m.b?m"], "seq(a -- m -> b, a -- m -> b)");
    check(&["[a] ; [b]"], "o");
}
