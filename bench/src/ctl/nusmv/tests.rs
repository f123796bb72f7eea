//! Reads the text for `NuSMV` back, evaluates it as `NuSMV` would, and compares with our engine, on small traces.

mod interpreter;

use fastrand::Rng;
use otus_papers::ctl::Method;
use otus_trace::order::{Builder, Happened, PartialOrder, Writes};

use super::{Untranslated, translate};
use interpreter::Model;

/// The answer of our engine.
fn ours(trace: &PartialOrder, formula: &str) -> bool {
    crate::ctl::check(trace, formula, Method::AUTO).holds().unwrap()
}

#[track_caller]
fn check(trace: &PartialOrder, formula: &str) -> bool {
    let text = translate(trace, formula).unwrap();
    let holds = Model::read(&text).check();
    assert_eq!(holds, [ours(trace, formula)], "{formula}\n{text}");
    holds[0]
}

/// Two processes, two events each, and a message between.
fn small() -> PartialOrder {
    let mut builder = Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    let sent = builder.event(p).set("x", 1).at();
    let _ = builder.event(p).set("x", 0).at();
    let _ = builder.event(q).set("y", 1).at();
    let received = builder.event(q).set("y", 2).at();
    builder.edge(sent, received);
    builder.finish(Writes::Checked).unwrap()
}

#[test]
fn the_text_is_as_documented() {
    let text = translate(&small(), "AG(x = 1 -> AX y > 0)").unwrap();
    let expected = "\
MODULE main
VAR c0 : 0..2;
VAR c1 : 0..2;
DEFINE enabled0 := ((c0 < 2));
DEFINE enabled1 := ((c1 < 2) & ((c1 != 1) | (c0 >= 1)));
DEFINE end := ((c0 = 2) & (c1 = 2));
INIT ((c0 = 0) & (c1 = 0))
TRANS ((end & (next(c0) = c0) & (next(c1) = c1)) | (enabled0 & (next(c0) = (c0 + 1)) & (next(c1) = c1)) | (enabled1 & (next(c1) = (c1 + 1)) & (next(c0) = c0)))
DEFINE atom0 := case (c0 >= 2) : FALSE; (c0 >= 1) : TRUE; TRUE : FALSE; esac;
DEFINE atom1 := case (c1 >= 1) : TRUE; TRUE : FALSE; esac;
CTLSPEC (AG (atom0 -> (end | (AX atom1))))
";
    assert_eq!(text, expected);
}

#[test]
fn what_cannot_be_translated_is_told() {
    let trace = small();
    assert_eq!(translate(&trace, "mutex(x = 1, y = 1)"), Err(Untranslated::Pattern));
    assert!(matches!(translate(&trace, "AG("), Err(Untranslated::Wrong(_))));
    assert!(matches!(translate(&trace, "AG(z > 1)"), Err(Untranslated::Wrong(_))));
}

#[test]
fn the_loop_at_the_last_cut_does_not_help_next() {
    let trace = small();
    // At the last cut, x = 0 and y = 2; the self-loop there must not count as a step.
    assert!(!check(&trace, "EF(x = 0 & y = 2 & EX(y = 2))"));
    assert!(check(&trace, "AF(y = 2 & x = 0 & AX false)"));
    assert!(check(&trace, "AG(EF(AX false))"));
    // If `EX f` were translated unchanged, the first of these would be true.
    let text = translate(&trace, "EF(x = 0 & y = 2 & EX(y = 2))").unwrap();
    let naive = text.replace("(!end) & ", "");
    assert_eq!(Model::read(&text).check(), [false]);
    assert_eq!(Model::read(&naive).check(), [true], "{naive}");
}

#[test]
fn readings_of_several_processes_labels_and_counts() {
    let mut builder = Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    let a = builder.event(p).set("x", 2).label("begin").at();
    let b = builder.event(q).set("x", 3).set("y", "up").at();
    builder.edge(a, b);
    let _ = builder.event(p).set("z", true).label("done").at();
    let _ = builder.event(q).set("y", "down").at();
    let trace = builder.finish(Writes::Checked).unwrap();
    for formula in [
        "EF(x = 2 & z)",
        "AF(x = 3 & y = up)",
        "AG(y in {up, down} -> x = 3)",
        "EF(last(p) = done & count(q) = 0)",
        "AG(count(p) >= count(q))",
        "EF(count(p) + count(q) = 3 & x = 3)",
        "A[x != 3 W count(p.begin) = 1]",
        "let up = y = up; AF up",
    ] {
        check(&trace, formula);
    }
}

#[test]
fn random_formulas_on_random_traces_agree() {
    let mut rng = Rng::with_seed(7);
    let mut count = [0_usize; 2];
    for _ in 0..2000 {
        let trace = random_trace(&mut rng);
        let formula = random_formula(&mut rng, 3);
        count[usize::from(check(&trace, &formula))] += 1;
    }
    assert!(count.iter().all(|&count| count > 300), "{count:?}");
}

fn random_trace(rng: &mut Rng) -> PartialOrder {
    let mut builder = Builder::default();
    let count = rng.usize(1..=3);
    let processes: Vec<_> = (0..count).map(|at| builder.process(&format!("p{at}"))).collect();
    for variable in ["x0", "x1", "x2", "s"] {
        builder.initial(variable, i64::from(rng.u8(0..2)));
    }
    let mut events: Vec<Happened> = Vec::new();
    for _ in 0..rng.usize(0..=6) {
        let at = rng.usize(0..count);
        // Some events assign a variable that all processes share.
        let name = if rng.u8(0..4) == 0 { "s".to_owned() } else { format!("x{at}") };
        let event = builder.event(processes[at]).set(&name, i64::from(rng.u8(0..2))).at();
        if rng.bool() && !events.is_empty() {
            let from = events[rng.usize(0..events.len())];
            if from.process != event.process {
                builder.edge(from, event);
            }
        }
        events.push(event);
    }
    builder.finish(Writes::Ordered).unwrap()
}

fn random_formula(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 || rng.u8(0..6) == 0 {
        return match rng.u8(0..8) {
            0 => "x0 = x1".into(),
            1 => "x0 + x1 + s > 1".into(),
            2 => "s = 1".into(),
            3 => "AX false".into(),
            at => format!("x{} = 1", at % 3),
        };
    }
    let mut next = || format!("({})", random_formula(rng, depth - 1));
    let (f, g) = (next(), next());
    let quantifier = if rng.bool() { "E" } else { "A" };
    match rng.u8(0..12) {
        0 => format!("!{f}"),
        1 => format!("{f} & {g}"),
        2 => format!("{f} | {g}"),
        3 => format!("{f} -> {g}"),
        4 => format!("{f} <-> {g}"),
        5 => format!("{quantifier}X {f}"),
        6 => format!("{quantifier}F {f}"),
        7 => format!("{quantifier}G {f}"),
        8 | 9 => format!("{quantifier}[{f} U {g}]"),
        10 => format!("{quantifier}[{f} W {g}]"),
        _ => format!("{quantifier}[{f} R {g}]"),
    }
}
