//! Explanations of each kind of fault.

use std::fmt::Write as _;

use otus_analysis::explain::{Choice, Explanation, Options, Taken, explain};
use otus_analysis::{Observed, Question, Verdict};
use otus_core::{ActionId, Lowered, Pool};
use otus_trace::{ComponentId, MultiTrace};

use super::read;

const PUBSUB: &str = "seq(
    loopS(pub -- publish -> bro),
    sub -- subscribe -> bro,
    loopS(seq(pub -- publish -> bro, bro -- publish -> sub))
)";

fn why(model: &str, trace: &str, question: &Question) -> (Lowered, MultiTrace, Explanation) {
    let (mut lowered, trace) = read(model, trace);
    let term = lowered.term.expect("an interaction");
    let found = explain(&mut lowered.pool, term, &trace, question, &Options::default());
    (lowered, trace, found)
}

fn names(pool: &Pool, trace: &MultiTrace, component: ComponentId) -> String {
    let lifelines = trace.partition().lifelines(component).iter();
    lifelines.map(|&l| pool.signature().lifeline_name(l)).collect::<Vec<_>>().join("+")
}

fn moment(pool: &Pool, actions: &[ActionId]) -> String {
    let texts = actions.iter().map(|&action| pool.action(action).text(pool.signature()));
    texts.collect::<Vec<_>>().join("+")
}

/// The ladder as lines.
fn text(lowered: &Lowered, trace: &MultiTrace, found: &Explanation) -> String {
    let pool = &lowered.pool;
    let mut out = String::new();
    if let Some(headline) = &found.headline {
        let at = names(pool, trace, headline.component);
        let _ = writeln!(
            out,
            "{} at {at} {}: {}",
            headline.cause.name(),
            headline.moment,
            headline.text
        );
    }
    for lone in &found.alone {
        let _ = writeln!(out, "alone: {}", names(pool, trace, lone.component));
    }
    for state in &found.frontier.states {
        let components = state.components.iter().map(|own| {
            let next = own.next.as_deref().map_or("end".to_owned(), |next| moment(pool, next));
            let expected = own.expected.iter().map(|expected| {
                let later = if expected.now { "" } else { "later " };
                format!("{later}{}", moment(pool, &expected.moment))
            });
            let expected: Vec<String> = expected.collect();
            let end = if own.may_end { " or end" } else { "" };
            format!(
                "{} {}/{} {next}, not {}{end}",
                names(pool, trace, own.component),
                own.consumed,
                own.total,
                expected.join(" ")
            )
        });
        let components: Vec<String> = components.collect();
        let _ = writeln!(out, "reached: {}", components.join("; "));
        for Choice { at, taken } in &state.choices {
            let at = pool.text(*at);
            let _ = match taken {
                Taken::Branch(branch) => writeln!(out, "  took {} of {at}", pool.text(*branch)),
                Taken::Entered(_) => writeln!(out, "  went into {at}"),
                Taken::Left => writeln!(out, "  left {at}"),
            };
        }
    }
    if let Some(search) = &found.repair {
        match &search.found {
            Some(repair) => {
                let edits = repair.text(trace, pool).join("; ");
                let _ = writeln!(out, "repair: {edits} ({})", repair.verdict);
            }
            None => {
                let _ = writeln!(out, "repair: none, at least {}", search.at_least);
            }
        }
    }
    if let Some(core) = &found.core {
        let parts = core.components.iter().zip(&core.prefixes);
        let parts: Vec<String> =
            parts.map(|(&c, length)| format!("{} {length}", names(pool, trace, c))).collect();
        let _ = writeln!(out, "core: {}, {:?}", parts.join(", "), core.checked);
    }
    if let Some(assumed) = &found.assumed {
        for own in &assumed.components {
            let list = |moments: &[Box<[ActionId]>]| {
                moments.iter().map(|m| moment(pool, m)).collect::<Vec<_>>().join(".")
            };
            let name = names(pool, trace, own.component);
            let (before, after) = (list(&own.before), list(&own.after));
            let _ = writeln!(out, "assumed of {name}: before [{before}], after [{after}]");
        }
    }
    out
}

#[track_caller]
fn check(model: &str, trace: &str, question: &Question, expected: &[&str]) {
    let (lowered, trace, found) = why(model, trace, question);
    let text = text(&lowered, &trace, &found);
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "\n{text}");
    assert_eq!(found.gave_up, None);
}

#[test]
fn a_log_that_is_wrong_by_itself_comes_first() {
    check(
        "seq(a -- m -> b, b -- n -> a)",
        "{[a] a?n.a!m; [b] b?m.b!n}",
        &Question::ACCEPT,
        &[
            "too early at a 0: a received n too early: it should send m first",
            "alone: a",
            "reached: a 0/2 a?n, not a!m; b 0/2 b?m, not later b?m",
            "repair: swap a?n (place 1) and a!m (place 2) (Pass)",
            "core: a 1, Certified",
        ],
    );
}

#[test]
fn a_message_that_was_never_sent() {
    check(
        PUBSUB,
        "{[pub]; [bro] bro?subscribe; [sub] sub!subscribe.sub?publish}",
        &Question::ACCEPT,
        &[
            "missing counterpart at sub 1: sub received publish but bro never sent it",
            "reached: pub 0/0 end, not pub!publish or end; bro 1/1 end, not later bro?publish or end; sub 1/2 sub?publish, not later sub?publish or end",
            "repair: drop sub?publish (place 2) (Pass)",
            "core: pub 0, sub 2, Certified",
        ],
    );
}

#[test]
fn a_message_that_was_lost() {
    check(
        PUBSUB,
        "{[pub] pub!publish.pub!publish; [bro] bro?publish.bro?subscribe; [sub] sub!subscribe}",
        &Question::ACCEPT,
        &[
            "missing counterpart at pub 1: pub sent publish twice but bro received it only once",
            "reached: pub 2/2 end, not later pub!publish or end; bro 2/2 end, not bro?publish; sub 1/1 end, not later sub?publish",
            "repair: drop pub!publish (place 2) (Pass)",
            "core: pub 2, bro 2, Certified",
        ],
    );
}

#[test]
fn more_than_there_is_to_do() {
    check(
        "a -- m -> b",
        "{[a] a!m; [b] b?m.b?m}",
        &Question::ACCEPT,
        &[
            "extra after end at b 1: b received m after the part of b was over",
            "alone: b",
            "reached: a 1/1 end, not  or end; b 1/2 b?m, not  or end",
            "repair: drop b?m (place 2) (Pass)",
            "core: b 2, Certified",
        ],
    );
}

#[test]
fn something_the_specification_does_not_have() {
    check(
        "@message{m; x} @lifeline{a; b; c} a -- m -> b",
        "{[a] a!m.a!x; [b] b?m}",
        &Question::ACCEPT,
        &[
            "unknown message at a 1: a sent x, but the specification has no such message",
            "alone: a",
            "reached: a 1/2 a!x, not  or end; b 1/1 end, not  or end; c 0/0 end, not  or end",
            "repair: drop a!x (place 2) (Pass)",
            "core: a 2, Certified",
        ],
    );
    check(
        "@message{m; x} @lifeline{a; b; c} a -- m -> b",
        "{[a] a!m; [b] b?m; [c] c!m}",
        &Question::ACCEPT,
        &[
            "unknown lifeline at c 0: c sent m, but c has no part in the specification",
            "alone: c",
            "reached: a 1/1 end, not  or end; b 1/1 end, not  or end; c 0/1 c!m, not  or end",
            "repair: drop c!m (place 1) (Pass)",
            "core: c 1, Certified",
        ],
    );
    check(
        "@message{m; x} @lifeline{a; b; c} a -- m -> b",
        "{[a] a!m.a?m; [b] b?m}",
        &Question::ACCEPT,
        &[
            "unknown action at a 1: a received m, which a never does in the specification",
            "alone: a",
            "reached: a 1/2 a?m, not  or end; b 1/1 end, not  or end; c 0/0 end, not  or end",
            "repair: drop a?m (place 2) (Pass)",
            "core: a 2, Certified",
        ],
    );
}

#[test]
fn choices_that_lead_no_further() {
    check(
        "alt(strict(a!m, a!x, b!p, b!p, b!p, b!p), strict(a!m, a!y, b!q, b!q, b!q, b!q))",
        "{[a] a!m; [b] b!p.b!p.b!q.b!q}",
        &Question::ACCEPT,
        &[
            "stopped early at a 1: the log of a ends where it should send x or send y",
            "alone: a",
            "alone: b",
            "reached: a 1/1 end, not a!x; b 0/4 b!p, not later b!p",
            "  took strict(a!m, strict(a!x, strict(b!p, strict(b!p, strict(b!p, b!p))))) of alt(strict(a!m, strict(a!x, strict(b!p, strict(b!p, strict(b!p, b!p))))), strict(a!m, strict(a!y, strict(b!q, strict(b!q, strict(b!q, b!q))))))",
            "reached: a 1/1 end, not a!y; b 0/4 b!p, not later b!q",
            "  took strict(a!m, strict(a!y, strict(b!q, strict(b!q, strict(b!q, b!q))))) of alt(strict(a!m, strict(a!x, strict(b!p, strict(b!p, strict(b!p, b!p))))), strict(a!m, strict(a!y, strict(b!q, strict(b!q, strict(b!q, b!q))))))",
            "repair: replace b!q (place 3) by b!p; insert a!x at the end; replace b!q (place 4) by b!p (Pass)",
            "core: a 1, Certified",
        ],
    );
}

#[test]
fn a_choice_that_fits_one_log_and_not_another() {
    check(
        "alt(seq(a!m, a!m, b!p, b!p), seq(a!n, a!n, b!q, b!q))",
        "{[a] a!m.a!m; [b] b!q.b!q}",
        &Question::ACCEPT,
        &[
            "dead end after a choice at b 0: b sent q, which fits another choice than the rest of what was observed",
            "reached: a 2/2 end, not  or end; b 0/2 b!q, not b!p",
            "  took seq(a!m, seq(a!m, seq(b!p, b!p))) of alt(seq(a!m, seq(a!m, seq(b!p, b!p))), seq(a!n, seq(a!n, seq(b!q, b!q))))",
            "reached: a 0/2 a!m, not a!n; b 2/2 end, not  or end",
            "  took seq(a!n, seq(a!n, seq(b!q, b!q))) of alt(seq(a!m, seq(a!m, seq(b!p, b!p))), seq(a!n, seq(a!n, seq(b!q, b!q))))",
            "repair: replace a!m (place 1) by a!n; replace a!m (place 2) by a!n (Pass)",
            "core: a 1, b 1, Certified",
        ],
    );
}

#[test]
fn a_loop_that_was_left_or_not() {
    check(
        "strict(loopS(strict(a!m, b!x)), a!m, b!y)",
        "{[a] a!m; [b]}",
        &Question::ACCEPT,
        &[
            "stopped early at b 0: the log of b ends where it should send y",
            "alone: b",
            "reached: a 1/1 end, not later a!m; b 0/0 end, not b!x",
            "  went into loopS(strict(a!m, b!x))",
            "reached: a 1/1 end, not  or end; b 0/0 end, not b!y",
            "  left loopS(strict(a!m, b!x))",
            "repair: insert b!y at the end (Pass)",
            "core: b 0, Certified",
        ],
    );
}

#[test]
fn what_was_expected_has_a_place_in_the_specification() {
    let model = "seq(a -- m -> b, a -- m -> b, a -- n -> b)";
    let (lowered, _, found) = why(model, "{[a] a!m.a!n; [b] b?m.b?n}", &Question::ACCEPT);
    let headline = found.headline.expect("it fails");
    let expected = &headline.expected[0];
    assert_eq!((headline.moment, expected.places, expected.now), (1, 2, true));
    let text = |term| {
        let (_, span) = lowered.place(term).expect("it was read");
        &model[span.start as usize..span.end as usize]
    };
    assert_eq!(text(expected.term), "a -- m");
    assert_eq!(expected.within.map(text), Some("a -- m -> b, a -- n -> b"));
}

#[test]
fn something_in_the_wrong_place() {
    check(
        "seq(a!m, a!n, a!o, a!p, b!m)",
        "{[a] a!n.a!o.a!p.a!m; [b] b!m}",
        &Question::ACCEPT,
        &[
            "too late at a 3: a sent m too late",
            "alone: a",
            "reached: a 0/4 a!n, not a!m; b 1/1 end, not  or end",
            "repair: move a!m (place 4) before a!n (place 1) (Pass)",
            "core: a 1, Certified",
        ],
    );
    check(
        "seq(a!m, a!n, a!o, a!p, b!m)",
        "{[a] a!p.a!m.a!n.a!o; [b] b!m}",
        &Question::ACCEPT,
        &[
            "too early at a 0: a sent p too early: it should send m first",
            "alone: a",
            "reached: a 0/4 a!p, not a!m; b 1/1 end, not  or end",
            "repair: move a!p (place 1) after a!o (place 4) (Pass)",
            "core: a 1, Certified",
        ],
    );
}

#[test]
fn a_message_passed_in_several_ways() {
    check(
        "loopS(alt(a -- m -> (b, c), d -- m -> b))",
        "{[a] a!m; [b] b?m.b?m.b?m; [c] c?m; [d] d!m}",
        &Question::ACCEPT,
        &[
            "missing counterpart at d 1: b received m 3 times but others sent it only twice",
            "reached: a 1/1 end, not a!m or end; b 2/3 b?m, not later b?m or end; c 1/1 end, not later c?m or end; d 1/1 end, not d!m or end",
            "repair: insert d!m at the end (Pass)",
            "core: a 1, b 3, d 1, Certified",
        ],
    );
    check(
        "loopS(alt(a -- m -> (b, c), d -- m -> b))",
        "{[a] a!m.a!m; [b] b?m.b?m; [c] c?m; [d]}",
        &Question::ACCEPT,
        &[
            "missing counterpart at c 1: a sent m twice but c received it only once",
            "reached: a 2/2 end, not later a!m or end; b 2/2 end, not later b?m or end; c 1/1 end, not c?m; d 0/0 end, not later d!m or end",
            "repair: insert c?m at the end (Pass)",
            "core: a 2, c 1, Certified",
        ],
    );
}

#[test]
fn a_log_that_stopped_early() {
    check(
        "loopS(seq(a -- m -> b, b -- n -> a, a -- o -> b))",
        "{[a] a!m.a?n.a!o.a!m.a?n.a!o; [b] b?m.b!n.b?o}",
        &Question::ACCEPT,
        &[
            "stopped early at b 3: the log of b ends where it should receive m",
            "reached: a 4/6 a?n, not later a?n; b 3/3 end, not b?m",
            "repair: take it that the log of b stopped early (WeakPass)",
            "core: a 4, b 3, Certified",
        ],
    );
}

#[test]
fn too_much_to_repair() {
    check(
        "seq(a -- m -> b, b -- n -> a)",
        "{[a] a?n.a?n.a?n.a?n; [b] b!n.b!n.b!n.b!n}",
        &Question::ACCEPT,
        &[
            "unexpected message at a 0: a received n where a should send m",
            "alone: a",
            "alone: b",
            "reached: a 0/4 a?n, not a!m; b 0/4 b!n, not later b?m",
            "repair: none, at least 2",
            "core: a 1, Certified",
        ],
    );
}

#[test]
fn components_of_several_lifelines_and_moments_of_several_actions() {
    check(
        "seq(a -- <synch> m -> b, b -- n -> c)",
        "{[a,b] {a!m,b?m}.{a!m,b?m}.b!n; [c] c?n}",
        &Question::ACCEPT,
        &[
            "unexpected message at a+b 1: a sent m and b received m where a and b should send n",
            "alone: a+b",
            "reached: a+b 1/3 a!m+b?m, not b!n; c 0/1 c?n, not later c?n",
            "repair: drop {a!m, b?m} (place 2) (Pass)",
            "core: a+b 2, Certified",
        ],
    );
}

#[test]
fn other_questions() {
    check(
        "strict(a -- m -> b, b -- n -> a)",
        "{[a]; [b] b?m}",
        &Question::GlobalPrefix,
        &[
            "missing counterpart at a 0: b received m but a never sent it",
            "reached: a 0/0 end, not a!m; b 0/1 b?m, not later b?m",
            "repair: insert a!m at the end (WeakPass)",
            "core: a 0, b 1, Certified",
        ],
    );
    check(
        PUBSUB,
        "{[bro] bro!publish.bro?subscribe}",
        &Question::MULTI_PREFIX,
        &[
            "unexpected message at bro 0: bro sent publish where bro should receive publish or receive subscribe",
            "alone: bro",
            "reached: bro 0/2 bro!publish, not later bro?publish later bro?subscribe; pub 0/0 end, not pub!publish or end; sub 0/0 end, not sub!subscribe",
            "repair: drop bro!publish (place 1) (WeakPass)",
            "core: bro 1, Certified",
        ],
    );
    check(
        PUBSUB,
        "{[bro] bro!publish.bro?subscribe}",
        &Question::SLICE,
        &[
            "unexpected message at bro 1: bro received subscribe where bro should receive publish",
            "alone: bro",
            "reached: bro 1/2 bro?subscribe, not later bro?publish or end; pub 0/0 end, not later pub!publish or end; sub 0/0 end, not sub?publish",
            "repair: drop bro?subscribe (place 2) (WeakPass)",
            "core: bro 2, Certified",
        ],
    );
    let only_sub = Question::Each(Box::new([
        Observed::Unobserved,
        Observed::StartsLate,
        Observed::Unobserved,
    ]));
    check(
        PUBSUB,
        "{[pub] pub!publish; [bro] bro?publish.bro?publish; [sub]}",
        &only_sub,
        &[
            "stopped early at bro 2: the log of bro ends where it should receive subscribe",
            "alone: bro",
            "reached: pub 0/0 end, not pub!publish or end; bro 2/2 end, not later bro?publish later bro?subscribe; sub 0/0 end, not sub!subscribe",
            "repair: insert bro?subscribe at the end (Pass)",
            "core: bro 2, Certified",
        ],
    );
}

#[test]
fn a_weak_pass_says_what_was_assumed() {
    check(
        PUBSUB,
        "{[bro] bro!publish}",
        &Question::SLICE,
        &[
            "assumed of bro: before [bro?subscribe.bro?publish], after []",
            "assumed of pub: before [], after [pub!publish]",
            "assumed of sub: before [], after [sub!subscribe.sub?publish]",
        ],
    );
    check(
        PUBSUB,
        "{[pub] pub!publish; [bro] bro?subscribe}",
        &Question::MULTI_PREFIX,
        &[
            "assumed of bro: before [], after [bro?publish.bro!publish]",
            "assumed of sub: before [], after [sub!subscribe.sub?publish]",
        ],
    );
}

#[test]
fn depth_and_width_are_not_ours() {
    let depth = 5_000;
    let model = format!("{}a!m{}", "seq(b!m, ".repeat(depth), ")".repeat(depth));
    let (_, _, found) = why(&model, "{[a] a!m.a!m; [b] b!m.b!m}", &Question::ACCEPT);
    assert_eq!(found.verdict, Verdict::Fail);
    assert_eq!(found.alone.len(), 2);
    assert!(found.headline.is_some() && found.core.is_some());
    let width = 30;
    let calls: Vec<String> = (0..width).map(|i| format!("l{i} -- m{i} -> k{i}")).collect();
    let model = format!("par({})", calls.join(", "));
    let logs: Vec<String> =
        (0..width).map(|i| format!("[l{i}] l{i}!m{i}; [k{i}] k{i}?m{}", i % 29)).collect();
    let (_, _, found) = why(&model, &format!("{{{}}}", logs.join("; ")), &Question::ACCEPT);
    assert_eq!(found.headline.map(|headline| headline.component), Some(ComponentId(59)));
}

#[test]
fn a_pass_has_nothing_to_explain() {
    let (_, _, found) = why("a -- m -> b", "{[a] a!m; [b] b?m}", &Question::ACCEPT);
    assert_eq!(found.verdict, Verdict::Pass);
    assert!(found.headline.is_none() && found.repair.is_none() && found.core.is_none());
}
