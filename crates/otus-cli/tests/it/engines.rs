//! Which engine answers what.

use serde_json::Value;

use crate::analyze::{prepared, verdicts};
use crate::sandbox::Sandbox;

/// The engine of the first answer of a call.
#[track_caller]
fn engine(sandbox: &Sandbox, arguments: &str) -> String {
    let call = format!("analyze model.hsf run.htf {arguments} --format jsonl");
    let output = sandbox.otus(&call).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answer: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    answer["engine"].as_str().unwrap().to_owned()
}

#[test]
fn auto_is_fast_unless_a_search_is_asked_for() {
    let sandbox = prepared("engine-auto");
    for (name, options) in [
        ("usual.hcf", "analysis_kind = accept; strategy = DFS; goal = Pass"),
        ("kind.hcf", "analysis_kind = simulate[before = false]"),
        ("order.hcf", "strategy = BFS"),
        ("bound.hcf", "filters = [max_depth = 100]"),
        ("criterion.hcf", "analysis_kind = simulate[loop num = 3, act none]"),
    ] {
        sandbox.write(name, &format!("@analyze_option{{ {options} }}"));
    }
    for fast in [
        "",
        "--kind eliminate",
        "--kind simulate",
        "--observed slice",
        "--max-states 1000",
        "--timeout 10",
        "--memory 100",
        "--seed 3",
        "usual.hcf",
        "kind.hcf",
        "--unobserved publisher",
    ] {
        assert_eq!(engine(&sandbox, fast), "fast", "{fast}");
    }
    for graph in [
        "--engine graph",
        "--strategy BFS",
        "--strategy DFS",
        "--priorities [reception=1]",
        "--filters [max_depth=100]",
        "--goal WeakPass",
        "--memoize",
        "--partial-order-reduction",
        "--local-analysis true",
        "--legacy-verdicts",
        "--graph x.dot",
        "--kind simulate[loop=num=3]",
        "order.hcf",
        "bound.hcf",
        "criterion.hcf",
    ] {
        let graph = graph.replace("[loop=num=3]", "[multiply=true]");
        assert_eq!(engine(&sandbox, &graph), "graph", "{graph}");
    }
}

#[test]
fn fast_and_a_search_are_not_both_to_be_had() {
    let sandbox = prepared("engine-fast");
    sandbox.write("order.hcf", "@analyze_option{ strategy = BFS; memoize = true }");
    let output = |arguments: &str| {
        let output = sandbox.otus(&format!("analyze model.hsf run.htf {arguments}")).output();
        let output = output.unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = output("--engine fast --strategy BFS --graph g.dot");
    assert_eq!(code, 2);
    assert_eq!(
        said,
        "otus: --graph, --strategy are for the searches of the papers only: leave out --engine \
         fast, or that\n"
    );
    // A file may be there for other runs.
    let (code, said) = output("--engine fast order.hcf");
    assert_eq!(code, 0);
    assert!(
        said.starts_with(
            "note: strategy, memoize are for the searches of the papers and not regarded by \
             --engine fast\n"
        ),
        "{said}"
    );
    for (arguments, reason) in [
        ("--unobserved publisher --engine graph", "--engine graph"),
        ("--unobserved publisher --memoize", "--memoize is for the searches of the papers"),
    ] {
        let (code, said) = output(arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("know no declarations for single lifelines"), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn the_fast_engine_has_no_need_for_the_discrete_partition() {
    let sandbox = prepared("engine-partition");
    sandbox.write("pairs.htf", "[publisher, broker] broker?subscribe; [subscriber]");
    let call = "model.hsf pairs.htf --kind eliminate";
    assert_eq!(verdicts(&sandbox, call), [r#"pairs "WeakPass""#]);
}

#[test]
fn budgets_are_honest() {
    let sandbox = prepared("engine-budget");
    let output =
        sandbox.otus("analyze model.hsf run.htf --kind accept --max-states 2").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("run: Inconclusive (accept, discrete partition, "), "{text}");
    assert!(text.contains("\n  undecided: the budget of states is used up (--max"), "{text}");
    // A WeakPass was found, and what was not found might be a Pass.
    let mut weak = 0;
    for states in 0..40 {
        let call = "analyze model.hsf run.htf --observed prefix --engine graph --max-states";
        let output = sandbox.otus(&format!("{call} {states}")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        if text.starts_with("run: WeakPass") {
            weak += 1;
            assert!(text.contains("\n  undecided whether it is a Pass: the budget"), "{text}");
        } else {
            let undecided = text.starts_with("run: Inconclusive");
            assert_eq!(text.contains("\n  undecided: the budget"), undecided, "{text}");
        }
    }
    assert!(weak > 0);
}
