//! Pictures as text.

use expect_test::{Expect, expect};
use otus_draw::terminal::{Options, TextError, multi_trace, order, sequence};
use otus_syntax::Source;
use otus_testkit::read::Language;

fn draw(text: &str, options: &Options) -> Result<String, TextError> {
    let source = Source::new("test", text);
    let mut parsed = Language::Interaction.parse(&source);
    parsed.tree.implicit |= parsed.tree.sections.is_empty();
    let lowered = otus_core::lower(&[&parsed.tree]);
    sequence(&parsed.tree, lowered.pool.signature(), options)
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&draw(text, &Options::default()).expect("it fits"));
}

const PUBLISH: &str = "@lifeline{pub; bro; sub} @message{publish; subscribe} \
    seq(loopS(pub -- publish -> bro), sub -- subscribe -> bro, \
    loopS(seq(pub -- publish -> bro, bro -- publish -> sub)))";

#[test]
fn publish_subscribe() {
    check(
        PUBLISH,
        &expect![[r#"
        ┌─────┐     ┌─────┐       ┌─────┐
        │ pub │     │ bro │       │ sub │
        └──┬──┘     └──┬──┘       └──┬──┘
         ┌─[loop strict]─┐           │
         │ │  publish  │ │           │
         │ ├──────────►│ │           │
         └───────────────┘           │
           │           │  subscribe  │
           │           │◄────────────┤
         ┌─[loop strict]───────────────┐
         │ │  publish  │             │ │
         │ ├──────────►│             │ │
         │ │           │   publish   │ │
         │ │           ├────────────►│ │
         └─────────────────────────────┘
    "#]],
    );
}

#[test]
fn every_operator_has_its_frame() {
    check(
        "seq(alt(a -- m -> b, o), par(a -- m -> b, b -- n -> c), \
         coreg(a, b)(a -- m -> c, strict(a -- n -> b, o)), \
         loopW(alt(a -- m -> b, b -- n -> a, o)), loopP(a -- m -> b), loopC(b)(o))",
        &expect![[r#"
              ┌───┐             ┌───┐ ┌───┐
              │ a │             │ b │ │ c │
              └─┬─┘             └─┬─┘ └─┬─┘
              ┌─[opt]───────────────┐   │
              │ │        m        │ │   │
              │ ├────────────────►│ │   │
              └─────────────────────┘   │
              ┌─[par]─────────────────────┐
              │ │        m        │     │ │
              │ ├────────────────►│     │ │
              ├╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤
              │ │                 │  n  │ │
              │ │                 ├────►│ │
              └───────────────────────────┘
            ┌─[coreg(a, b)]───────────────┐
            │   │        m        │     │ │
            │   ├─────────────────┼────►│ │
            ├╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤
            │ ┌─[strict]────────────┐   │ │
            │ │ │        n        │ │   │ │
            │ │ ├────────────────►│ │   │ │
            │ ├╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤   │ │
            │ │ │        ∅        │ │   │ │
            │ └─────────────────────┘   │ │
            └─────────────────────────────┘
            ┌─[loop seq]──────────────┐ │
            │ ┌─[alt]───────────────┐ │ │
            │ │ │        m        │ │ │ │
            │ │ ├────────────────►│ │ │ │
            │ ├╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤ │ │
            │ │ │        n        │ │ │ │
            │ │ │◄────────────────┤ │ │ │
            │ ├╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤ │ │
            │ │ │        ∅        │ │ │ │
            │ └─────────────────────┘ │ │
            └─────────────────────────┘ │
              ┌─[loop par]──────────┐   │
              │ │        m        │ │   │
              │ ├────────────────►│ │   │
              └─────────────────────┘   │
              ┌─[loop coreg(b)]─┐ │     │
              │ │      ∅        │ │     │
              └─────────────────┘ │     │
        "#]],
    );
}

#[test]
fn every_kind_of_arrow() {
    check(
        "seq(a -- m -> b, b -- m -> a, a -- m -> c, b -- local -> b, a -- out ->|, n -> b, \
         b -- all -> (a, c), a -- all -> (b, c), a -- <synch>m -> b, c -- <synch>m -> a, \
         b -- mine -> (a, b))",
        &expect![[r#"
            ┌───┐    ┌───┐    ┌───┐
            │ a │    │ b │    │ c │
            └─┬─┘    └─┬─┘    └─┬─┘
              │   m    │        │
              ├───────►│        │
              │   m    │        │
              │◄───────┤        │
              │   m    │        │
              ├────────┼───────►│
              │        │ local  │
              │        ├──┐     │
              │        │◄─┘     │
              │ out    │        │
              ├────►○  │        │
              │     n  │        │
              │   ○───►│        │
              │  all   │        │
              │◄───────┼───────►│
              │  all   │        │
              ├───────►│───────►│
              │   m    │        │
              ╞═══════►│        │
              │   m    │        │
              │◄═══════╪════════╡
              │  mine  │        │
              │◄───────┤        │
              │        ├──┐     │
              │        │◄─┘     │
        "#]],
    );
}

#[test]
fn ascii_will_do() {
    let options = Options { ascii: true, ..Options::default() };
    let text = draw(PUBLISH, &options).unwrap();
    assert!(text.is_ascii(), "{text}");
    expect![[r#"
        +-----+     +-----+       +-----+
        | pub |     | bro |       | sub |
        +--+--+     +--+--+       +--+--+
         +-[loop strict]-+           |
         | |  publish  | |           |
         | +---------->| |           |
         +---------------+           |
           |           |  subscribe  |
           |           |<------------+
         +-[loop strict]---------------+
         | |  publish  |             | |
         | +---------->|             | |
         | |           |   publish   | |
         | |           +------------>| |
         +-----------------------------+
    "#]]
    .assert_eq(&text);
}

#[test]
fn nothing_is_shown_as_such() {
    check(
        "@lifeline{a; b} @message{m} o",
        &expect![[r#"
        ┌───┐ ┌───┐
        │ a │ │ b │
        └─┬─┘ └─┬─┘
          │  ∅  │
    "#]],
    );
    check(
        "o",
        &expect![[r#"
        ∅
    "#]],
    );
}

#[test]
fn wide_characters_keep_the_columns() {
    check(
        "@lifeline{a; b} @message{m} a -- m -> b",
        &expect![[r#"
        ┌───┐ ┌───┐
        │ a │ │ b │
        └─┬─┘ └─┬─┘
          │  m  │
          ├────►│
    "#]],
    );
    let plantuml = "@startuml\nparticipant \"日本語\" as a\nparticipant b\na -> b : m\n@enduml";
    let parsed = Language::PlantUml.parse(&Source::new("test", plantuml));
    let lowered = otus_core::lower(&[&parsed.tree]);
    let text = sequence(&parsed.tree, lowered.pool.signature(), &Options::default()).unwrap();
    expect![[r#"
        ┌────────┐ ┌───┐
        │ 日本語 │ │ b │
        └───┬────┘ └─┬─┘
            │   m    │
            ├───────►│
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_is_too_wide_is_shortened_or_refused() {
    let long = "a -- a_message_with_a_very_long_name_indeed -> b";
    let options = Options { width: 40, ..Options::default() };
    expect![[r#"
        ┌───┐                        ┌───┐
        │ a │                        │ b │
        └─┬─┘                        └─┬─┘
          │  a_message_with_a_very_l…  │
          ├───────────────────────────►│
        (labels are shortened; in full it takes 48 columns)
    "#]]
    .assert_eq(&draw(long, &options).unwrap());
    let error = draw(PUBLISH, &Options { width: 12, ..Options::default() }).unwrap_err();
    expect!["the diagram needs 33 columns and there are 12; write it to a file: -o x.svg"]
        .assert_eq(&error.to_string());
}

#[test]
fn rows_beyond_the_limit_are_counted() {
    let options = Options { rows: 5, ..Options::default() };
    let all = draw(PUBLISH, &Options::default()).unwrap();
    let some = draw(PUBLISH, &options).unwrap();
    let rows = all.lines().count() - 3;
    assert!(some.ends_with(&format!("… {} more rows\n", rows - 5)), "{some}");
    assert_eq!(some.lines().count(), 3 + 5 + 1);
}

#[test]
fn depth_and_sharing_are_no_matter() {
    let deep = format!("{}a -- m -> b{}", "loopS(".repeat(20_000), ")".repeat(20_000));
    let error = draw(&deep, &Options::default()).unwrap_err();
    assert!(matches!(error, TextError::TooWide { needed, .. } if needed > 80_000), "{error}");
    let flat = format!("seq({}a -- m -> b)", "a -- m -> b, ".repeat(20_000));
    let text = draw(&flat, &Options::default()).unwrap();
    assert!(text.ends_with("… 39,602 more rows\n"), "{}", &text[text.len() - 40..]);
}

#[test]
fn random_interactions_fit_their_width_and_keep_their_lifelines() {
    let mut rng = fastrand::Rng::with_seed(7);
    for round in 0..300 {
        let mut scope = otus_testkit::small_scope::Scope::new(rng.usize(1..5), 2, true);
        let leaves = rng.usize(1..14);
        let term = scope.random_term(&mut rng, leaves);
        let tree = otus_core::raise::raise(&scope.pool, term);
        let signature = scope.pool.signature();
        let options = Options { width: 200, rows: 10_000, ascii: false };
        let text = sequence(&tree, signature, &options).unwrap();
        for line in text.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= 200, "round {round}:\n{text}");
        }
        check_picture(&text, round);
        assert!(!text.contains("more rows"));
        assert_eq!(text, sequence(&tree, signature, &options).unwrap());
    }
}

/// Every row has all lifelines, unless an arrow or text covers them, and frames nest.
#[track_caller]
fn check_picture(text: &str, round: usize) {
    let rows: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    let columns = |row: &[char], c: char| -> Vec<usize> {
        row.iter().enumerate().filter(|(_, other)| **other == c).map(|(at, _)| at).collect()
    };
    let lifelines = columns(&rows[2], '┬');
    let mut open = Vec::new();
    for row in &rows[3..] {
        // The title of a frame may have a space where a lifeline passes.
        for &lifeline in lifelines.iter().filter(|_| !row.contains(&'[')) {
            let cell = row.get(lifeline).copied().unwrap_or(' ');
            assert_ne!(cell, ' ', "round {round}, column {lifeline}:\n{text}");
        }
        open.extend(columns(row, '┌'));
        for corner in columns(row, '└') {
            assert_eq!(open.pop(), Some(corner), "round {round}:\n{text}");
        }
        // The sides of all frames that are open are there.
        for &side in &open {
            assert!("│┌├".contains(row[side]), "round {round}:\n{text}");
        }
    }
    assert!(open.is_empty(), "round {round}:\n{text}");
}

#[test]
fn traces_and_orders_are_lists() {
    let (lowered, _) = otus_testkit::read::read(Language::Interaction, PUBLISH);
    let mut pool = lowered.pool;
    let parsed = otus_syntax::parse_trace(&Source::new(
        "test",
        "[pub] pub!publish; [bro, sub] {bro?publish, sub!subscribe}.bro?subscribe.bro!publish",
    ));
    let (trace, _) = otus_trace::lower(&parsed.tree, &mut pool);
    let lanes = [
        otus_draw::layout::multitrace::Lane { consumed: 1, ..Default::default() },
        otus_draw::layout::multitrace::Lane { simulated_before: 2, ..Default::default() },
    ];
    let narrow = Options { width: 64, ..Options::default() };
    expect![[r#"
        [pub]       pub!publish │
        [bro, sub]  {bro?publish, sub!subscribe}; … 2 more  (2 simulated before)
    "#]]
    .assert_eq(&multi_trace(&trace, &pool, &lanes, None, &narrow));
    let mut builder = otus_trace::order::Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    let from = builder.event(p).label("send").set("x", 1).at();
    builder.event(p);
    let to = builder.event(q).set("y", true).at();
    builder.edge(from, to);
    let trace = builder.finish(otus_trace::order::Writes::Checked).unwrap();
    expect![[r#"
        p  send x := 1; ·
        q  y := true (after p 1)
    "#]]
    .assert_eq(&order(&trace, &Options::default()));
}

#[test]
fn the_models_of_the_corpus_are_drawn() {
    let Some(models) = otus_testkit::corpus::models() else {
        eprintln!("skipped: there is no corpus");
        return;
    };
    for model in models {
        let tree = otus_core::raise::raise(&model.pool, model.term);
        let options = Options { width: 400, ..Options::default() };
        let text = sequence(&tree, model.pool.signature(), &options).unwrap();
        if let Ok(folder) = std::env::var("OTUS_SHOW_IN") {
            std::fs::write(format!("{folder}/model-{}.txt", model.name), text).unwrap();
        }
    }
}
