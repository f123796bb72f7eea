//! Multi-traces that once took very many states, each as the smallest case that showed it. The number of states is
//! asserted, never the time.

use otus_analysis::budget::Budget;
use otus_analysis::engine::{Options, Outcome};
use otus_analysis::{Engine, Question, Verdict};
use otus_syntax::{Source, parse_trace};
use otus_testkit::read::{Language, read};

/// The outcome for an interaction and a multi-trace, both as texts, within this number of states.
fn ask(interaction: &str, trace: &str, question: &Question, most: u64) -> Outcome {
    let (mut lowered, _) = read(Language::Interaction, interaction);
    let parsed = parse_trace(&Source::new("trace", trace));
    let (trace, _) = otus_trace::lower(&parsed.tree, &mut lowered.pool);
    let term = lowered.term.expect("an interaction");
    let mut engine = Engine::new(&lowered.pool, term, trace.partition(), Options::default());
    let budget = Budget { max_states: Some(most), ..Budget::default() };
    engine.analyze(&trace, question, &budget)
}

#[track_caller]
fn check(interaction: &str, trace: &str, question: &Question, most: u64, expected: Verdict) {
    let found = ask(interaction, trace, question, most);
    assert_eq!(found.verdict, expected, "{question:?} of {interaction}: {found:?}");
}

/// The log of a lifeline, its actions in random order.
fn shuffled(rng: &mut fastrand::Rng, actions: &[&str], count: usize) -> Vec<String> {
    let mut all: Vec<String> = actions.iter().map(|action| (*action).to_owned()).collect();
    all = (0..count).flat_map(|_| all.clone()).collect();
    rng.shuffle(&mut all);
    all
}

fn multi_trace(logs: &[(&str, Vec<String>)]) -> String {
    let logs = logs.iter().map(|(lifeline, log)| format!("[{lifeline}] {}", log.join(".")));
    format!("{{ {} }}", logs.collect::<Vec<_>>().join("; "))
}

/// Three messages in a circle, in parallel sessions. As many are received as sent.
#[test]
fn a_lost_message_is_counted() {
    let model = "loopP(par(a -- m -> b, b -- n -> c, c -- k -> a))";
    let mut rng = fastrand::Rng::with_seed(17);
    let mut logs = [
        ("a", shuffled(&mut rng, &["a!m", "a?k"], 80)),
        ("b", shuffled(&mut rng, &["b!n", "b?m"], 80)),
        ("c", shuffled(&mut rng, &["c!k", "c?n"], 80)),
    ];
    // The first of each log must be sent, or nothing can begin.
    for (log, first) in logs.iter_mut().zip(["a!m", "b!n", "c!k"]) {
        let at = log.1.iter().position(|action| action == first).expect("it is sent");
        log.1.swap(0, at);
    }
    for question in [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX] {
        let found = ask(model, &multi_trace(&logs), &question, 2_000);
        assert!(!found.stop.is_early(), "{question:?}: {found:?}");
    }
    for missing in [3, 90, 150] {
        for at in 0..3 {
            let mut logs = logs.clone();
            logs[at].1.remove(missing);
            check(model, &multi_trace(&logs), &Question::ACCEPT, 2_000, Verdict::Fail);
        }
    }
}

/// Every `b!m0` has its own `a?m0`, but there are more of them.
#[test]
fn more_are_sent_than_received() {
    let model = "loopW(strict(loopC(b)(m0 -> a), loopC(a)(loopW(loopC(a)(b -- m0 -> a)))))";
    let trace = "{ [a] a?m0.a?m0.a?m0.a?m0.a?m0; [b] b!m0.b!m0.b!m0.b!m0.b!m0.b!m0.b!m0 }";
    check(model, trace, &Question::ACCEPT, 4_000, Verdict::Fail);
    check(model, trace, &Question::MULTI_PREFIX, 8_000, Verdict::WeakPass);
    check(model, trace, &Question::SLICE, 8_000, Verdict::WeakPass);
}

/// A nest of sequences or loops, each level with one action, alternately of two messages.
fn nest(operator: &str, depth: usize) -> String {
    let mut text = String::new();
    for level in 0..depth {
        let leaf = if level % 2 == 0 { "a!m" } else { "a!n" };
        let part = match operator {
            "loopS" => format!("loopS(strict({leaf}, "),
            "loopW" => format!("loopW(seq({leaf}, "),
            _ => format!("{operator}({leaf}, "),
        };
        text.push_str(&part);
    }
    let close = if operator.starts_with("loop") { "))" } else { ")" };
    text + "a!z" + &close.repeat(depth)
}

/// There are as many ways to go on as levels, each as large as the nest.
#[test]
fn slices_of_deep_nests_are_followed_by_places() {
    for operator in ["strict", "seq"] {
        let model = nest(operator, 3_000);
        check(&model, "{ [a] a!m.a!n.a!m }", &Question::SLICE, 100, Verdict::WeakPass);
        check(&model, "{ [a] a!m.a!n.a!n }", &Question::SLICE, 100, Verdict::Fail);
    }
    for operator in ["loopS", "loopW"] {
        let model = nest(operator, 3_000);
        check(&model, "{ [a] a!m.a!n.a!z }", &Question::SLICE, 100, Verdict::WeakPass);
        // Before the innermost action there is always that of its level.
        check(&model, "{ [a] a!n.a!z.a!z }", &Question::SLICE, 100, Verdict::Fail);
    }
}

/// A strict loop in which messages cross, so that its components are coupled, with a loop and a choice inside.
const CROSSING: &str = "loopS(seq(par(a -- m -> b, b -- n -> a), loopS(b -- k -> c), \
                        alt(seq(c -- p -> d, d -- q -> a), o)))";

/// The logs of 100 random iterations of [`CROSSING`]. In a wrong one each message is received before the other is sent,
/// which no log shows by itself.
fn crossings(rng: &mut fastrand::Rng, wrong: Option<usize>) -> [(&'static str, Vec<String>); 4] {
    let mut logs = ["a", "b", "c", "d"].map(|lifeline| (lifeline, Vec::new()));
    for iteration in 0..100 {
        let right = ["a!m a?n b!n b?m", "a!m a?n b?m b!n", "a?n a!m b!n b?m"][rng.usize(..3)];
        let crossing = if wrong == Some(iteration) { "a?n a!m b?m b!n" } else { right };
        let inner = ["", " b!k c?k", " b!k c?k b!k c?k"][rng.usize(..3)];
        let last = ["", " c!p d?p d!q a?q"][rng.usize(..2)];
        for action in format!("{crossing}{inner}{last}").split(' ') {
            let own = logs.iter_mut().find(|(lifeline, _)| action.starts_with(lifeline));
            own.expect("a lifeline").1.push(action.to_owned());
        }
    }
    logs
}

/// Each log of coupled components is cut somewhere. If one ran ahead of the others, the choices of all iterations in between
/// would be open, and some of these multi-traces would take 100,000 states.
#[test]
fn logs_that_are_cut_stay_in_step() {
    let mut rng = fastrand::Rng::with_seed(18);
    for _ in 0..40 {
        let mut logs = crossings(&mut rng, None);
        for (_, log) in &mut logs {
            let least = [0, log.len() / 2, log.len() * 3 / 4][rng.usize(..3)];
            log.truncate(rng.usize(least..=log.len()));
        }
        let actions: usize = logs.iter().map(|(_, log)| log.len()).sum();
        let most = 3 * actions as u64;
        check(CROSSING, &multi_trace(&logs), &Question::MULTI_PREFIX, most, Verdict::WeakPass);
    }
}

#[test]
fn a_fault_between_logs_that_are_cut_is_found_in_step() {
    let mut rng = fastrand::Rng::with_seed(19);
    for _ in 0..20 {
        let wrong = rng.usize(..80);
        let mut logs = crossings(&mut rng, Some(wrong));
        for (_, log) in &mut logs {
            log.truncate(log.len() - rng.usize(..=log.len() / 8));
        }
        let actions: usize = logs.iter().map(|(_, log)| log.len()).sum();
        let most = 3 * actions as u64;
        check(CROSSING, &multi_trace(&logs), &Question::MULTI_PREFIX, most, Verdict::Fail);
    }
}
