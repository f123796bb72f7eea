//! What must hold of any input whatever.
//!
//! A [`Target`] is a function that panics when a promise is broken: parsers do not panic, places
//! lie in the text, printing is a fixed point, converting there and back gives the same term.
//! [`Target::smoke`] drives it with seeded mutations of good texts on any toolchain; `fuzz/` does
//! the same with coverage guidance.
#![expect(clippy::missing_panics_doc, reason = "to panic on a broken promise is their purpose")]

mod mutate;

use otus_core::lower;
use otus_syntax::ast::SpecFile;
use otus_syntax::diagnostic::any_error;
use otus_syntax::diagram::markdown;
use otus_syntax::{Diagnostic, Source, parse_spec, parse_trace, print};

use crate::read::{Language, term};

/// A promise and texts to start from.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, also that of the libFuzzer target.
    pub name: &'static str,
    /// Panics if the promise is broken for these bytes.
    pub run: fn(&[u8]),
    /// Texts of this kind.
    pub seeds: &'static [&'static str],
}

/// All targets.
pub const TARGETS: [Target; 6] = [
    Target { name: "spec", run: spec, seeds: SPECS },
    Target { name: "trace", run: trace, seeds: TRACES },
    Target { name: "mermaid", run: mermaid, seeds: MERMAID },
    Target { name: "plantuml", run: plantuml, seeds: PLANTUML },
    Target { name: "markdown", run: markdown, seeds: MARKDOWN },
    Target { name: "cases", run: cases, seeds: CASES },
];

impl Target {
    /// Runs the target on `count` mutations of its seeds; the same seed gives the same bytes.
    pub fn smoke(&self, count: usize, seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        for text in self.seeds {
            (self.run)(text.as_bytes());
        }
        for _ in 0..count {
            (self.run)(&mutate::mutation(self.seeds, &mut random));
        }
    }
}

/// `.hsf`, `.hif`, `.hcf`.
pub fn spec(data: &[u8]) {
    let source = text(data);
    let parsed = parse_spec(&source);
    check_places(&source, &parsed.diagnostics);
    let printed = print::spec(&parsed.tree);
    let again = parse_spec(&Source::new("again", printed.clone()));
    assert_eq!(print::spec(&again.tree), printed, "printing is a fixed point");
    if !any_error(&parsed.diagnostics) {
        assert!(!any_error(&again.diagnostics), "what is printed is well-formed: {printed}");
        assert_eq!(parsed.tree.comments.len(), again.tree.comments.len(), "comments are kept");
    }
    conversions(&source, &parsed.tree, any_error(&parsed.diagnostics));
}

/// `.htf`.
pub fn trace(data: &[u8]) {
    let source = text(data);
    let parsed = parse_trace(&source);
    check_places(&source, &parsed.diagnostics);
    check_places(&source, &otus_trace::check(&parsed.tree));
    let printed = print::trace(&parsed.tree);
    let again = parse_trace(&Source::new("again", printed.clone()));
    assert_eq!(print::trace(&again.tree), printed, "printing is a fixed point");
    let line = parse_trace(&Source::new("line", print::trace_line(&parsed.tree)));
    assert_eq!(print::trace_line(&line.tree), print::trace_line(&parsed.tree));
    if !any_error(&parsed.diagnostics) {
        assert!(!any_error(&again.diagnostics), "what is printed is well-formed: {printed}");
        assert_eq!(parsed.tree.occurrences.len(), again.tree.occurrences.len());
    }
}

/// Mermaid.
pub fn mermaid(data: &[u8]) {
    diagram(Language::Mermaid, data);
}

/// PlantUML.
pub fn plantuml(data: &[u8]) {
    diagram(Language::PlantUml, data);
}

fn diagram(language: Language, data: &[u8]) {
    let source = text(data);
    let parsed = language.parse(&source);
    check_places(&source, &parsed.diagnostics);
    conversions(&source, &parsed.tree, any_error(&parsed.diagnostics));
}

/// Markdown with diagrams in it.
pub fn markdown(data: &[u8]) {
    let source = text(data);
    let mut diagnostics = Vec::new();
    let fences = markdown::fences(&source, &mut diagnostics);
    for fence in &fences {
        assert!(source.text().get(fence.content.range()).is_some(), "a fence lies in its text");
        let language = match fence.language {
            markdown::Language::Mermaid => Language::Mermaid,
            markdown::Language::PlantUml => Language::PlantUml,
        };
        let parsed = match language {
            Language::PlantUml => otus_syntax::diagram::plantuml::read(&source, fence.content),
            Language::Mermaid | Language::Interaction => {
                otus_syntax::diagram::mermaid::read(&source, fence.content)
            }
        };
        diagnostics.extend(parsed.diagnostics);
    }
    check_places(&source, &diagnostics);
}

/// Case files.
pub fn cases(data: &[u8]) {
    let source = text(data);
    for case in otus_trace::case::read(&source) {
        match case {
            Ok(case) => trace(case.htf.as_bytes()),
            Err(found) => check_places(&source, &[*found]),
        }
    }
}

/// Lowering does not panic; and a sound specification is the same term in every language.
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
    let raised = otus_core::raise(&lowered.pool, root);
    for language in Language::ALL {
        let written = language.write(&raised);
        let (again, diagnostics) = crate::read::read(language, &written);
        assert!(
            !any_error(&diagnostics),
            "{language:?} can be read back: {diagnostics:?}\n{written}"
        );
        assert_eq!(term(&again), term(&lowered), "{language:?} says the same:\n{written}");
    }
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

const SPECS: &[&str] = &[
    "@message{ m1; m2 } @lifeline{ a; b; c }\nseq(a -- m1 -> b, alt(b -- m2 -> (a, c), o))",
    "@analyze_option{ loggers = [graphic=svg]; semantics = prefix; strategy = DFS; goal = Pass }\no",
    "@explore_option{ loggers = [graphic[svg,vertical], tracegen[generation = exact, partition={(l1,l2),(l3)}]]; filters = [max_depth = 35]; priorities = random }",
    "@analyze_option{ analysis_kind = simulate[before = true, loop max depth, act num = 10]; priorities = [simu = -1] }",
    "coreg(l2)(loopC(l1,l2)(l1 -- <synch>m -> l2), m -> l1, l2--m->|) /* c */ // d",
    "strict(a!m, loopW(o), /* open\n a!m)",
    "strict(loopS(a!m), loopW(∅), loopP(a?m), loopH(o), loop_seq(o), \"x y\" -- \"m\\\"\" -> b)",
];

const TRACES: &[&str] = &[
    "[#all] a!m1.b?m1.b!m2.c?m2",
    "{ [a,b] b!m.a!m; [c] c?m.{c?m,c!n} }",
    "{ [#any] a!m; [#any]; } // end",
    "a!m./* x */b?m",
    "[\"user service\"] \"user service\"!\"log in\"",
];

const MERMAID: &[&str] = &[
    "sequenceDiagram\n  participant A as Alice\n  A->>B: m\n  alt x\n    B-->>A: n\n  else\n    Note over A: hi\n  end\n  loop 3 times\n    A-xB: k\n  end\n",
    "---\ntitle: t\n---\nsequenceDiagram\n%% otus: strict\nA->>+B: m\nB-)-A: n\n%% otus: end\npar p\nA->>B: x\nand q\nB->>A: y\nend\nbreak b\nA->>A: z\nend",
    "sequenceDiagram\n%% otus: environment env\n%% otus: loopC(A, B)\nloop 0..*\n%% otus: synch\nA->>env: m#59;n\nend\n%% otus: broadcast\nA->>B: m\nA->>C: m\n%% otus: end\nopt o\nrect rgb(0,0,0)\nA->>B: q\nend\nend",
];

const PLANTUML: &[&str] = &[
    "@startuml\nparticipant \"Alice\" as A\nA -> B : m\nactivate B\nalt x\n  B --> A : n\nelse y\n  A ->] : out\nend\nloop 1..*\n  [-> A : in\nend\ndeactivate B\n@enduml",
    "@startuml\ngroup strict\nA -> B : m\nB -> C : n\nend\ngroup coreg(B)\n' otus: synch\nA -[#red]> B ++ : m\nreturn ok\nend\nnote left of A : hi\n== div ==\n...\n@enduml",
    "A -> B: m\n/' block\n'/ B <- A : n\npar\nA -> B : x\nelse\nB -> A : y\nend\nbreak z\nA -> A : self\nend\nref over A, B : r\n' otus: empty",
];

const MARKDOWN: &[&str] = &[
    "# Log in\n\n```mermaid\nsequenceDiagram\nA->>B: m\n```\n\nLog out\n-------\n~~~plantuml\n@startuml\nA -> B : n\n@enduml\n~~~\n",
    "- list\n\n  ```puml\n  A -> B : m\n  ```\n\n## Log in\n````mermaid\nflowchart LR\n````\n```mermaid\nsequenceDiagram\n",
];

const CASES: &[&str] = &[
    "{\"id\": \"x\", \"htf\": \"{[a] a!m; [b] b?m}\", \"k\": 1}\n{\"htf\": \"\"}\n\n[1]\nnull\n{\"id\": 3}\n",
];
