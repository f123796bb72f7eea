//! The papers' examples: verdicts, node counts and measures.

mod papers;

use otus_analysis::graph::{self, Observer, Outcome, Silent};
use otus_analysis::Config;
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
    let term = lowered.term.unwrap();
    graph::analyze(&mut lowered.pool, term, &trace, &config(options), observer).unwrap()
}

fn analyze(model: &str, trace: &str, options: &str) -> Outcome {
    observed(model, trace, options, &mut Silent)
}
