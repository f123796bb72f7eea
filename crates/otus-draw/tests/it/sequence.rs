//! Sequence diagrams: nothing overlaps, whatever the interaction.

use std::fmt::Write as _;

use otus_draw::check::flaws;
use otus_draw::layout::sequence::{Options, sequence};
use otus_draw::scene::{Role, Shape};
use otus_draw::{Scene, Theme, svg};
use otus_syntax::ast::SpecFile;
use otus_syntax::{Severity, Source, parse_spec};

use crate::show::show;

fn draw(text: &str, options: &Options<'_>) -> Scene {
    let parsed = parse_spec(&Source::new("model.hsf", text));
    let lowered = otus_core::lower(&[&parsed.tree]);
    let wrong: Vec<_> = parsed.diagnostics.iter().chain(&lowered.diagnostics).collect();
    let wrong: Vec<_> = wrong.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(wrong.is_empty() && lowered.term.is_some(), "{text}\n{wrong:?}");
    sequence(&parsed.tree, lowered.pool.signature(), options)
}

#[track_caller]
fn check(name: &str, text: &str) -> Scene {
    let scene = draw(text, &Options::default());
    show(name, &scene);
    assert_eq!(flaws(&scene), [], "{text}");
    let small = Options { compact: true, only_used: true, ..Options::default() };
    assert_eq!(flaws(&draw(text, &small)), [], "{text}");
    scene
}

const EVERY_CONSTRUCT: &str = "
@message{publish; subscribe; acknowledge the order; m; n}
@lifeline{publisher; broker; subscriber; audit}
seq(
  m -> publisher,
  publisher -- publish -> broker,
  broker -- <synch>acknowledge the order -> publisher,
  broker -- publish -> (subscriber, audit),
  subscriber -- publish -> (publisher, audit, subscriber),
  m -> (broker, audit),
  strict(broker -- m ->|, audit -- n -> audit),
  alt(subscriber -- subscribe -> broker, o),
  alt(broker -- m -> subscriber, audit -- n -> publisher, o),
  par(loopS(broker -- m -> subscriber), coreg(broker, audit)(audit -- m -> broker, broker -- n -> audit)),
  loopC(subscriber)(subscriber -- m -> broker),
  loopP(alt(loopW(publisher -- m ->|), o)),
  strict(o, o)
)";

#[test]
fn guards_and_variables_are_drawn() {
    let text = "@message{PUBLISH; PUBACK; all} @lifeline{client; broker; audit}
        loopP(fresh m)(loopC(client; fresh x)(new(s, t)(seq(
          client -- PUBLISH[mid = m, qos in {1, 2}, topic ~ \"plant/*\", client at s] -> broker,
          broker -- PUBACK[mid = m, k = x, client within 2s of s] -> client,
          broker -- all[=id, client.l = 1] -> (client, audit),
          audit -- all[k = 1, audit at t] -> audit,
          audit!all[time <= t + 150ms], all[k > 1/3] -> client))))";
    let scene = check("values", text);
    let drawn = svg(&scene, Theme::Light);
    for shown in ["loop par (fresh m)", "loop coreg (client) (fresh x)", "new s, t", "[mid = m"] {
        assert!(drawn.contains(shown), "{shown}");
    }
}

#[test]
fn durations_stand_beside_their_lifelines() {
    let text = "@message{m; n; k} @lifeline{x; y; z}
        new(s, t, u)(seq(
          x -- m[x at s] -> y, y -- m[y at t] -> z, loopS(z -- k -> z), z -- n[z at u] -> y,
          alt(y -- n[x within 2s of s] -> x, y -- k[x within 30s of s] -> x), m -> x,
          z -- k[z at least 1min after u] -> y, x -- k[x within 1s of s] -> y,
          y -- n[x within 2s of s, x at least 500ms after s, y within 40ms of t] -> x))";
    let scene = check("sequence-durations", text);
    let texts: Vec<&str> = scene
        .items
        .iter()
        .filter(|item| item.role == Role::Dimension)
        .filter_map(|item| if let Shape::Label(it) = &item.shape { Some(&*it.text) } else { None })
        .collect();
    // Bounds inside an operand, and between messages on both sides of a lifeline, are told by guards only.
    assert_eq!(texts, ["{1min..*}", "{0..1s}", "{500ms..2s}"]);
    assert!(scene.description.contains("{500ms..2s} between two events of x"));
    insta::assert_snapshot!("sequence_durations", svg(&scene, Theme::Light));
}

#[test]
fn every_construct_is_drawn() {
    let text = EVERY_CONSTRUCT.replace("acknowledge the order", "\"acknowledge the order\"");
    let scene = check("every", &text);
    insta::assert_snapshot!("every_construct", svg(&scene, Theme::Light));
    show("every-compact", &draw(&text, &Options { compact: true, ..Options::default() }));
}

#[test]
fn edges_of_what_there_can_be() {
    check("empty", "@lifeline{a}\n@message{m}\no");
    check("one", "@lifeline{a}\n@message{m}\nloopS(alt(a -- m -> a, o))");
    check(
        "nothing-in-frames",
        "@lifeline{a; b; c}\n@message{m}\nseq(a -- m ->|, par(b -- m -> b, strict(o, alt(o, o))))",
    );
    let long =
        "a_very_long_name_of_a_message_that_has_to_be_broken_into_several_lines_to_fit".repeat(4);
    check(
        "long",
        &format!(
            "@lifeline{{a; b; {long}}}\n@message{{m; {long}}}\nseq(a -- {long} -> b, {long} -- {long} -> {long}, b -- {long} ->|, {long} -> b)"
        ),
    );
}

#[test]
fn names_of_any_script_keep_their_room() {
    check(
        "scripts",
        "@lifeline{\"клиент\"; \"伺服器\"; \"δίκτυο\"}\n@message{\"請求資料\"; \"ответ <&>\"}\nseq(\"клиент\" -- \"請求資料\" -> \"伺服器\", \"伺服器\" -- \"ответ <&>\" -> \"клиент\", \"δίκτυο\" -- \"ответ <&>\" -> \"δίκτυο\")",
    );
}

#[test]
fn deep_nesting_needs_no_stack_and_long_ones_are_cut_openly() {
    let deep = format!(
        "@lifeline{{a; b}}\n@message{{m}}\n{}a -- m -> b{}",
        "loopS(".repeat(300),
        ")".repeat(300)
    );
    assert_eq!(flaws(&draw(&deep, &Options::default())), []);
    let long = format!(
        "@lifeline{{a; b}}\n@message{{m}}\nalt(seq(o{}), a -- m ->|)",
        ", a -- m -> b".repeat(500)
    );
    let scene = draw(&long, &Options { max_rows: 50, ..Options::default() });
    assert_eq!(flaws(&scene), []);
    assert!(svg(&scene, Theme::Light).contains("more parts, not drawn"));
}

/// A thousand messages between forty lifelines.
#[test]
fn large_diagrams_are_drawn_whole() {
    let mut rng = fastrand::Rng::with_seed(1);
    let names: Vec<String> = (0..40).map(|n| format!("service{n}")).collect();
    let mut text =
        format!("@lifeline{{{}}}\n@message{{request; response}}\nseq(", names.join("; "));
    for n in 0..1000 {
        let (a, b) = (rng.usize(0..40), rng.usize(0..40));
        let comma = if n == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}{} -- request -> {}", names[a], names[b]);
    }
    text.push(')');
    let scene = draw(&text, &Options::default());
    assert_eq!(flaws(&scene), []);
    let arrows = scene.items.iter().filter(|item| item.role == Role::Message);
    assert_eq!(arrows.count(), 1000);
}

/// An interaction as text, at random.
struct Random {
    rng: fastrand::Rng,
    lifelines: Vec<String>,
    messages: Vec<String>,
}

impl Random {
    fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let count = if rng.u8(..) < 20 { rng.usize(20..60) } else { rng.usize(1..8) };
        let mut name = |n: usize| {
            let length = if rng.u8(..) < 30 { rng.usize(10..60) } else { rng.usize(0..9) };
            let tail: String =
                (0..length).map(|_| char::from(b"abcWM_ij"[rng.usize(0..8)])).collect();
            format!("n{n}{tail}")
        };
        let lifelines: Vec<String> = (0..count).map(&mut name).collect();
        let messages: Vec<String> = (100..106).map(&mut name).collect();
        Random { rng, lifelines, messages }
    }

    fn text(&mut self) -> String {
        let parts = self.rng.usize(1..14);
        let body = self.part(parts, 0);
        format!(
            "@lifeline{{{}}}\n@message{{{}}}\n{body}",
            self.lifelines.join("; "),
            self.messages.join("; ")
        )
    }

    fn part(&mut self, leaves: usize, depth: usize) -> String {
        if leaves <= 1 && (depth > 6 || self.rng.u8(..) < 190) {
            return self.leaf();
        }
        let region: Vec<String> = (0..self.rng.usize(1..3)).map(|_| self.lifeline()).collect();
        let region = region.join(", ");
        let kind = self.rng.usize(0..10);
        let (name, most) = match kind {
            0 => ("strict".to_owned(), 3),
            1 | 2 => ("seq".to_owned(), 4),
            3 => ("par".to_owned(), 3),
            4 | 5 => ("alt".to_owned(), 3),
            6 => (format!("coreg({region})"), 3),
            7 => {
                ((*self.rng.choice(&["loopS", "loopW", "loopP"]).unwrap_or(&"loopS")).to_owned(), 1)
            }
            8 => (format!("loopC({region})"), 1),
            _ => ("seq".to_owned(), 2),
        };
        let count = if most == 1 { 1 } else { self.rng.usize(2..=most) };
        let mut rest = leaves;
        let operands: Vec<String> = (0..count)
            .map(|n| {
                let share = if n + 1 == count { rest } else { self.rng.usize(0..=rest) };
                rest -= share;
                self.part(share, depth + 1)
            })
            .collect();
        format!("{name}({})", operands.join(", "))
    }

    fn lifeline(&mut self) -> String {
        self.rng.choice(&self.lifelines).expect("there is one").clone()
    }

    fn leaf(&mut self) -> String {
        let (a, b) = (self.lifeline(), self.lifeline());
        let m = self.rng.choice(&self.messages).expect("there is one").clone();
        match self.rng.usize(0..12) {
            0 => "o".to_owned(),
            1 => format!("{a} -- {m} ->|"),
            2 => format!("{m} -> {a}"),
            3 if a != b => format!("{a} -- <synch>{m} -> {b}"),
            4 | 5 => {
                let mut targets: Vec<String> = (0..4).map(|_| self.lifeline()).collect();
                targets.sort();
                targets.dedup();
                format!("{a} -- {m} -> ({})", targets.join(", "))
            }
            6 if self.lifelines.len() > 1 => {
                format!("{m} -> ({}, {})", self.lifelines[0], self.lifelines[1])
            }
            _ => format!("{a} -- {m} -> {b}"),
        }
    }
}

#[test]
fn two_thousand_random_interactions_have_no_flaw() {
    for seed in 0..2000 {
        let text = Random::new(seed).text();
        let scene = draw(
            &text,
            &Options { only_used: seed % 3 == 0, compact: seed % 5 == 0, ..Options::default() },
        );
        let found = flaws(&scene);
        if !found.is_empty() {
            show("flawed", &scene);
        }
        assert_eq!(found, [], "seed {seed}\n{text}");
        assert!(scene.items.iter().any(|item| matches!(item.shape, Shape::Label(_))), "{text}");
    }
}

/// Terms of the semantics can be drawn too: `raise` gives them a tree.
#[test]
fn what_is_raised_is_drawn() {
    let mut scope = otus_testkit::small_scope::Scope::new(3, 2, true);
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..300 {
        let term = scope.random_term(&mut rng, 6);
        let file: SpecFile = otus_core::raise(&scope.pool, term);
        let scene = sequence(&file, scope.pool.signature(), &Options::default());
        assert_eq!(flaws(&scene), [], "{}", scope.pool.text(term));
    }
}
