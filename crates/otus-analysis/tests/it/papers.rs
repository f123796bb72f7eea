//! Examples of the texts.

use otus_analysis::Verdict;

use crate::analyze;

/// 004, section 4.3, example 3: how many nodes until Cov is found, for 1 to 4 repetitions.
#[test]
fn the_table_of_node_counts() {
    let model = "par(loop_seq(a -- m -> b), loop_seq(a -- m -> c))";
    let count = |n: usize, options: &str| {
        let trace = format!("[a] {}; [b]; [c] {}", ["a!m"; 9][..n].join("."), ["c?m"; 9][..n].join("."));
        let outcome = analyze(model, &trace, options);
        assert_eq!(outcome.verdict, Verdict::Pass);
        outcome.nodes
    };
    let plain = "semantics = accept; strategy = DFS; goal = Pass";
    let receptions = "semantics = accept; strategy = DFS; goal = Pass; frontier_priorities = [reception=1]";
    assert_eq!([1, 2, 3, 4].map(|n| count(n, plain)), [4, 12, 39, 145]);
    assert_eq!([1, 2, 3, 4].map(|n| count(n, receptions)), [4, 10, 27, 89]);
}
