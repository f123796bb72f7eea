//! Promises about all inputs.
//!
//! A [`Target`] is a function that panics if a promise is broken: parsers do not panic, places lie in the text, printing is a
//! fixed point, converting there and back gives the same term. [`Target::smoke`] runs it with seeded mutations of valid texts
//! on any toolchain; `fuzz/` does the same with coverage guidance.
#![expect(clippy::missing_panics_doc, reason = "a target panics on a broken promise on purpose")]

mod logs;
mod mutate;
mod seeds;

use otus_core::{Lowered, lower, raise, raise_valued};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagnostic::any_error;
use otus_syntax::diagram::markdown;
use otus_syntax::dimacs::{self, Formula};
use otus_syntax::mentions::{self, Mentions};
use otus_syntax::print::{self, Dialect};
use otus_syntax::{Diagnostic, Source, parse_formulas, parse_spec, parse_trace};
use otus_trace::order::{EventId, Writes, pot};
use otus_trace::read::Format;
use otus_trace::reduction::{Reduced, reduce, restore};

use crate::read::{Language, fenced, meaning, term};
use logs::built_in;
use seeds::{CASES, DIMACS, FORMULAS, MARKDOWN, MERMAID, ORDERS, PLANTUML, SPECS, TRACES};

/// A promise and texts to start from.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, also that of the libFuzzer target.
    pub name: &'static str,
    /// Panics if the promise is broken for these bytes.
    pub run: fn(&[u8]),
    /// Valid texts, from which inputs are made by mutation.
    pub seeds: &'static [&'static str],
    /// Whether the input is a log or its settings, which take longer to check than a text.
    pub is_log: bool,
}

const fn target(
    name: &'static str,
    run: fn(&[u8]),
    seeds: &'static [&'static str],
    is_log: bool,
) -> Target {
    Target { name, run, seeds, is_log }
}

/// All targets.
pub const TARGETS: [Target; 21] = [
    target("spec", spec, SPECS, false),
    target("trace", trace, TRACES, false),
    target("mermaid", |data| diagram(Language::Mermaid, data), MERMAID, false),
    target("plantuml", |data| diagram(Language::PlantUml, data), PLANTUML, false),
    target("markdown", markdown, MARKDOWN, false),
    target("cases", cases, CASES, false),
    target("order", order, ORDERS, false),
    target("formulas", formulas, FORMULAS, false),
    target("dimacs", dimacs, DIMACS, false),
    target("settings", logs::settings, logs::SETTINGS, true),
    target("text_lines", logs::text_lines, logs::TEXT_LINES, true),
    target("json_lines", logs::json_lines, logs::JSON_LINES, true),
    target("csv", logs::csv, logs::CSV, true),
    target("otlp", |data| built_in(Format::Otlp, data), logs::OTLP, true),
    target("jaeger", |data| built_in(Format::Jaeger, data), logs::JAEGER, true),
    target("zipkin", |data| built_in(Format::Zipkin, data), logs::ZIPKIN, true),
    target("detect", logs::detect, logs::JSON_LINES, true),
    target("shiviz", |data| built_in(Format::Shiviz, data), logs::SHIVIZ, true),
    target("htf", |data| built_in(Format::Htf, data), TRACES, true),
    target("canonical", |data| built_in(Format::Canonical, data), logs::CANONICAL, true),
    target("packed", logs::packed, logs::JSON_LINES, true),
];

/// Runs the target with a name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a known name");
    (target.run)(data);
}

impl Target {
    /// Runs the target on `count` mutations of its seeds; the same seed gives the same bytes.
    pub fn smoke(&self, count: usize, seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        for text in self.seeds {
            self.keeps(text.as_bytes());
        }
        for _ in 0..count {
            self.keeps(&mutate::mutation(self.seeds, &mut random));
        }
    }

    /// Panics if the promise is broken for these bytes, with the smallest such input that can be made of them, which can be
    /// kept in `fuzz/regressions/`.
    pub fn keeps(&self, data: &[u8]) {
        let broken = |data: &[u8]| std::panic::catch_unwind(|| (self.run)(data)).is_err();
        if broken(data) {
            let small = mutate::shrink(data, broken);
            panic!("{} breaks on {:?}", self.name, String::from_utf8_lossy(&small));
        }
    }
}

/// `.hsf`, `.hif`, `.hcf`.
fn spec(data: &[u8]) {
    let source = text(data);
    let parsed = parse_spec(&source);
    check_places(&source, &parsed.diagnostics);
    let printed = print::spec(&parsed.tree);
    let again = parse_spec(&Source::new("again", printed.clone()));
    assert_eq!(print::spec(&again.tree), printed, "printing is a fixed point");
    if !any_error(&parsed.diagnostics) {
        assert!(!any_error(&again.diagnostics), "the printed text is well-formed: {printed}");
        assert_eq!(parsed.tree.comments.len(), again.tree.comments.len(), "comments are kept");
        older(&parsed.tree);
    }
    check_mentions(&source, &mentions::of_spec(&parsed.tree));
    conversions(&source, &parsed.tree, any_error(&parsed.diagnostics));
}

/// `.cnf`: what is written is read again, and a formula is the same after its reduction to a model and a multi-trace.
fn dimacs(data: &[u8]) {
    let source = text(data);
    let parsed = dimacs::parse(&source);
    check_places(&source, &parsed.diagnostics);
    if any_error(&parsed.diagnostics) {
        return;
    }
    let formula = parsed.tree;
    let again = dimacs::parse(&Source::new("again", dimacs::write(&formula)));
    assert_eq!((&again.tree, again.diagnostics.len()), (&formula, 0), "a formula is read again");
    // A formula of a few bytes may have millions of variables.
    if formula.variables > 1_000 || formula.clauses.is_empty() {
        return;
    }
    let made = reduce(&formula);
    let model = parse_spec(&Source::new("model", print::spec(&raise(&made.pool, made.term)))).tree;
    let mut lowered = lower(&[&model]);
    let trace = print::trace(&otus_trace::raise(&made.trace, &made.pool));
    let trace = parse_trace(&Source::new("trace", trace)).tree;
    let (observed, found) = otus_trace::lower(&trace, &mut lowered.pool);
    assert!(found.is_empty() && lowered.diagnostics.is_empty(), "the texts are well-formed");
    let reduced =
        Reduced { file: &model, pool: &lowered.pool, trace: &observed, trace_source: trace.source };
    let restored = restore(&reduced).expect("a reduction is recognized");
    assert_eq!(restored, normal(formula), "a formula goes there and back");
}

/// The formula with the literals of each clause in order and without repetition.
fn normal(mut formula: Formula) -> Formula {
    for clause in &mut formula.clauses {
        clause.sort_unstable_by_key(|&literal| (literal.unsigned_abs(), literal < 0));
        clause.dedup();
    }
    formula
}

/// `.htf`.
fn trace(data: &[u8]) {
    let source = text(data);
    let parsed = parse_trace(&source);
    check_places(&source, &parsed.diagnostics);
    check_places(&source, &otus_trace::check(&parsed.tree));
    check_mentions(&source, &mentions::of_trace(&source, &parsed.tree));
    let mut pool = otus_core::Pool::new(otus_core::Signature::default());
    check_places(&source, &otus_trace::lower(&parsed.tree, &mut pool).1);
    let printed = print::trace(&parsed.tree);
    let again = parse_trace(&Source::new("again", printed.clone()));
    assert_eq!(print::trace(&again.tree), printed, "printing is a fixed point");
    let line = parse_trace(&Source::new("line", print::trace_line(&parsed.tree)));
    assert_eq!(print::trace_line(&line.tree), print::trace_line(&parsed.tree));
    let fields = otus_trace::facts::all_fields([&parsed.tree]);
    let mut pool = otus_core::Pool::new(otus_trace::transform::implied_signature([&parsed.tree]));
    let (observed, facts, found) = otus_trace::lower_with_facts(&parsed.tree, &mut pool, &fields);
    check_places(&source, &found);
    let raised = print::trace(&otus_trace::raise_with_facts(&observed, &facts, &fields, &pool));
    let (same, again_facts, _) = otus_trace::lower_with_facts(
        &parse_trace(&Source::new("raised", raised.clone())).tree,
        &mut pool,
        &fields,
    );
    let again_raised = otus_trace::raise_with_facts(&same, &again_facts, &fields, &pool);
    assert_eq!(print::trace(&again_raised), raised, "values are raised and lowered again");
    if !any_error(&parsed.diagnostics) {
        assert!(!any_error(&again.diagnostics), "the printed text is well-formed: {printed}");
        assert_eq!(parsed.tree.values.len(), again.tree.values.len());
        assert_eq!(parsed.tree.occurrences.len(), again.tree.occurrences.len());
        assert_eq!(parsed.tree.comments.len(), again.tree.comments.len(), "comments are kept");
    }
}

fn diagram(language: Language, data: &[u8]) {
    let source = text(data);
    let parsed = language.parse(&source);
    check_places(&source, &parsed.diagnostics);
    let named = match language {
        Language::Interaction => None,
        Language::Mermaid => Some(markdown::Language::Mermaid),
        Language::PlantUml => Some(markdown::Language::PlantUml),
    };
    if let Some(named) = named {
        check_mentions(&source, &mentions::of_diagram(&source, source.whole(), named, None));
    }
    conversions(&source, &parsed.tree, any_error(&parsed.diagnostics));
}

/// Every name lies in its text, and in the order of the text.
fn check_mentions(source: &Source, found: &Mentions) {
    for mention in &found.all {
        assert!(source.text().get(mention.name.span.range()).is_some(), "a name lies in its text");
    }
    assert!(found.all.is_sorted_by_key(|it| it.name.span.start), "names are in order");
}

fn markdown(data: &[u8]) {
    let source = text(data);
    let mut diagnostics = Vec::new();
    let fences = markdown::fences(&source, &mut diagnostics);
    for fence in &fences {
        assert!(source.text().get(fence.content.range()).is_some(), "a fence lies in its text");
        diagnostics.extend(fenced(&source, fence).diagnostics);
    }
    check_places(&source, &diagnostics);
}

fn cases(data: &[u8]) {
    let source = text(data);
    for case in otus_trace::case::read(&source) {
        match case {
            Ok(case) => {
                trace(case.htf.as_bytes());
                let written = Source::new("written", otus_trace::case::write(&case));
                let again =
                    otus_trace::case::read(&written).next().expect("a line").expect("sound");
                assert_eq!((again.id, again.htf, again.rest), (case.id, case.htf, case.rest));
            }
            Err(found) => check_places(&source, &[*found]),
        }
    }
}

/// `.pot.json`.
fn order(data: &[u8]) {
    let source = text(data);
    let checked = pot::read(&source, Writes::Checked);
    let read = pot::read(&source, Writes::Ordered);
    for found in [&checked, &read].into_iter().filter_map(|read| read.as_ref().err()) {
        assert!(any_error(found), "a refused trace has an error");
        check_places(&source, found);
    }
    let plain = source.text().strip_prefix('\u{feff}').unwrap_or(source.text());
    let json: Result<serde_json::Value, _> = serde_json::from_str(plain);
    let malformed = read.as_ref().err().is_some_and(|found| {
        found.iter().any(|found| found.code == otus_syntax::Code::MALFORMED_JSON)
    });
    // Other errors may be reported before the end of the text is read.
    assert!(json.is_err() || !malformed, "JSON is not called malformed");
    assert!(json.is_ok() || read.is_err(), "a text that is not JSON is refused");
    let Ok(order) = read else {
        assert!(checked.is_err(), "a trace that is valid with checks is valid without");
        return;
    };
    let written = pot::write(&order);
    let again = pot::read(&Source::new("again", written.clone()), Writes::Checked);
    let again = again.expect("a written trace can be read, and its writes are ordered");
    assert_eq!(pot::write(&again), written, "writing is a fixed point");
    if let Ok(checked) = checked {
        assert_eq!(pot::write(&checked), written, "assignments that are ordered keep their order");
    }
    let (clocks, reduced) = (order.clocks(), order.clone().reduced().clocks());
    let count = u32::try_from(order.event_count()).expect("ids have 32 bits").min(30);
    for (e, f) in (0..count).flat_map(|e| (0..count).map(move |f| (EventId(e), EventId(f)))) {
        assert_eq!(clocks.precedes(e, f), reduced.precedes(e, f), "the reduced order is the same");
        let both = clocks.precedes(e, f) == Some(true) && clocks.precedes(f, e) == Some(true);
        assert_eq!(both, e == f, "an order has no cycle");
    }
}

fn formulas(data: &[u8]) {
    let source = text(data);
    let parsed = parse_formulas(&source);
    check_places(&source, &parsed.diagnostics);
    for (index, node) in parsed.tree.nodes.iter().enumerate() {
        assert!(source.text().get(node.span.range()).is_some(), "a node lies in its text");
        assert!(node.kind.operands().all(|operand| (operand.0 as usize) < index));
    }
    let printed = print::formulas(&parsed.tree);
    if any_error(&parsed.diagnostics) {
        return;
    }
    let again = parse_formulas(&Source::new("again", printed.clone()));
    assert!(again.diagnostics.is_empty(), "the printed text is well-formed: {printed}");
    assert_eq!(print::formulas(&again.tree), printed, "printing is a fixed point");
    assert_eq!(parsed.tree.items.len(), again.tree.items.len());
    assert_eq!(parsed.tree.comments.len(), again.tree.comments.len(), "comments are kept");
    for (item, other) in parsed.tree.items.iter().zip(&again.tree.items) {
        let one = print::formula(&parsed.tree, item.body);
        assert_eq!(one, print::formula(&again.tree, other.body), "each formula stays the same");
    }
}

/// A specification that the language of 2020 can express has the same meaning in it.
fn older(tree: &SpecFile) {
    if !print::not_in_2020(tree).is_empty() {
        return;
    }
    let written = print::spec_in(tree, Dialect::Of2020);
    let again = parse_spec(&Source::new("2020", written.clone()));
    assert!(!any_error(&again.diagnostics), "the text of 2020 can be read: {written}");
    assert_eq!(print::spec_in(&again.tree, Dialect::Of2020), written, "it is a fixed point");
    // `loopH` came later and is written as the `loop_seq` it is read as, so terms are compared.
    let meaning = |tree: &SpecFile| term(&lower(&[&SpecFile { implicit: true, ..tree.clone() }]));
    assert_eq!(meaning(&again.tree), meaning(tree), "it means the same: {written}");
    let rest = |tree: &SpecFile| print::spec(&SpecFile { interaction: None, ..tree.clone() });
    assert_eq!(rest(&again.tree), rest(tree), "options and declarations stay: {written}");
}

/// Lowering does not panic, and a valid specification is the same term in every language.
fn conversions(source: &Source, tree: &SpecFile, faulty: bool) {
    let mut tree = tree.clone();
    tree.implicit |= tree.sections.is_empty();
    let lowered = lower(&[&tree]);
    check_places(source, &lowered.diagnostics);
    check_places(source, &otus_core::lint(&[&tree], &lowered));
    let Some(root) = lowered.term else { return };
    if faulty || any_error(&lowered.diagnostics) || lowered.pool.attributes(root).nodes > 5_000 {
        return;
    }
    let raised = match &lowered.valued {
        Some(valued) => raise_valued(&lowered.pool, valued),
        None => raise(&lowered.pool, root),
    };
    let before = meaning(&lower(&[&raised]));
    for language in Language::ALL {
        let written = language.write(&raised);
        let (again, diagnostics) = crate::read::read(language, &written);
        assert!(
            !any_error(&diagnostics),
            "{language:?} can be read back: {diagnostics:?}\n{written}"
        );
        assert_eq!(meaning(&again), before, "{language:?} says the same:\n{written}");
        assert_eq!(skeleton(&again), skeleton(&lowered), "{language:?} says the same:\n{written}");
    }
}

/// The term without guards and binders.
fn skeleton(lowered: &Lowered) -> String {
    lowered.term.map(|term| lowered.pool.text(term)).unwrap_or_default()
}

fn text(data: &[u8]) -> Source {
    Source::new("fuzz", String::from_utf8_lossy(data))
}

fn check_places(source: &Source, diagnostics: &[Diagnostic]) {
    for found in diagnostics {
        let labels = std::iter::once(&found.primary).chain(&found.related);
        for span in labels.map(|label| label.span).chain(found.fix.iter().map(|fix| fix.span)) {
            assert!(
                source.text().get(span.range()).is_some(),
                "{} points at {span:?}, outside its text",
                found.code
            );
        }
        assert!(!found.message.is_empty());
    }
}
