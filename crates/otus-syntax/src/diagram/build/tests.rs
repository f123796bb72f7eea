//! Tests of the trees that statements denote.

use super::*;
use crate::ast::Section;
use crate::diagnostic::Diagnostic;
use crate::diagram::tests::term;
use crate::name::Name;
use crate::source::SourceId;

/// Reads statements from a shorthand, one per line: `a>b m`, `.>b m`, `loop 0 *`, `else`, `end`, ….
fn statements(text: &str) -> (Names, Vec<Statement>) {
    let mut names = Names::default();
    let mut list = Vec::new();
    let mut at = 0;
    for line in text.lines() {
        let span = Span::new(at, at + offset(line.len()));
        at = span.end + 1;
        let mut name = |text: &str| Name { symbol: names.intern(text), span };
        let words: Vec<&str> = line.split_whitespace().collect();
        let kind = match words[..] {
            [] => continue,
            ["head", lifeline] => StatementKind::Participant { name: name(lifeline), label: None },
            ["head", lifeline, label] => {
                StatementKind::Participant { name: name(lifeline), label: Some(label.to_owned()) }
            }
            ["alt"] => StatementKind::Open(Fragment::Alt),
            ["opt"] => StatementKind::Open(Fragment::Opt),
            ["par"] => StatementKind::Open(Fragment::Par),
            ["break"] => StatementKind::Open(Fragment::Break),
            ["critical"] => StatementKind::Open(Fragment::Critical(Options::After)),
            ["critical", "alt"] => StatementKind::Mark(Mark::Critical(Options::Instead)),
            ["option"] => StatementKind::Next(Separator::Option),
            ["or"] => StatementKind::Next(Separator::Or),
            ["&"] => StatementKind::Mark(Mark::Beside),
            ["frame"] => StatementKind::Open(Fragment::Frame),
            ["loop"] => {
                StatementKind::Open(Fragment::Loop(Repetition { stated: false, ..Repetition::ANY }))
            }
            ["loop", least, most] => StatementKind::Open(Fragment::Loop(Repetition {
                least: least.parse().unwrap(),
                most: most.parse().ok(),
                stated: true,
            })),
            ["else"] => StatementKind::Next(Separator::Else),
            ["and"] => StatementKind::Next(Separator::And),
            ["end"] => StatementKind::Close,
            ["empty"] => StatementKind::Empty,
            ["synch"] => StatementKind::Mark(Mark::Synchronous),
            ["loopS"] => StatementKind::Mark(Mark::LoopKind(LoopKind::Strict, Vec::new())),
            ["loopP"] => StatementKind::Mark(Mark::LoopKind(LoopKind::Parallel, Vec::new())),
            ["loopC", region] => StatementKind::Mark(Mark::LoopKind(
                LoopKind::Coregion(vec![name(region)]),
                Vec::new(),
            )),
            ["environment", lifeline] => StatementKind::Mark(Mark::Environment(name(lifeline))),
            ["name", alias, lifeline] => {
                StatementKind::Mark(Mark::Rename { alias: name(alias), name: name(lifeline) })
            }
            ["[strict"] => StatementKind::Open(Fragment::Block(Operator::Strict)),
            ["[seq"] => StatementKind::Open(Fragment::Block(Operator::Seq)),
            ["[par"] => StatementKind::Open(Fragment::Block(Operator::Par)),
            ["[alt"] => StatementKind::Open(Fragment::Block(Operator::Alt)),
            ["[coreg", region] => {
                StatementKind::Open(Fragment::Block(Operator::Coreg(vec![name(region)])))
            }
            ["[loopS"] => StatementKind::Open(Fragment::Block(Operator::Loop(LoopKind::Strict))),
            ["[broadcast"] => StatementKind::Open(Fragment::Broadcast),
            ["message", message] => StatementKind::Messages(vec![name(message)]),
            ["lifeline", lifeline] => StatementKind::Lifelines(vec![name(lifeline)]),
            [arrow, message] => {
                let (from, to) = arrow.split_once('>').unwrap();
                let (to, course) = match (from.strip_suffix('<'), to.strip_prefix('x')) {
                    (None, Some(to)) => (to, Course::Lost),
                    (Some(_), _) => (to, Course::BothWays),
                    (None, None) => (to, Course::Arrives),
                };
                let from = from.trim_end_matches('<');
                let mut end = |text: &str| match text {
                    "." => None,
                    _ => Some(name(text)),
                };
                let (from, to) = (end(from), end(to));
                StatementKind::Message(Message { from, to, message: name(message), course })
            }
            _ => panic!("no shorthand: {line}"),
        };
        list.push(Statement { span, kind });
    }
    (names, list)
}

fn built(text: &str) -> (SpecFile, Vec<Diagnostic>) {
    let (names, list) = statements(text);
    let mut findings = Findings::unbounded(SourceId(0));
    let whole = Span::new(0, offset(text.len()));
    let tree = build(whole, names, &list, &mut findings);
    term::check_order(tree.interaction.as_ref().unwrap());
    (tree, findings.list)
}

/// `;` stands for a line break.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (tree, diagnostics) = built(&text.replace("; ", "\n"));
    assert_eq!(diagnostics, [], "{text}");
    assert_eq!(term::written(&tree), expected, "{text}");
}

#[track_caller]
fn check_finding(text: &str, code: Code, at: &str, expected: &str) {
    let text = text.replace("; ", "\n");
    let (tree, diagnostics) = built(&text);
    let found: Vec<_> =
        diagnostics.iter().map(|d| (d.code, &text[d.primary.span.range()])).collect();
    assert_eq!(found, [(code, at)], "{text}");
    assert!(diagnostics[0].help.is_some(), "{text}");
    assert_eq!(term::written(&tree), expected, "{text}");
}

/// Checks a construct that is read by convention.
#[track_caller]
fn check_note(text: &str, at: &str, expected: &str) {
    let text = text.replace("; ", "\n");
    let (tree, diagnostics) = built(&text);
    let found: Vec<_> =
        diagnostics.iter().map(|d| (d.code, &text[d.primary.span.range()])).collect();
    assert_eq!(found, [(Code::READ_BY_CONVENTION, at)], "{text}");
    assert_eq!(term::written(&tree), expected, "{text}");
}

#[test]
fn a_lost_message_is_sent_and_never_received() {
    check("a>xb m", "a.m.");
    check("a>xa m", "a.m.");
    check(".>xb m; a>b n", "a.n.b");
    check_finding("synch; a>xb m", Code::DIRECTIVE_MISPLACED, "a>xb m", "a.m.");
    let (tree, _) = built("a>xb m");
    let Some(Section::Lifelines(lifelines)) = tree.sections.last() else { panic!("lifelines") };
    assert_eq!(lifelines.names.len(), 2, "the one who never receives it is a lifeline too");
}

#[test]
fn both_ways_and_beside_are_parallel() {
    check("a<>b m", "par(a.m.b,b.m.a)");
    check("a<>a m", "a.m.");
    check("a<>. m", "par(a.m.,.m.a)");
    check("a>b m; &; b>c n; a>b o", "seq(par(a.m.b,b.n.c),a.o.b)");
    check("a>b m; &; b>c n; &; a>b o", "par(par(a.m.b,b.n.c),a.o.b)");
    check("&; a>b m", "a.m.b");
    check("a>b m; &; opt; b>c n; end", "par(a.m.b,alt(b.n.c,o))");
    check("a>b m; &; frame; b>c n; a>c n; end", "par(a.m.b,seq(b.n.c,a.n.c))");
}

#[test]
fn at_most_one_option_follows_a_critical_part() {
    check("critical; a>b m; end", "a.m.b");
    let expected = "seq(a.m.b,alt(b.n.a,b.o.a,o))";
    check_note("critical; a>b m; option; b>a n; option; b>a o; end", "critical", expected);
    check("critical alt; critical; a>b m; option; b>a n; end", "alt(a.m.b,b.n.a)");
    check_finding(
        "critical alt; opt; a>b m; end",
        Code::DIRECTIVE_MISPLACED,
        "critical alt",
        "alt(a.m.b,o)",
    );
    check_finding("opt; option; end", Code::SEPARATOR_MISPLACED, "option", "alt(o,o)");
}

#[test]
fn alternatives_in_any_fragment() {
    check("frame; a>b m; or; b>a n; end; a>b o", "seq(alt(a.m.b,b.n.a),a.o.b)");
    check("a>b o; frame; a>b m; or; b>a n; or; a>b o; end", "seq(a.o.b,alt(a.m.b,b.n.a,a.o.b))");
    check("opt; a>b m; or; b>a n; end", "alt(a.m.b,b.n.a)");
    check("loop 0 *; a>b m; or; b>a n; end", "loopW(alt(a.m.b,b.n.a))");
    check("frame; a>b m; frame; a>b n; end; or; b>a n; end", "alt(seq(a.m.b,a.n.b),b.n.a)");
    check_finding("a>b m; or; b>a n", Code::SEPARATOR_MISPLACED, "or", "seq(a.m.b,b.n.a)");
}

#[test]
fn statements_follow_each_other() {
    check("", "o");
    check("a>b m", "a.m.b");
    check("a>b m; b>a n; a>b m", "seq(a.m.b,b.n.a,a.m.b)");
    check(".>b m", ".m.b");
    check("a>. m", "a.m.");
    check("a>a m", "a.m.");
    check("synch; a>b m; a>b m", "seq(a.!m.b,a.m.b)");
    check("empty; a>b m", "seq(o,a.m.b)");
}

#[test]
fn fragments_apply_operators() {
    check("alt; a>b m; else; b>a n; else; end", "alt(a.m.b,b.n.a,o)");
    check_note("alt; a>b m; a>b n; end", "alt", "alt(seq(a.m.b,a.n.b),o)");
    check("opt; a>b m; end", "alt(a.m.b,o)");
    check("opt; end", "alt(o,o)");
    check("par; a>b m; and; b>a n; end", "par(a.m.b,b.n.a)");
    check("par; a>b m; else; b>a n; end", "par(a.m.b,b.n.a)");
    check("frame; a>b m; frame; b>a n; end; end; a>b m", "seq(a.m.b,b.n.a,a.m.b)");
    check("[strict; frame; a>b m; b>a n; end; a>b m; end", "strict(seq(a.m.b,b.n.a),a.m.b)");
}

#[test]
fn blocks_apply_operators_to_statements() {
    check("[strict; a>b m; b>a n; a>b m; end", "strict(a.m.b,b.n.a,a.m.b)");
    check("[seq; [seq; a>b m; b>a n; end; a>b m; end", "seq(seq(a.m.b,b.n.a),a.m.b)");
    check("[par; a>b m; b>a n; end", "par(a.m.b,b.n.a)");
    check("[alt; a>b m; b>a n; end", "alt(a.m.b,b.n.a)");
    check("[coreg a; a>b m; b>a n; end", "coreg[a](a.m.b,b.n.a)");
    check("[loopS; a>b m; b>a n; end", "loopS(seq(a.m.b,b.n.a))");
    check("[strict; a>b m; end", "a.m.b");
    check("[strict; end", "o");
}

#[test]
fn loops_unfold_as_far_as_they_say() {
    check("loop 0 *; a>b m; end", "loopW(a.m.b)");
    check("loop 1 *; a>b m; end", "seq(a.m.b,loopW(a.m.b))");
    check("loop 2 *; a>b m; end", "seq(a.m.b,a.m.b,loopW(a.m.b))");
    check("loop 0 0; a>b m; end", "o");
    check("loop 1 1; a>b m; end", "a.m.b");
    check("loop 3 3; a>b m; end", "seq(a.m.b,a.m.b,a.m.b)");
    check("loop 0 1; a>b m; end", "alt(a.m.b,o)");
    check("loop 1 3; a>b m; end", "seq(a.m.b,alt(seq(a.m.b,alt(a.m.b,o)),o))");
    check("loop 3 1; a>b m; end", "seq(a.m.b,a.m.b,a.m.b)");
    check("loopS; loop 0 *; a>b m; end", "loopS(a.m.b)");
    check("loopS; loop 2 *; a>b m; end", "strict(a.m.b,a.m.b,loopS(a.m.b))");
    check("loopP; loop 1 2; a>b m; end", "par(a.m.b,alt(a.m.b,o))");
    check("loopC a; loop 2 2; a>b m; end", "coreg[a](a.m.b,a.m.b)");
}

#[test]
fn copies_of_a_loop_body_share_a_node() {
    let (tree, _) = built("loop 3 3\na>b m\nb>a n\nend");
    let interaction = tree.interaction.unwrap();
    assert_eq!(interaction.nodes.len(), 4);
}

#[test]
fn breaks_leave_their_operand() {
    check("a>b m; break; b>a n; end; a>b m", "seq(a.m.b,alt(b.n.a,a.m.b))");
    check("a>b m; break; b>a n; end", "seq(a.m.b,alt(b.n.a,o))");
    check("break; b>a n; end; a>b m", "alt(b.n.a,a.m.b)");
    check(
        "a>b m; break; b>a n; end; a>b m; break; b>a n; end; a>b x",
        "seq(a.m.b,alt(b.n.a,seq(a.m.b,alt(b.n.a,a.x.b))))",
    );
    check("alt; a>b m; break; b>a n; end; else; end", "alt(seq(a.m.b,alt(b.n.a,o)),o)");
    check("frame; a>b m; break; b>a n; end; end; a>b x", "seq(a.m.b,alt(b.n.a,a.x.b))");
    check("[strict; a>b m; break; b>a n; end; a>b x; end", "strict(a.m.b,alt(b.n.a,a.x.b))");
}

#[test]
fn breaks_in_a_loop_leave_the_loop() {
    check(
        "loop 0 *; a>b m; break; b>a n; end; a>b x; end",
        "seq(loopW(seq(a.m.b,a.x.b)),alt(seq(a.m.b,b.n.a),o))",
    );
    check(
        "loop 0 *; a>b m; break; b>a n; end; a>b x; break; b>a y; end; end",
        "seq(loopW(seq(a.m.b,a.x.b)),alt(seq(a.m.b,alt(b.n.a,seq(a.x.b,b.y.a))),o))",
    );
    check(
        "loopS; loop 1 *; a>b m; break; b>a n; end; end",
        "alt(strict(a.m.b,strict(loopS(a.m.b),alt(seq(a.m.b,b.n.a),o))),seq(a.m.b,b.n.a))",
    );
    check(
        "loop 1 2; a>b m; break; b>a n; end; end",
        "alt(seq(a.m.b,alt(alt(a.m.b,seq(a.m.b,b.n.a)),o)),seq(a.m.b,b.n.a))",
    );
}

#[test]
fn broadcasts_are_one_emission() {
    check("[broadcast; a>b m; a>c m; end", "a.m.(b,c)");
    check("[broadcast; .>b m; .>c m; end", ".m.(b,c)");
    check("synch; [broadcast; a>b m; a>c m; end", "a.!m.(b,c)");
    check("[broadcast; a>a m; end", "a.m.a");
}

#[test]
fn the_environment_and_aliases_hold_everywhere() {
    check("e>b m; a>e m; environment e", "seq(.m.b,a.m.)");
    check("p>q m; name p a; name q b", "a.m.b");
    check("name p a; [coreg p; p>b m; b>p n; end", "coreg[a](a.m.b,b.n.a)");
}

#[test]
fn names_are_declared_in_the_order_of_the_text() {
    let text = "b>a n\nhead c See\nhead a a\nname z real\nz>env m\nenvironment env\n\
                head env\nlifeline l\nmessage unused\nhead c Again";
    let (tree, diagnostics) = built(text);
    assert_eq!(diagnostics, []);
    let mut lines = Vec::new();
    for section in &tree.sections {
        let (word, declarations) = match section {
            Section::Messages(declarations) => ("message", declarations),
            Section::Lifelines(declarations) => ("lifeline", declarations),
            Section::Options(_) => unreachable!(),
        };
        let shown: Vec<String> = declarations
            .names
            .iter()
            .map(|d| {
                let label = d.label.as_deref().unwrap_or("-");
                format!("{}/{label}", tree.names.text(d.name.symbol))
            })
            .collect();
        lines.push(format!("{word} {}", shown.join(" ")));
    }
    assert_eq!(lines, ["message n/- m/- unused/-", "lifeline b/- a/- c/See real/- l/-"]);
    assert!(tree.implicit);
}

#[test]
fn faults_are_named_where_they_are() {
    check_finding("a>b m; end", Code::NOTHING_TO_CLOSE, "end", "a.m.b");
    check_finding("alt; a>b m", Code::NEVER_CLOSED, "alt", "alt(a.m.b,o)");
    check_finding("frame; a>b m", Code::NEVER_CLOSED, "frame", "a.m.b");
    check_finding("a>b m; else; a>b m", Code::SEPARATOR_MISPLACED, "else", "seq(a.m.b,a.m.b)");
    check_finding("alt; and; end", Code::SEPARATOR_MISPLACED, "and", "alt(o,o)");
    check_finding("alt; frame; else; end; end", Code::SEPARATOR_MISPLACED, "else", "alt(o,o)");
    check_finding("opt; else; end", Code::SEPARATOR_MISPLACED, "else", "alt(o,o)");
    check_finding("loop; a>b m; end", Code::FREE_TEXT_LOOP, "loop", "loopW(a.m.b)");
    check_finding(".>. m", Code::UNSUPPORTED_CONSTRUCT, ".>. m", "?");
    check_finding("synch; alt; end", Code::DIRECTIVE_MISPLACED, "synch", "alt(o,o)");
    check_finding("synch", Code::DIRECTIVE_MISPLACED, "synch", "o");
    check_finding("synch; a>a m", Code::DIRECTIVE_MISPLACED, "a>a m", "a.m.");
    check_finding("loopS; a>b m", Code::DIRECTIVE_MISPLACED, "loopS", "a.m.b");
    check_finding("loopS; [seq; end", Code::DIRECTIVE_MISPLACED, "loopS", "o");
}

#[test]
fn several_faults_are_found_in_one_pass() {
    let (_, diagnostics) = built("end\nloopS\nend\nalt\npar");
    let codes: Vec<Code> = diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(
        codes,
        [
            Code::NOTHING_TO_CLOSE,
            Code::DIRECTIVE_MISPLACED,
            Code::NOTHING_TO_CLOSE,
            Code::NEVER_CLOSED,
            Code::NEVER_CLOSED
        ]
    );
}

#[test]
fn a_break_alone_is_an_option() {
    for (text, expected) in [
        ("break\na>b m\nend", "alt(a.m.b,o)"),
        ("loop 0 *\nbreak\na>b m\nend\nend", "alt(a.m.b,o)"),
        ("[par\nbreak\na>b m\nend\na>b m\nend", "par(alt(a.m.b,o),a.m.b)"),
    ] {
        let (tree, diagnostics) = built(text);
        let codes: Vec<Code> = diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, [Code::BREAK_ALONE], "{text}");
        assert_eq!(term::written(&tree), expected, "{text}");
    }
}

#[test]
fn broadcasts_that_are_none_are_sequences() {
    for (text, at, expected) in [
        ("[broadcast\na>b m\na>c n\nend", "a>c n", "seq(a.m.b,a.n.c)"),
        ("[broadcast\na>b m\nc>b m\nend", "c>b m", "seq(a.m.b,c.m.b)"),
        ("[broadcast\na>b m\na>. m\nend", "a>. m", "seq(a.m.b,a.m.)"),
        ("[broadcast\na>b m\nempty\nend", "empty", "a.m.b"),
        ("[broadcast\nalt\nend\nend", "alt", "o"),
        ("[broadcast\nend", "[broadcast", "o"),
    ] {
        let (tree, diagnostics) = built(text);
        let found: Vec<_> =
            diagnostics.iter().map(|d| (d.code, &text[d.primary.span.range()])).collect();
        assert_eq!(found, [(Code::DIRECTIVE_MISPLACED, at)], "{text}");
        assert_eq!(term::written(&tree), expected, "{text}");
    }
}

#[test]
fn loops_that_unfold_too_far_are_refused() {
    check_nodes("loop 50000 50000\na>b m\nend", 2);
    for text in [
        "loop 200000 200000\na>b m\nend",
        "loop 30000 60000\na>b m\nend",
        "loop 0 4294967295\na>b m\nend",
        "loop 4294967295 *\na>b m\nend",
        "loop 1000 *\nloop 1000 *\na>b m\nend\nend",
    ] {
        let (tree, diagnostics) = built(text);
        let codes: Vec<Code> = diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, [Code::UNFOLDED_TOO_LARGE], "{text}");
        assert!(tree.interaction.unwrap().nodes.len() < 10_000, "{text}");
    }
    // Many loops count together, and so do copies of copies.
    let refused = |text: &str| {
        let (_, diagnostics) = built(text);
        diagnostics.iter().any(|d| d.code == Code::UNFOLDED_TOO_LARGE)
    };
    assert!(refused(&"loop 10000 10000\na>b m\nend\n".repeat(100)));
    assert!(refused(&format!("{}a>b m\n{}", "loop 1 *\n".repeat(40), "end\n".repeat(40))));
    let open = "loop 0 *\n".repeat(40);
    assert!(refused(&format!("{open}a>b m\n{}", "break\na>b n\nend\nend\n".repeat(40))));
    assert!(!refused(&format!("{open}a>b m\n{}", "end\n".repeat(40))));
}

#[track_caller]
fn check_nodes(text: &str, expected: usize) {
    let (tree, diagnostics) = built(text);
    assert_eq!(diagnostics, []);
    assert_eq!(tree.interaction.unwrap().nodes.len(), expected);
}

#[test]
fn depth_belongs_to_the_user() {
    const DEPTH: usize = 100_000;
    for (open, close) in [
        ("opt\n", "end\n"),
        ("frame\na>b m\n", "end\n"),
        ("[strict\na>b m\n", "end\n"),
        ("a>b m\nbreak\n", "end\n"),
        ("loop 0 *\nbreak\n", "end\na>b m\nend\n"),
    ] {
        let text = open.repeat(DEPTH) + &close.repeat(DEPTH);
        let (tree, _) = built(&text);
        assert!(tree.interaction.unwrap().nodes.len() >= DEPTH);
        let (_, diagnostics) = built(&open.repeat(DEPTH));
        assert!(diagnostics.iter().filter(|d| d.code == Code::NEVER_CLOSED).count() >= DEPTH);
    }
}
