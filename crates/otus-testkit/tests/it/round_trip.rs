//! Printing, converting and raising lose nothing.

use std::collections::BTreeSet;

use otus_core::{Lowered, lower, raise, raise_valued};
use otus_syntax::{Source, parse_spec, parse_trace, print};
use otus_testkit::generate::{interaction, spaced, trace, valued_interaction};
use otus_testkit::read::{Language, meaning, read, term};
use proptest::prelude::*;

/// The lifelines in order, and the set of messages, whose order does not matter.
fn names(lowered: &Lowered) -> (Vec<String>, BTreeSet<String>) {
    let signature = lowered.pool.signature();
    (
        signature.lifelines().map(|(_, name)| name.to_owned()).collect(),
        signature.messages().map(|(_, name)| name.to_owned()).collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_an_interaction_is_a_fixed_point_that_means_the_same(text in spaced(interaction())) {
        let (before, diagnostics) = read(Language::Interaction, &text);
        prop_assert!(diagnostics.iter().all(|found| !found.is_error()), "{diagnostics:?}");
        let parsed = parse_spec(&Source::new("x", text));
        let printed = print::spec(&parsed.tree);
        let again = parse_spec(&Source::new("x", printed.clone()));
        prop_assert_eq!(&print::spec(&again.tree), &printed);
        prop_assert_eq!(parsed.tree.comments.len(), again.tree.comments.len());
        prop_assert_eq!(term(&read(Language::Interaction, &printed).0), term(&before));
    }

    #[test]
    fn printing_guards_and_binders_is_a_fixed_point_that_means_the_same(
        text in spaced(valued_interaction()),
    ) {
        let (before, diagnostics) = read(Language::Interaction, &text);
        prop_assert!(diagnostics.iter().all(|found| !found.is_error()), "{diagnostics:?}");
        let parsed = parse_spec(&Source::new("x", text));
        let printed = print::spec(&parsed.tree);
        let again = parse_spec(&Source::new("x", printed.clone()));
        prop_assert_eq!(&print::spec(&again.tree), &printed);
        prop_assert_eq!(parsed.tree.comments.len(), again.tree.comments.len());
        prop_assert_eq!(meaning(&read(Language::Interaction, &printed).0), meaning(&before), "{}", printed);
    }

    #[test]
    fn printing_a_trace_is_a_fixed_point(text in spaced(trace())) {
        let parsed = parse_trace(&Source::new("x", text));
        prop_assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let printed = print::trace(&parsed.tree);
        let again = parse_trace(&Source::new("x", printed.clone()));
        prop_assert_eq!(print::trace(&again.tree), printed);
        prop_assert_eq!(print::trace_line(&again.tree), print::trace_line(&parsed.tree));
        prop_assert_eq!(parsed.tree.comments.len(), again.tree.comments.len());
    }

    #[test]
    fn every_language_says_the_same_guards_and_binders(text in valued_interaction()) {
        let (before, _) = read(Language::Interaction, &text);
        let valued = before.valued.as_deref().expect("the text has a binder");
        let raised = raise_valued(&before.pool, valued);
        prop_assert_eq!(meaning(&lower(&[&raised])), meaning(&before));
        for language in Language::ALL {
            let written = language.write(&raised);
            let (again, diagnostics) = read(language, &written);
            prop_assert!(diagnostics.iter().all(|found| !found.is_error()), "{written}\n{diagnostics:?}");
            prop_assert_eq!(meaning(&again), meaning(&before), "{:?}\n{}", language, written);
        }
    }

    #[test]
    fn every_language_says_the_same_term(text in interaction()) {
        let (before, _) = read(Language::Interaction, &text);
        let raised = raise(&before.pool, before.term.expect("the text is well-formed"));
        prop_assert_eq!(term(&lower(&[&raised])), term(&before));
        for language in Language::ALL {
            let written = language.write(&raised);
            let (again, diagnostics) = read(language, &written);
            prop_assert!(diagnostics.iter().all(|found| !found.is_error()), "{written}\n{diagnostics:?}");
            prop_assert_eq!(term(&again), term(&before), "{:?}\n{}", language, written);
            prop_assert_eq!(names(&again), names(&before), "{:?}\n{}", language, written);
        }
    }
}
