//! Texts of any depth and width are handled without overflow and in linear time.
//!
//! The tests do not measure time. They measure the length of printed texts and the number of findings, which would make the
//! time superlinear. A quadratic algorithm would not finish on these inputs.

use otus_core::{Lowered, lint, raise};
use otus_syntax::diagnostic::any_error;
use otus_syntax::{Source, parse_spec, parse_trace, print};
use otus_testkit::read::{Language, read, term};

const DEPTH: usize = 100_000;
const WIDTH: usize = 100_000;

/// Parses, prints, lowers, lints and raises a text, and converts it to each language and back. Returns the length of all texts
/// together.
#[track_caller]
fn through_everything(text: &str) -> usize {
    let source = Source::new("limit", text);
    let parsed = parse_spec(&source);
    assert!(!any_error(&parsed.diagnostics), "{:?}", parsed.diagnostics.first());
    let printed = print::spec(&parsed.tree);
    assert_eq!(print::spec(&parse_spec(&Source::new("again", printed.clone())).tree), printed);
    let (lowered, found) = read(Language::Interaction, text);
    assert!(!any_error(&found), "{:?}", found.first());
    let mut tree = parsed.tree;
    tree.implicit = true;
    assert!(lint(&[&tree], &lowered).len() <= 2 * otus_syntax::parser::MAX_DIAGNOSTICS);
    let raised = raise(&lowered.pool, lowered.term.expect("an interaction"));
    let mut length = printed.len();
    for language in Language::ALL {
        let written = language.write(&raised);
        length += written.len();
        let (again, found) = read(language, &written);
        assert!(!any_error(&found), "{language:?}: {:?}", found.first());
        same(&again, &lowered, language);
    }
    length
}

#[track_caller]
fn same(one: &Lowered, other: &Lowered, language: Language) {
    // Not `assert_eq`, because a difference would print megabytes.
    assert!(term(one) == term(other), "{language:?} says the same");
}

/// Checks that ten times the depth gives at most about ten times the text.
#[track_caller]
fn deep(opener: &str, leaf: &str, closer: &str) {
    let text = |depth: usize| format!("{}{leaf}{}", opener.repeat(depth), closer.repeat(depth));
    let tenth = through_everything(&text(DEPTH / 10));
    let whole = through_everything(&text(DEPTH));
    assert!(whole <= 11 * tenth, "{opener}: {tenth} bytes at a tenth of the depth, now {whole}");
}

#[test]
fn deep_sequences() {
    deep("seq(a -- m -> b, ", "b!n", ")");
    deep("strict(", "a!m", ", b?m)");
}

#[test]
fn deep_alternatives_and_parallels() {
    deep("alt(a!m, ", "b!n", ")");
    deep("par(", "a!m", ", b?m)");
}

#[test]
fn deep_coregions() {
    deep("coreg(a)(a -- m -> b, ", "b!n", ")");
    deep("coreg(a,b)(", "a!m", ", o)");
}

#[test]
fn deep_loops() {
    deep("loopS(", "a!m", ")");
    deep("loopW(alt(a!m, ", "b!n", "))");
    deep("loopC(a)(", "b!n", ")");
    deep("loopP(seq(a!m, loopH(", "b!n", ")))");
}

#[test]
fn deep_diagrams() {
    for (language, head, opener, closer, tail) in [
        (Language::Mermaid, "sequenceDiagram\n", "opt\nA->>B: m\n", "end\n", ""),
        (Language::Mermaid, "sequenceDiagram\n", "loop\npar\nA->>B: m\nand\n", "end\nend\n", ""),
        (
            Language::Mermaid,
            "sequenceDiagram\nA->>B: k\n",
            "%% otus: coreg(A)\nA->>B: m\n",
            "%% otus: end\n",
            "",
        ),
        (Language::PlantUml, "@startuml\n", "alt\nA -> B : m\nelse\n", "end\n", "@enduml\n"),
        (
            Language::PlantUml,
            "@startuml\n",
            "group strict\nA -> B ++ : m\n",
            "return n\nend\n",
            "@enduml\n",
        ),
        (
            Language::PlantUml,
            "@startuml\n",
            "loop\nbreak\nA -> B : m\nend\nB -> A : n\n",
            "end\n",
            "@enduml\n",
        ),
    ] {
        let text = format!(
            "{head}{}A->>B: z\n{}{tail}",
            opener.repeat(DEPTH / 10),
            closer.repeat(DEPTH / 10)
        );
        let text = if language == Language::PlantUml { text.replace("->>", "->") } else { text };
        let (lowered, found) = read(language, &text);
        assert!(!any_error(&found), "{language:?} {opener:?}: {:?}", found.first());
        let raised = raise(&lowered.pool, lowered.term.expect("an interaction"));
        for other in Language::ALL {
            let (again, found) = read(other, &other.write(&raised));
            assert!(!any_error(&found), "{other:?} {opener:?}: {:?}", found.first());
            same(&again, &lowered, other);
        }
    }
}

#[test]
fn wide_operators() {
    for operator in ["seq", "strict", "par", "alt", "coreg(a)"] {
        let operands: Vec<String> = (0..WIDTH).map(|i| format!("a -- m{} -> b", i % 100)).collect();
        through_everything(&format!("{operator}({})", operands.join(", ")));
    }
    let targets: Vec<String> = (0..WIDTH).map(|i| format!("b{i}")).collect();
    through_everything(&format!("a -- m -> ({})", targets.join(", ")));
}

#[test]
fn many_participants() {
    let passings: Vec<String> = (0..WIDTH).map(|i| format!("p{i} -- m -> p{}", i + 1)).collect();
    through_everything(&format!("seq({})", passings.join(", ")));
}

#[test]
fn many_undeclared_names() {
    let passings: Vec<String> = (0..WIDTH).map(|i| format!("p{i} -- m{i} -> q{i}")).collect();
    let text = format!("@lifeline{{ pp1 }} @message{{ mm1 }} seq({})", passings.join(", "));
    let (_, found) = read(Language::Interaction, &text);
    assert!((100..=300).contains(&found.len()), "{} findings", found.len());
    let actions: Vec<String> = (0..WIDTH).map(|i| format!("p{i}!m{i}")).collect();
    let (mut lowered, _) = read(Language::Interaction, "@lifeline{ pp1 } @message{ mm1 } pp1!mm1");
    let trace = parse_trace(&Source::new("x", format!("[#all] {}", actions.join(".")))).tree;
    let found = otus_trace::lower(&trace, &mut lowered.pool).1;
    assert!((100..=300).contains(&found.len()), "{} findings", found.len());
}

#[test]
fn many_faults_of_each_kind() {
    for (language, piece) in [
        (Language::Interaction, "seq(a -- , "),
        (Language::Interaction, "a-b; \"x\n"),
        (Language::Interaction, "“x“ "),
        (Language::Interaction, "\",\\"),
        (Language::Interaction, "@x{ y z } "),
        (Language::Mermaid, "end\n"),
        (Language::Mermaid, "loop\nA->>B\n"),
        (Language::Mermaid, "%% otus: stritc\n"),
        (Language::PlantUml, "end\n"),
        (Language::PlantUml, "alt\nA ->\n"),
        (Language::PlantUml, "' otus: x\n"),
        (Language::PlantUml, "return\n"),
        (Language::PlantUml, "group strct\nA ->\n"),
    ] {
        let head = if language == Language::Mermaid { "sequenceDiagram\n" } else { "" };
        let (_, found) = read(language, &format!("{head}{}", piece.repeat(WIDTH)));
        assert!(any_error(&found), "{piece:?}");
        assert!(found.len() <= 500, "{piece:?}: {} findings", found.len());
    }
}

#[test]
fn wide_traces() {
    let components: Vec<String> = (0..WIDTH).map(|i| format!("[p{i}] p{i}!m.p{i}?n")).collect();
    let trace = parse_trace(&Source::new("x", format!("{{{}}}", components.join(";"))));
    assert!(trace.diagnostics.is_empty());
    assert!(otus_trace::check(&trace.tree).is_empty());
    let names: Vec<String> = (0..WIDTH).map(|i| format!("p{i}")).collect();
    let actions: Vec<String> = names.iter().map(|name| format!("{name}!m")).collect();
    let text = format!("[{}] {{{}}}", names.join(","), actions.join(","));
    let trace = parse_trace(&Source::new("x", text));
    assert!(trace.diagnostics.is_empty());
    let found = otus_trace::check(&trace.tree);
    assert!(found.is_empty(), "{:?}", found.first());
    let printed = print::trace(&trace.tree);
    assert_eq!(print::trace(&parse_trace(&Source::new("y", printed.clone())).tree), printed);
}
