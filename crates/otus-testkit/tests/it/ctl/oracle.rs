//! The oracle compared with itself and with paper 001.

use otus_ctl::Formulas;
use otus_ctl::atom::{Atom, Reading};
use otus_syntax::ast::formula::{Comparison, Modality, Quantifier, UntilKind};
use otus_testkit::ctl_cases::{Size, random_formula, random_order, show};
use otus_testkit::oracle::ctl::{Ctl, Lattice, Node};
use otus_trace::order::{Builder, PartialOrder, Value, Writes};

/// Figure 1: w := 1, y := 3, x := 0 and x := 4, w := 0; the arrows are those that Definition 1 requires, and
/// from w := 0 to y := 3.
fn figure_1() -> PartialOrder {
    let mut builder = Builder::default();
    let (p, q) = (builder.process("P1"), builder.process("P2"));
    let [w1, y3, x0] = [("w", 1), ("y", 3), ("x", 0)].map(|(x, v)| builder.event(p).set(x, v).at());
    let [_, w0] = [("x", 4), ("w", 0)].map(|(x, v)| builder.event(q).set(x, v).at());
    builder.edge(w1, w0);
    builder.edge(w0, y3);
    let _ = x0;
    builder.finish(Writes::Checked).expect("all assignments are ordered")
}

fn compare(trace: &PartialOrder, variable: &str, comparison: Comparison, value: i64) -> Node {
    let variable = trace.variable(variable).expect("it is assigned");
    Node::Atom(Atom::Compare(Reading::Variable(variable), comparison, Value::integer(value)))
}

#[test]
fn unfolding_a_run_is_enumerating_runs_is_the_core() {
    let mut rng = super::rng(10);
    let size = Size { processes: 3, events: 7, leaves: 4 };
    let mut enumerated = 0;
    for _ in 0..super::cases(100) {
        let trace = random_order(&mut rng, size);
        let formula = random_formula(&mut rng, &trace, size, true);
        let lattice = Lattice::new(&trace, 10_000).unwrap();
        let unfolded = lattice.truth(&formula);
        let mut formulas = Formulas::default();
        let id = formula.lower(&mut formulas);
        assert_eq!(lattice.core(&formulas, id), unfolded, "{formula}\n  {}", show(&trace));
        if let Some(truth) = lattice.truth_by_runs(&formula, 5_000) {
            assert_eq!(truth, unfolded, "{formula}\n  {}", show(&trace));
            enumerated += 1;
        }
    }
    println!("runs were enumerated for {enumerated} cases");
    assert!(enumerated > 0);
}

#[test]
fn figure_1_has_these_cuts() {
    let trace = figure_1();
    let lattice = Lattice::new(&trace, 100).unwrap();
    let mut cuts = lattice.cuts.clone();
    cuts.sort();
    let expected = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 2], [3, 2]];
    assert_eq!(cuts, expected.map(|cut| cut.to_vec()));
    // x is 4 from the first event of the second process to the last of the first.
    let x = compare(&trace, "x", Comparison::Equal, 4);
    let held = lattice.truth(&Ctl(vec![x]));
    for (cut, held) in lattice.cuts.iter().zip(held) {
        assert_eq!(held, cut[1] >= 1 && cut[0] < 3, "{cut:?}");
    }
}

/// `gfp X. φ ∩ pre∃(X)` is empty on finite runs, and `lfp X. ψ ∪ (φ ∩ pre∀(X))` contains E if φ holds there. The smallest trace
/// that shows it has one event.
#[test]
fn eg_and_af_are_not_the_fixpoints_of_the_paper() {
    let mut builder = Builder::default();
    let p = builder.process("p");
    builder.initial("x", 0);
    builder.event(p).set("x", 0).at();
    let trace = builder.finish(Writes::Checked).unwrap();
    let lattice = Lattice::new(&trace, 10).unwrap();
    let check = |nodes: Vec<Node>, expected: bool| {
        let formula = Ctl(nodes);
        assert_eq!(lattice.truth(&formula)[0], expected, "{formula}");
        assert_eq!(lattice.truth_by_runs(&formula, 10).unwrap()[0], expected, "{formula}");
    };
    let zero = || compare(&trace, "x", Comparison::Equal, 0);
    let one = || compare(&trace, "x", Comparison::Equal, 1);
    check(vec![zero(), Node::Temporal(Quantifier::Exists, Modality::Globally, 0)], true);
    check(vec![one(), Node::Temporal(Quantifier::All, Modality::Finally, 0)], false);
    check(vec![zero(), one(), Node::Until(Quantifier::All, UntilKind::Until, 0, 1)], false);
}

#[test]
fn at_the_end_some_next_is_false_and_every_next_true() {
    let trace = Builder::default().finish(Writes::Checked).unwrap();
    let lattice = Lattice::new(&trace, 10).unwrap();
    for (runs, expected) in [(Quantifier::Exists, false), (Quantifier::All, true)] {
        for value in [true, false] {
            let nodes = vec![Node::Constant(value), Node::Temporal(runs, Modality::Next, 0)];
            assert_eq!(lattice.truth(&Ctl(nodes.clone())), [expected]);
            assert_eq!(lattice.truth_by_runs(&Ctl(nodes), 10).unwrap(), [expected]);
        }
    }
}
