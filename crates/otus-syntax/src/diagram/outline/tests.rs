//! Tests that building the statements of a tree gives the tree back.

use super::*;
use crate::diagram::build;
use crate::diagram::tests::{samples, term};
use crate::parser::Findings;
use crate::source::SourceId;

fn rebuilt(tree: &SpecFile) -> (SpecFile, Vec<crate::diagnostic::Diagnostic>) {
    let outline = outline(tree);
    let mut findings = Findings::unbounded(SourceId(0));
    let Outline { names, statements, .. } = outline;
    let again = build::build(Span::at(0), names, &statements, &mut findings);
    (again, findings.list)
}

#[track_caller]
fn check(tree: &SpecFile) {
    let (again, diagnostics) = rebuilt(tree);
    let written = term::written(tree);
    assert_eq!(diagnostics, [], "{written}");
    term::check_order(again.interaction.as_ref().unwrap());
    assert_eq!(term::normal(&again), term::normal(tree), "{written}");
}

#[test]
fn every_small_tree_comes_back() {
    let mut count = 0;
    samples::small_trees(&mut |tree| {
        check(tree);
        count += 1;
    });
    assert!(count > 10_000, "{count}");
}

#[test]
fn declarations_come_back() {
    let mut tree = samples::Samples::default();
    let passing = tree.passing(Some("b"), "m", &["a"], false);
    let mut tree = tree.tree(passing);
    samples::declare(
        &mut tree,
        &[("a", Some("Alice")), ("b", None), ("c", None)],
        &["x", "m", "y"],
    );
    let (again, diagnostics) = rebuilt(&tree);
    assert_eq!(diagnostics, []);
    let shown: Vec<String> = again
        .sections
        .iter()
        .flat_map(|section| match section {
            Section::Lifelines(list) | Section::Messages(list) => &list.names[..],
            Section::Options(_) => &[],
        })
        .map(|d| format!("{} {:?}", again.names.text(d.name.symbol), d.label))
        .collect();
    assert_eq!(shown, ["x None", "y None", "m None", "a Some(\"Alice\")", "b None", "c None"]);
}

#[test]
fn a_tree_without_an_interaction_has_no_statements() {
    assert!(outline(&SpecFile::default()).statements.is_empty());
}

#[test]
fn depth_belongs_to_the_user() {
    for tree in samples::deep_trees(100_000) {
        let (again, diagnostics) = rebuilt(&tree);
        assert_eq!(diagnostics.len(), 0);
        assert!(again.interaction.is_some());
    }
}
