//! Tests with deep and long texts: no overflow and no panic.

use otus_syntax::ast::Section;
use otus_syntax::{Source, parse_spec, parse_trace, print};

const DEPTH: usize = 100_000;

#[test]
fn a_hundred_thousand_nested_operators() {
    for opener in ["seq(o, ", "loopW(", "alt(", "coreg(a)(m -> a, ", "loopC(a)("] {
        let text = format!("{}o{}", opener.repeat(DEPTH), ")".repeat(DEPTH));
        let parsed = parse_spec(&Source::new("deep", text));
        assert!(parsed.diagnostics.is_empty());
        let printed = print::spec(&parsed.tree);
        let again = parse_spec(&Source::new("deep", printed.clone()));
        assert_eq!(print::spec(&again.tree), printed);
    }
}

#[test]
fn a_hundred_thousand_open_brackets() {
    for opener in
        ["seq(", "(", "coreg(", "loopC(a)(", "a -- m -> (", "[", "@message{", "{", "/*", "\"", "<"]
    {
        let text = opener.repeat(DEPTH);
        assert!(!parse_spec(&Source::new("open", text.clone())).diagnostics.is_empty());
        let _ = parse_trace(&Source::new("open", text));
    }
    for section in ["@analyze_option{", "@analyze_option{ loggers = "] {
        for opener in ["[", "graphic[", "{", "(", "a=", "a "] {
            let text = format!("{section}{}", opener.repeat(DEPTH));
            assert!(!parse_spec(&Source::new("open", text)).diagnostics.is_empty());
        }
    }
}

/// The search for the first occurrence of an option takes time independent of the number of entries.
#[test]
fn many_options_set_twice_take_linear_time() {
    let text = format!(
        "@analyze_option{{{}{}}}",
        "goal=Pass;".repeat(1_000_000),
        "memoize=true;".repeat(1_000_000)
    );
    let parsed = parse_spec(&Source::new("x.hcf", text));
    let Section::Options(options) = &parsed.tree.sections[0] else { panic!("options") };
    assert_eq!(options.items.len(), 2_000_000);
}

#[test]
fn many_faults_are_reported_up_to_a_limit() {
    let parsed = parse_spec(&Source::new("x", "seq(a, ".repeat(1000)));
    assert_eq!(parsed.diagnostics.len(), otus_syntax::parser::MAX_DIAGNOSTICS + 1);
    let parsed = parse_trace(&Source::new("x", "[a] a. ".repeat(1000)));
    assert_eq!(parsed.diagnostics.len(), otus_syntax::parser::MAX_DIAGNOSTICS + 1);
}
