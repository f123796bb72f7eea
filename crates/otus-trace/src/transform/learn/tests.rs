//! Interactions that are learnt from small runs, as text.

use otus_core::raise;
use otus_syntax::{Source, parse_trace, print};

use super::*;
use crate::transform::implied_signature;

/// The interaction that is learnt from the texts of some runs, in one line, and the notes.
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

#[test]
fn messages_are_paired_so_that_they_cross_only_where_they_must() {
    // A lifeline that forwards a message does not send it to itself.
    check(
        &["[pub] pub!p; [bro] bro?s.bro?p.bro!p; [sub] sub!s.sub?p"],
        "seq(sub -- s -> bro, pub -- p -> bro, bro -- p -> sub)",
    );
    check(&["[a] a!m.a!n; [b] b?n.b?m"], "coreg(b)(a -- m -> b, a -- n -> b)");
    check(&["[a] a!m.a?n; [b] b!n.b?m"], "coreg(b)(a -- m -> b, b -- n -> a)");
    check(&["[a] a!m.a?m"], "a -- m -> a");
    check(&["[a] a!m; [b] b?m; [c] c?m"], "a -- m -> (b, c)");
    check(&["[a] a!m; [b] b?m.b?m"], "seq(a -- m -> b, m -> b)");
    check(&["[a] a!m.a!m; [b] b?m"], "seq(a -- m -> b, a -- m ->|)");
    check(&["[a] a?m.a!m"], "seq(m -> a, a -- m ->|)");
}

#[test]
fn crossings_can_be_split() {
    let options = Options { crossings: Crossings::Split, ..Options::default() };
    let (text, notes) = learnt(&["[a] a!m.a!n; [b] b?n.b?m"], &options);
    assert_eq!(text, "seq(a -- m ->|, a -- n -> b, m -> b)");
    assert_eq!(
        notes,
        [
            "m crossed other messages (once): its emission and its reception are drawn apart (first in run 1)"
        ]
    );
}

#[test]
fn lifelines_that_never_meet_stand_beside_each_other() {
    check(&["[a] a!m; [b] b?m; [c] c!n; [d] d?n"], "par(a -- m -> b, c -- n -> d)");
    let options = Options { beside: false, ..Options::default() };
    let text = learnt(&["[a] a!m; [b] b?m; [c] c!n; [d] d?n"], &options).0;
    assert_eq!(text, "seq(a -- m -> b, c -- n -> d)");
}

/// Runs of one sender and one receiver, as words of messages.
#[track_caller]
fn check_words(words: &[&str], expected: &str) {
    let texts: Vec<String> = words
        .iter()
        .map(|word| {
            let side = |sign: &str| {
                let actions = word.chars().map(|message| format!("{sign}{message}"));
                actions.collect::<Vec<_>>().join(".")
            };
            format!("[a] {}; [b] {}", side("a!"), side("b?"))
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let text = learnt(&texts, &Options::default()).0;
    let messages: std::collections::BTreeSet<char> =
        words.iter().flat_map(|word| word.chars()).collect();
    let text = messages.iter().fold(text, |text, message| {
        text.replace(&format!("a -- {message} -> b"), &message.to_string())
    });
    assert_eq!(text, expected, "{words:?}");
}

#[test]
fn several_runs_become_one() {
    check_words(&["xyz", "xyz"], "seq(x, y, z)");
    check_words(&["xyz", "xwz"], "seq(x, alt(y, w), z)");
    check_words(&["xyz", "xz"], "seq(x, alt(y, o), z)");
    check_words(&["xyz", ""], "alt(seq(x, y, z), o)");
    check_words(&["ab", "cd"], "alt(seq(a, b), seq(c, d))");
    check_words(&["xaby", "xbay"], "seq(x, par(a, b), y)");
    check_words(&["xy", "xyy", "x"], "seq(x, loopW(y))");
    check_words(&["xababy", "xaby"], "seq(x, loopW(seq(a, b)), y)");
    check_words(&["pps", "spfpf", "pspf"], "seq(loopW(p), s, loopW(seq(p, f)))");
    check_words(&["axbayb", "axbaxb", "ayb"], "loopW(seq(a, alt(x, y), b))");
    check_words(&["abracab", "abcab"], "seq(a, b, alt(seq(r, a), o), c, a, b)");
    check_words(&["brb", "b", "brbrb"], "seq(b, loopW(seq(r, b)))");
}

#[test]
fn a_single_run_is_folded_only_if_that_is_wished() {
    check_words(&["ababab"], "seq(a, b, a, b, a, b)");
    let always = Options { loops: Loops::Always, ..Options::default() };
    let run = "[a] a!m.a?r.a!m.a?r.a!x; [b] b?m.b!r.b?m.b!r.b?x";
    assert_eq!(learnt(&[run], &always).0, "seq(loopW(seq(a -- m -> b, b -- r -> a)), a -- x -> b)");
    let never = Options { loops: Loops::Never, ..Options::default() };
    assert_eq!(
        learnt(&["[a] a!m", "[a] a!m.a!m"], &never).0,
        "seq(a -- m ->|, alt(a -- m ->|, o))"
    );
}

#[test]
fn known_pairs_are_kept_and_bad_ones_remarked() {
    let tree = parse_trace(&Source::new("x", "[a] a!m; [b] b!m; [c] c?m.c?m.c?n")).tree;
    let mut pool = Pool::new(implied_signature([&tree]));
    let trace = crate::lower(&tree, &mut pool).0;
    let [a, b, c] = [0, 1, 2].map(ComponentId);
    let pair = |from, to| Pair { from: (from, 0), to: (c, to) };
    let pairs = [pair(b, 0), pair(a, 1), pair(a, 2), pair(a, 0), pair(a, 7)];
    let run = Run { trace: &trace, pairs: &pairs, infer: false };
    let learnt = learn(&mut pool, &[run], &Options::default(), &mut |_, _, _| true);
    assert_eq!(pool.text(learnt.term), "seq(strict(b!m, c?m), seq(strict(a!m, c?m), c?n))");
    let bad = learnt.notes.iter().filter(|note| matches!(note.kind, NoteKind::BadPair(_)));
    assert_eq!(bad.count(), 3);
}

#[test]
fn pairs_against_the_order_of_the_logs_are_remarked() {
    let tree = parse_trace(&Source::new("x", "[a] a?m.a!n; [b] b?n.b!m")).tree;
    let mut pool = Pool::new(implied_signature([&tree]));
    let trace = crate::lower(&tree, &mut pool).0;
    let [a, b] = [0, 1].map(ComponentId);
    let pairs = [Pair { from: (a, 1), to: (b, 0) }, Pair { from: (b, 1), to: (a, 0) }];
    let run = Run { trace: &trace, pairs: &pairs, infer: true };
    let learnt = learn(&mut pool, &[run], &Options::default(), &mut |_, _, _| true);
    assert_eq!(pool.text(learnt.term), "seq(a?m, seq(strict(a!n, b?n), b!m))");
    assert!(learnt.notes.iter().any(|note| matches!(note.kind, NoteKind::Cycle(_))));
}

#[test]
fn a_run_that_the_checker_refuses_gets_an_alternative() {
    let tree = parse_trace(&Source::new("x", "[a] a!m.a!m.a!m")).tree;
    let mut pool = Pool::new(implied_signature([&tree]));
    let trace = crate::lower(&tree, &mut pool).0;
    let options = Options { loops: Loops::Always, ..Options::default() };
    let learnt = learn(&mut pool, &[Run::new(&trace)], &options, &mut |_, _, _| false);
    assert_eq!(pool.text(learnt.term), "alt(loopW(a!m), seq(a!m, seq(a!m, a!m)))");
    assert!(learnt.notes.iter().any(|note| note.kind == NoteKind::Refused));
}
