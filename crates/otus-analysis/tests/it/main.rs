//! The papers' examples: verdicts, node counts and measures.

mod coverage;
mod explain;
mod papers;

use otus_analysis::Config;
use otus_analysis::certify::certify;
use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::{self, Observer, Outcome, Silent};
use otus_core::Lowered;
use otus_syntax::ast::Section;
use otus_syntax::{Source, parse_spec, parse_trace};
use otus_trace::MultiTrace;

/// A specification that declares names by using them, and a multi-trace.
fn read(model: &str, trace: &str) -> (Lowered, MultiTrace) {
    let mut tree = parse_spec(&Source::new("model", model)).tree;
    tree.implicit = tree.sections.is_empty();
    let mut lowered = otus_core::lower(&[&tree]);
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    let tree = parse_trace(&Source::new("trace", trace)).tree;
    let (trace, found) = otus_trace::lower(&tree, &mut lowered.pool);
    assert!(found.is_empty(), "{found:?}");
    (lowered, trace)
}

/// The configuration of an `@analyze_option` section.
fn config(options: &str) -> Config {
    let tree = parse_spec(&Source::new("x.hcf", format!("@analyze_option{{{options}}}"))).tree;
    let mut config = Config::default();
    for section in &tree.sections {
        let Section::Options(section) = section else { panic!("only options") };
        config.apply(section);
    }
    config
}

fn observed(model: &str, trace: &str, options: &str, observer: &mut dyn Observer) -> Outcome {
    let (mut lowered, trace) = read(model, trace);
    let term = lowered.term.expect("an interaction");
    let config = config(options);
    let outcome = graph::analyze(&mut lowered.pool, term, &trace, &config, observer)
        .expect("the kind fits the partition");
    if let Some(witness) = &outcome.witness {
        let claim = (config.kind, outcome.verdict);
        assert_eq!(certify(&mut lowered.pool, term, &trace, claim, witness), Ok(()));
    }
    outcome
}

/// The graph as `rule → measure` lines of the path that the given edges lead along.
fn along(model: &str, trace: &str, options: &str, edges: &[&str]) -> Vec<String> {
    let (mut lowered, trace) = read(model, trace);
    let term = lowered.term.expect("an interaction");
    let mut recorded = Graph::default();
    let config = Config { goal: None, ..config(options) };
    let outcome = graph::analyze(&mut lowered.pool, term, &trace, &config, &mut recorded)
        .expect("the kind fits the partition");
    let context =
        Context { pool: &lowered.pool, positions: &outcome.positions, trace: Some(&trace) };
    let mut at = 0;
    let show = |at: usize| {
        let node = &recorded.nodes[at];
        let leaf = node.leaf.map_or(String::new(), |leaf| format!(" {}", leaf.kind.name()));
        format!("{}{leaf}", context.measure(&node.state).unwrap_or_default())
    };
    let mut lines = vec![show(at)];
    for edge in edges {
        let next = recorded.nodes.iter().position(|node| {
            node.parent.is_some_and(|(parent, rule)| {
                let text = context.rule(&rule);
                parent.0 as usize == at && text.split('@').next() == Some(*edge)
            })
        });
        at = next.unwrap_or_else(|| panic!("no edge {edge} after {lines:?}"));
        lines.push(show(at));
    }
    lines
}

/// The whole graph as DOT.
fn dot(model: &str, trace: &str, options: &str) -> String {
    let (mut lowered, trace) = read(model, trace);
    let term = lowered.term.expect("an interaction");
    let mut recorded = Graph::default();
    let config = Config { goal: None, ..config(options) };
    let outcome = graph::analyze(&mut lowered.pool, term, &trace, &config, &mut recorded)
        .expect("the kind fits the partition");
    Context { pool: &lowered.pool, positions: &outcome.positions, trace: Some(&trace) }
        .dot(&recorded, &[])
}

fn analyze(model: &str, trace: &str, options: &str) -> Outcome {
    observed(model, trace, options, &mut Silent)
}
