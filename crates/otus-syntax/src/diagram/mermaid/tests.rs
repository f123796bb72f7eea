//! Tests of the Mermaid parser and writer, and a comparison with Mermaid's own parser.

mod snippets;

use super::*;
use crate::code::Code;
use crate::diagnostic::Severity;
use crate::diagram::tests::{samples, term};
use crate::source::{Source, Span};

fn read_text(text: &str) -> crate::grammar::Parsed<crate::ast::SpecFile> {
    let source = Source::new("x.mmd", text);
    read(&source, source.whole())
}

/// Checks the term of a diagram's body, and that there are no errors and no warnings.
#[track_caller]
fn check(body: &str, expected: &str) {
    let parsed = read_text(&format!("sequenceDiagram\n{body}"));
    let worse: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity > Severity::Note).collect();
    assert!(worse.is_empty(), "{body}: {worse:?}");
    assert_eq!(term::written(&parsed.tree), expected, "{body}");
}

/// Checks the code and the text of each finding in a diagram's body.
#[track_caller]
fn check_findings(body: &str, expected: &[(Code, &str)]) {
    let text = format!("sequenceDiagram\n{body}");
    let parsed = read_text(&text);
    let found: Vec<(Code, &str)> =
        parsed.diagnostics.iter().map(|d| (d.code, &text[d.primary.span.range()])).collect();
    assert_eq!(found, expected, "{body}: {:?}", parsed.diagnostics);
    for finding in &parsed.diagnostics {
        assert!(finding.help.is_some() || finding.severity == Severity::Note, "{finding:?}");
    }
}

#[test]
fn arrows_are_messages_whatever_they_look_like() {
    for arrow in ["->", "-->", "->>", "-->>", "-)", "--)", "-|\\", "--|/", "-//", "--\\\\"] {
        check(&format!("A{arrow}B: m"), "A.m.B");
        check(&format!("A {arrow} B : m"), "A.m.B");
    }
    for arrow in ["-x", "--x", "-X"] {
        check(&format!("A{arrow}B: m"), "A.m.");
        check(&format!("A {arrow} B : m"), "A.m.");
    }
    for arrow in ["/|-", "\\|-", "//-", "\\\\-", "/|--", "\\\\--"] {
        check(&format!("A{arrow}B: m"), "B.m.A");
    }
    check("A<<->>B: m", "par(A.m.B,B.m.A)");
    check("A<<-->>A: m", "A.m.");
    check("A->>B:", "A.unnamed.B");
    check("A->>+B: m\nB-->>-A: n", "seq(A.m.B,B.n.A)");
    check("A()->>()B: m", "A.m.B");
    check("A->>A: m", "A.m.");
    check("A->>B:m;B->>A:n", "seq(A.m.B,B.n.A)");
    check("Alice Smith->>Bob-2: m", "Alice Smith.m.Bob-2");
    check("A->>B: GET /x?y=1, <br/> z: 5%", "A.GET /x?y=1, z: 5%.B");
    check("A->>B: a#59;b#35;#quot;", "A.a;b#\".B");
    check("A->>B: m # comment; more\nA->>B: n", "seq(A.m.B,A.n.B)");
    check("A->>B:wrap: m", "A.m.B");
    check("A->>B: wrap up", "A.wrap up.B");
    check("as->>B: end", "as.end.B");
    check("notebook->>ending: m", "notebook.m.ending");
}

#[test]
fn fragments_nest() {
    check("alt x\nA->>B: m\nelse y\nB->>A: n\nend", "alt(A.m.B,B.n.A)");
    check("OPT x\nA->>B: m\nEND", "alt(A.m.B,o)");
    check("par x\nA->>B: m\nand y\nB->>A: n\nend", "par(A.m.B,B.n.A)");
    check("par_over x\nA->>B: m\nend", "A.m.B");
    check("loop 0..*\nA->>B: m\nend", "loopW(A.m.B)");
    check("loop 2 times\nA->>B: m\nend", "seq(A.m.B,A.m.B)");
    check("A->>B: m\nbreak x\nB->>A: n\nend", "seq(A.m.B,alt(B.n.A,o))");
    check("rect rgb(0, 1, 2)\nA->>B: m\nend\nB->>A: n", "seq(A.m.B,B.n.A)");
    check("box Aqua Group\nparticipant A\nend\nA->>B: m", "A.m.B");
    check("opt x;A->>B: m;end;B->>A: n", "seq(alt(A.m.B,o),B.n.A)");
    check("opt\nopt\nA->>B: m\nend end", "alt(alt(A.m.B,o),o)");
}

#[test]
fn directives_say_the_rest() {
    check("%% otus: strict\nA->>B: m\nB->>A: n\n%% otus: end", "strict(A.m.B,B.n.A)");
    check("%% otus: synch\nA->>B: m", "A.!m.B");
    check("%% otus: loopS\nloop 0..*\nA->>B: m\nend", "loopS(A.m.B)");
    check("%% otus: environment E\nE->>B: m\nB->>E: n", "seq(.m.B,B.n.)");
    check("%% otus: name p1 \"a;b\"\nparticipant p1 as x\np1->>B: m", "a;b.m.B");
    check("%% otus: name p1 \"a\\nb\"\np1->>B: m", "a\nb.m.B");
    check("%% OTUS:empty\nA->>B: m", "seq(o,A.m.B)");
    check("%%otus: empty\nA->>B: m", "seq(o,A.m.B)");
}

#[test]
fn the_picture_is_read_past_and_mentioned_once() {
    let body = "autonumber\ntitle: T\naccTitle: x; y\naccDescr {\n a;\n loop }\n\
                Note over A,B: x: y\nnote left of A: y #59; z\nNOTE RIGHT OF A: y\nactivate A\n\
                deactivate A\nlinks A: {\"a\": \"b\"}\nlink A: x @ y\nproperties A: {}\n\
                details A: x\ncreate participant C\ndestroy C\nA->>C: m\nautonumber 10 2\n\
                autonumber off\ntitle T";
    check(body, "A.m.C");
    check_findings(
        body,
        &[
            (Code::PICTURE_ONLY, "autonumber"),
            (Code::PICTURE_ONLY, "title: T"),
            (Code::PICTURE_ONLY, "accDescr"),
            (Code::PICTURE_ONLY, "Note over A,B: x: y"),
            (Code::PICTURE_ONLY, "activate A"),
            (Code::PICTURE_ONLY, "links A: {\"a\": \"b\"}"),
            (Code::PICTURE_ONLY, "create"),
        ],
    );
    check("title->>B: m", "title.m.B");
    check("link->>B: m", "link.m.B");
}

#[test]
fn participants_have_names_and_labels() {
    let body = "participant A as Alice #59; Co\nactor B\nparticipant My Server\n\
                participant C@{ \"type\": \"queue\" } as Queue\n\
                participant D@{ \"type\": \"queue\", \"alias\": \"Dee\" }\nparticipant x y as z\n\
                participant E as  \nparticipant F;participant G\nMy Server->>A: m";
    let parsed = read_text(&format!("sequenceDiagram\n{body}"));
    assert_eq!(parsed.diagnostics, []);
    let shown: Vec<String> = parsed
        .tree
        .sections
        .iter()
        .flat_map(|section| match section {
            crate::ast::Section::Lifelines(list) => &list.names[..],
            crate::ast::Section::Messages(_) | crate::ast::Section::Options(_) => &[],
        })
        .map(|d| {
            let label = d.label.as_deref().unwrap_or("-");
            format!("{}={label}", parsed.tree.names.text(d.name.symbol))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "A=Alice ; Co",
            "B=-",
            "My Server=-",
            "C=Queue",
            "D=Dee",
            "x y as z=-",
            "E=-",
            "F=-",
            "G=-"
        ]
    );
}

#[test]
fn what_stands_before_the_diagram_is_skipped() {
    for text in [
        "---\ntitle: x\n---\nsequenceDiagram\nA->>B: m",
        "%%{init: {\n\"theme\": \"dark\"}}%%\n\n sequenceDiagram\nA->>B: m",
        "%% comment\nsequenceDiagram\r\nA->>B: m\r\n",
        "sequenceDiagram;A->>B: m",
        "sequenceDiagram A->>B: m",
        "sequenceDiagram\rA->>B: m\r",
        "%% otus: environment E\nsequenceDiagram\nA->>B: m",
    ] {
        let parsed = read_text(text);
        assert!(parsed.diagnostics.iter().all(|d| d.code == Code::PICTURE_ONLY), "{text}");
        assert_eq!(term::written(&parsed.tree), "A.m.B", "{text}");
    }
}

#[test]
fn other_texts_are_told_apart() {
    for (text, message, help) in [
        ("flowchart LR\na-->b", "`flowchart`", "only sequence"),
        ("stateDiagram-v2\n", "`stateDiagram-v2`", "only sequence"),
        ("sequencediagram\nA->>B: m", "`sequencediagram`", "did you mean `sequenceDiagram`?"),
        ("A->>B: m", "not a Mermaid", "begins with"),
        ("", "no diagram", "begins with"),
        ("\n%% only a comment\n", "no diagram", "begins with"),
        ("hello world", "not a Mermaid", "begins with"),
        ("é", "not a Mermaid", "begins with"),
    ] {
        let parsed = read_text(text);
        let [finding] = &parsed.diagnostics[..] else { panic!("{text}: {:?}", parsed.diagnostics) };
        assert_eq!(finding.code, Code::NOT_A_DIAGRAM);
        assert!(finding.message.contains(message), "{finding:?}");
        assert!(finding.help.as_deref().unwrap().contains(help), "{finding:?}");
    }
}

#[test]
fn faults_are_named_where_they_are() {
    use Code as C;
    check_findings("A->>B", &[(C::LINE_NOT_UNDERSTOOD, "A->>B")]);
    check_findings("A->>B,C: m", &[(C::LINE_NOT_UNDERSTOOD, ",")]);
    check_findings("A->>: m", &[(C::LINE_NOT_UNDERSTOOD, "->>")]);
    check_findings("A->>B:  ", &[(C::READ_BY_CONVENTION, "A->>B:")]);
    check_findings("A<<->>B: m", &[(C::READ_BY_CONVENTION, "<<->>")]);
    check_findings("A <<-->> B: m", &[(C::READ_BY_CONVENTION, "<<-->>")]);
    check_findings("A-xB: m", &[(C::READ_BY_CONVENTION, "-x")]);
    check_findings("A/|-B: m", &[]);
    check_findings("partcipant A", &[(C::LINE_NOT_UNDERSTOOD, "partcipant A")]);
    check_findings("participant", &[(C::LINE_NOT_UNDERSTOOD, "participant")]);
    check_findings("participant A, B", &[(C::LINE_NOT_UNDERSTOOD, ",")]);
    check_findings("participant A@{ x", &[(C::NEVER_CLOSED, "@{")]);
    check_findings("create A", &[(C::LINE_NOT_UNDERSTOOD, "create")]);
    check_findings("activate", &[(C::LINE_NOT_UNDERSTOOD, "activate")]);
    check_findings("note A: x", &[(C::LINE_NOT_UNDERSTOOD, "note")]);
    check_findings("note over A", &[(C::LINE_NOT_UNDERSTOOD, "note")]);
    check_findings("end->>B: m", &[(C::LINE_NOT_UNDERSTOOD, "end")]);
    check_findings("A->>end: m", &[(C::LINE_NOT_UNDERSTOOD, "end")]);
    check_findings("over->>A: m", &[(C::LINE_NOT_UNDERSTOOD, "over")]);
    check_findings("loop->>A: m", &[(C::LINE_NOT_UNDERSTOOD, "loop")]);
    check_findings("critical x\noption y\nend", &[(C::READ_BY_CONVENTION, "critical x")]);
    check_findings("option y", &[(C::SEPARATOR_MISPLACED, "option y")]);
    check_findings("else y", &[(C::SEPARATOR_MISPLACED, "else y")]);
    check_findings("alt\nand\nend", &[(C::SEPARATOR_MISPLACED, "and")]);
    check_findings("loop every day\nend", &[(C::FREE_TEXT_LOOP, "loop every day")]);
    check_findings("end", &[(C::NOTHING_TO_CLOSE, "end")]);
    check_findings("opt\nA->>B: m", &[(C::NEVER_CLOSED, "opt")]);
    check_findings(
        "%% otus: strict\nend",
        &[(C::NEVER_CLOSED, "%% otus: strict"), (C::NOTHING_TO_CLOSE, "end")],
    );
    check_findings("%% otus: end", &[(C::NOTHING_TO_CLOSE, "%% otus: end")]);
    check_findings("opt\n%% otus: strict\nend", &[(C::NEVER_CLOSED, "%% otus: strict")]);
    check_findings("%% otus: strict\nopt\n%% otus: end", &[(C::NEVER_CLOSED, "opt")]);
    check_findings("accDescr {", &[(C::NEVER_CLOSED, "accDescr {")]);
    check_findings("%%{init", &[(C::NEVER_CLOSED, "%%{")]);
    check_findings(
        "A - > B: m\n->>B: n\n\u{1F600}",
        &[
            (C::LINE_NOT_UNDERSTOOD, "A - > B: m"),
            (C::LINE_NOT_UNDERSTOOD, "->>B: n"),
            (C::LINE_NOT_UNDERSTOOD, "\u{1F600}"),
        ],
    );
}

#[test]
fn misspelt_keywords_are_recognised() {
    let parsed = read_text("sequenceDiagram\nlop 3 times\nactvate A");
    let helps: Vec<_> = parsed.diagnostics.iter().filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(helps, ["did you mean `loop`?", "did you mean `activate`?"]);
}

#[test]
fn a_text_that_is_something_else_ends_early() {
    let parsed = read_text(&format!("sequenceDiagram\n{}", "what is this\n".repeat(10_000)));
    assert_eq!(parsed.diagnostics.len(), 101);
    assert_eq!(parsed.diagnostics[100].code, Code::TOO_MANY_ERRORS);
    let parsed = read_text(&format!("sequenceDiagram\n{}", "critical\nend\n".repeat(10_000)));
    assert!(parsed.diagnostics.len() < 110);
}

#[test]
fn places_are_those_of_the_whole_source() {
    let text = "# Title\n\n```mermaid\nsequenceDiagram\n  A->>B: m1 %% c\n%% hello\n```\nmore";
    let source = Source::new("x.md", text);
    let start = text.find("sequence").unwrap();
    let end = text.rfind("```").unwrap();
    let span = Span::new(u32::try_from(start).unwrap(), u32::try_from(end).unwrap());
    let parsed = read(&source, span);
    assert_eq!(parsed.diagnostics, []);
    let interaction = parsed.tree.interaction.as_ref().unwrap();
    assert_eq!(source.slice(interaction.node(interaction.root).span), "A->>B: m1 %% c");
    let comments: Vec<_> =
        parsed.tree.comments.iter().map(|c| (source.slice(c.span), c.trailing)).collect();
    assert_eq!(comments, [("%% hello", false)]);
    for section in &parsed.tree.sections {
        let (crate::ast::Section::Lifelines(list) | crate::ast::Section::Messages(list)) = section
        else {
            unreachable!()
        };
        for declaration in &list.names {
            let name = declaration.name;
            assert_eq!(source.slice(name.span), parsed.tree.names.text(name.symbol));
        }
    }
}

#[test]
fn we_accept_what_the_real_parser_accepts() {
    let is_accepted = |text: &&str| !crate::diagnostic::any_error(&read_text(text).diagnostics);
    let refused: Vec<_> = snippets::ACCEPTED.into_iter().filter(|t| !is_accepted(t)).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let accepted: Vec<_> = snippets::REFUSED.into_iter().filter(is_accepted).collect();
    assert!(accepted.is_empty(), "{accepted:?}");
    assert!(!snippets::MEANINGLESS.iter().any(is_accepted));
    assert!(snippets::TOLERATED.iter().all(is_accepted));
}

#[track_caller]
fn check_round_trip(tree: &crate::ast::SpecFile) -> String {
    let text = write(tree);
    let parsed = read_text(&text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(term::normal(&parsed.tree), term::normal(tree), "{text}");
    text
}

#[test]
fn every_small_tree_comes_back_through_the_text() {
    let mut count = 0;
    samples::small_trees(&mut |tree| {
        check_round_trip(tree);
        count += 1;
    });
    assert!(count > 10_000, "{count}");
}

const ODD_NAMES: [&str; 44] = [
    "end",
    "End",
    "loop",
    "participant",
    "note",
    "title",
    "as",
    "a as b",
    "a b",
    "1",
    "1 a",
    "a-x",
    "a--b",
    "order-service",
    "a;b",
    "a#b",
    "#35;",
    "a:b",
    "a,b",
    "a>b",
    "a<b",
    "a->>b",
    "a%%b",
    "%%{init: {}}%%",
    "\"quoted\"",
    "back\\slash",
    "two\nlines",
    "tab\there",
    " lead",
    "trail ",
    " ",
    "é",
    "日本",
    "C4Container",
    "style",
    "wrap:x",
    ":wrap:y",
    "style:x#1;",
    "p1",
    "env",
    "__proto__",
    "a@b",
    "a@{x}",
    "{}",
];

fn odd_trees() -> Vec<crate::ast::SpecFile> {
    let mut trees = Vec::new();
    for (i, name) in ODD_NAMES.iter().enumerate() {
        let other = ODD_NAMES[(i + 1) % ODD_NAMES.len()];
        for is_declared in [false, true] {
            let mut arena = samples::Samples::default();
            let region = arena.name(name);
            let one = arena.passing(Some(name), other, &[other], false);
            let two = arena.passing(None, name, &[name], false);
            let three = arena.passing(Some("plain"), name, &[name, other], true);
            let four = arena.passing(Some(other), "m", &[], false);
            let root =
                arena.apply(crate::ast::Operator::Coreg(vec![region]), &[one, two, three, four]);
            let mut tree = arena.tree(root);
            if is_declared {
                samples::declare(
                    &mut tree,
                    &[(name, Some(other)), (other, None), ("plain", Some("Plain"))],
                    &["unused", name, other, "odd \"unused\"\n#10;"],
                );
            }
            trees.push(tree);
        }
    }
    trees
}

#[test]
fn odd_names_come_back() {
    for tree in odd_trees() {
        let text = check_round_trip(&tree);
        // With all names declared, parsing and writing is the identity.
        let again = write(&read_text(&text).tree);
        assert_eq!(write(&read_text(&again).tree), again);
    }
}

#[test]
fn the_text_is_as_one_would_write_it() {
    let mut arena = samples::Samples::default();
    let publish = arena.passing(Some("publisher"), "publish", &["broker"], false);
    let forward = arena.passing(Some("broker"), "publish", &["sub scriber;1"], false);
    let log = arena.passing(Some("broker"), "log", &[], false);
    let ack = arena.passing(Some("broker"), "ack", &["publisher"], true);
    let repeated =
        arena.apply(crate::ast::Operator::Loop(crate::ast::LoopKind::Strict), &[forward]);
    let both = arena.apply(crate::ast::Operator::Par, &[repeated, ack]);
    let ordered = arena.apply(crate::ast::Operator::Strict, &[publish, log]);
    let root = arena.apply(crate::ast::Operator::Seq, &[ordered, both]);
    let mut tree = arena.tree(root);
    samples::declare(&mut tree, &[("publisher", Some("The publisher")), ("broker", None)], &[]);
    let text = check_round_trip(&tree);
    expect_test::expect![[r#"
        sequenceDiagram
            participant publisher as The publisher
            participant broker
            %% otus: environment env
            participant env
            %% otus: name p1 "sub scriber;1"
            participant p1 as sub scriber#59;1
            %% otus: strict
                publisher->>broker: publish
                broker->>env: log
            %% otus: end
            par
                %% otus: loopS
                loop 0..*
                    broker->>p1: publish
                end
            and
                %% otus: synch
                broker->>publisher: ack
            end
    "#]]
    .assert_eq(&text);
}

#[test]
fn depth_belongs_to_the_user() {
    for tree in samples::deep_trees(100_000) {
        let text = write(&tree);
        assert!(text.len() < 100_000_000);
        let parsed = read_text(&text);
        assert_eq!(parsed.diagnostics.len(), 0);
    }
}

#[test]
fn no_text_makes_it_panic_or_slow() {
    // Every prefix and suffix of a diagram is parsed; long repetitions take linear time.
    let whole = "---\nt: é\n---\n%%{init}%%\nsequenceDiagram\nparticipant é@{ \"alias\": \"ü\" } as ß\n\
                 é->>+B: #59;∅\nNote over é,B: x\naccDescr { ü }\n%% otus: coreg(\"é\")\nloop 2..3;end";
    for (cut, _) in whole.char_indices() {
        read_text(&whole[..cut]);
        read_text(&format!("sequenceDiagram\n{}", &whole[cut..]));
    }
    for piece in ["#", "#a", "%%{\n", "accDescr {\n", "participant A@{\n", "A-", "-", "(", ";", "é"]
    {
        read_text(&format!("sequenceDiagram\n{}", piece.repeat(200_000)));
    }
}

/// Random sequences of lines: the parser does not panic, every span is within the text, and a correct
/// diagram survives a round trip through the writer.
#[test]
fn shuffled_lines_come_back_or_are_refused() {
    const LINES: [&str; 44] = [
        "A->>B: m",
        "B-->>A: n",
        "A->>A: local",
        "C-)B: x#59;y",
        "E->>A: in",
        "A->>E: out",
        "alt x",
        "else y",
        "else",
        "opt",
        "par a",
        "and b",
        "loop 0..*",
        "loop 1..2",
        "loop 2 times",
        "loop why",
        "break z",
        "rect red",
        "end",
        "end",
        "end",
        "end",
        "end",
        "%% otus: strict",
        "%% otus: seq",
        "%% otus: par",
        "%% otus: coreg(A, B)",
        "%% otus: broadcast",
        "%% otus: end",
        "%% otus: end",
        "%% otus: loopS",
        "%% otus: loopC(A)",
        "%% otus: synch",
        "%% otus: empty",
        "%% otus: environment E",
        "%% otus: name A \"real; name\"",
        "%% otus: message q",
        "participant A as Alice",
        "participant Z",
        "Note over A: x",
        "critical",
        "A->>B",
        "%% c",
        "opt;A->>B: m;end",
    ];
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap()
    };
    let mut understood = 0;
    for _ in 0..20_000 {
        let mut text = String::from("sequenceDiagram\n");
        for _ in 0..next(14) {
            text.push_str(LINES[next(LINES.len())]);
            text.push('\n');
        }
        let parsed = read_text(&text);
        for finding in &parsed.diagnostics {
            assert!(text.get(finding.primary.span.range()).is_some(), "{text}: {finding:?}");
        }
        term::check_order(parsed.tree.interaction.as_ref().unwrap());
        if !crate::diagnostic::any_error(&parsed.diagnostics) {
            // What is drawn besides comes back too, and is noted again.
            let again = write(&parsed.tree);
            let reread = read_text(&again);
            let is_note = |found: &crate::diagnostic::Diagnostic| found.severity == Severity::Note;
            assert!(reread.diagnostics.iter().all(is_note), "{again}: {:?}", reread.diagnostics);
            assert_eq!(term::normal(&reread.tree), term::normal(&parsed.tree), "{text}\n{again}");
            understood += 1;
        }
    }
    assert!(understood > 1_000, "{understood}");
}

/// Writes samples into the folder `OTUS_SAMPLES_OUT`, for `scripts/check-diagrams`.
#[test]
fn samples_are_left_for_mermaid() {
    let Some(folder) = std::env::var_os("OTUS_SAMPLES_OUT") else { return };
    let folder = std::path::PathBuf::from(folder);
    let mut texts: Vec<String> = odd_trees().iter().map(write).collect();
    let mut count: usize = 0;
    samples::small_trees(&mut |tree| {
        count += 1;
        if count.is_multiple_of(29) {
            texts.push(write(tree));
        }
    });
    texts.extend(snippets::ACCEPTED.into_iter().map(str::to_owned));
    for (i, text) in texts.iter().enumerate() {
        std::fs::write(folder.join(format!("{i:05}.mmd")), text).expect("writable");
    }
}
