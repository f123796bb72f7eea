//! Reader and writer at the level of statements.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes its snapshots so")]

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::ast::LoopKind;
use crate::diagnostic::Diagnostic;
use crate::diagram::directive;
use crate::diagram::outline::Outline;
use crate::diagram::plantuml::{read, write};
use crate::diagram::statement::{
    Block, End, Fragment, Mark, Repetition, Separator, Statement, StatementKind,
};
use crate::name::{Name, Names};
use crate::source::{Source, Span};

/// Reads a diagram and compares its statements and findings, one on a line.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(text));
}

fn shown(text: &str) -> String {
    let source = Source::new("test.puml", text);
    let (outline, diagnostics) = parse(&source);
    let mut shown = String::new();
    for statement in &outline.statements {
        let _ = writeln!(shown, "{}", show(&statement.kind, &outline.names));
    }
    for diagnostic in &diagnostics {
        let place = source.slice(diagnostic.primary.span);
        let _ = write!(
            shown,
            "{} {} {place:?} {}",
            diagnostic.severity.name(),
            diagnostic.code,
            diagnostic.message
        );
        match &diagnostic.help {
            Some(help) => {
                let _ = writeln!(shown, "; {help}");
            }
            None => shown.push('\n'),
        }
    }
    shown
}

fn parse(source: &Source) -> (Outline, Vec<Diagnostic>) {
    let (mut names, mut diagnostics) = (Names::default(), Vec::new());
    let statements = read::statements(source, source.whole(), &mut names, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    (Outline { names, statements }, diagnostics)
}

fn show(kind: &StatementKind, names: &Names) -> String {
    let end = |end: &End| match end {
        End::Lifeline(name) => format!("{:?}", names.text(name.symbol)),
        End::Environment => String::from("*"),
    };
    match kind {
        StatementKind::Participant { name, label } => {
            format!("participant {:?} label {label:?}", names.text(name.symbol))
        }
        StatementKind::Message { from, to, message } => {
            format!("{} -> {} : {:?}", end(from), end(to), names.text(message.symbol))
        }
        StatementKind::Open(Fragment::Block(block)) => {
            format!("open block {}", directive::block_label(block, names))
        }
        StatementKind::Open(fragment) => format!("open {fragment:?}"),
        StatementKind::Next(separator) => format!("next {separator:?}"),
        StatementKind::Close => String::from("close"),
        StatementKind::Mark(_)
        | StatementKind::Empty
        | StatementKind::Lifelines(_)
        | StatementKind::Messages(_) => directive::write(kind, names).expect("a directive"),
    }
}

#[test]
fn arrows_between_participants() {
    check(
        "@startuml\nA -> B : hello\nB --> A : hi there \n\"Bob Smith\" ->> A:x\nA <- B : y\n@enduml\n",
        &expect![[r#"
            "A" -> "B" : "hello"
            "B" -> "A" : "hi there"
            "Bob Smith" -> "A" : "x"
            "B" -> "A" : "y"
        "#]],
    );
}

#[test]
fn arrows_from_and_to_outside() {
    check(
        "[-> A : in\nA ->] : out\n?-> A : found\nA ->? : lost\n[<- A : o\n",
        &expect![[r#"
        * -> "A" : "in"
        "A" -> * : "out"
        * -> "A" : "found"
        "A" -> * : "lost"
        "A" -> * : "o"
    "#]],
    );
}

#[test]
fn an_arrow_needs_a_message() {
    check(
        "A -> B\nA -> B :\nA -> B : \nA -> C : ok",
        &expect![[r#"
        "A" -> "C" : "ok"
        error O0218 "A -> B" this arrow has no message; name the message after a colon: `A -> B : request`
        error O0218 "A -> B :" this arrow has no message; name the message after a colon: `A -> B : request`
        error O0218 "A -> B :" this arrow has no message; name the message after a colon: `A -> B : request`
    "#]],
    );
}

#[test]
fn labels_mean_what_the_picture_shows() {
    check(
        "A -> B : a\\nb <U+0041> C:\\dir \\\\n\n\"a\\nb\" -> B : **x**",
        &expect![[r#"
        "A" -> "B" : "a\nb A C:\\dir \\n"
        "a\nb" -> "B" : "**x**"
    "#]],
    );
}

#[test]
fn participants_and_their_labels() {
    check(
        "participant A
actor B as \"Bob\"
database \"The store\" as S #red
queue Q <<x>> order 10 #blue
participant Long as L
participant \"quoted name\"
participant Same as \"Same\"
collections C [[http://x]]
create D
create actor \"E f\" as E
Boundary F
participant G [
  =Title
  ----
  text
]
\"In place\" as H -> A : m
\"In place\" as H -> A : n",
        &expect![[r#"
            participant "A" label None
            participant "B" label Some("Bob")
            participant "S" label Some("The store")
            participant "Q" label None
            participant "L" label Some("Long")
            participant "quoted name" label None
            participant "Same" label None
            participant "C" label None
            participant "D" label None
            participant "E" label Some("E f")
            participant "F" label None
            participant "G" label Some("=Title\n----\ntext")
            participant "H" label Some("In place")
            "H" -> "A" : "m"
            "H" -> "A" : "n"
            note O0606 "queue Q <<x>> order 10 #blue" orders of participants are kept in the picture only
            note O0606 "create D" creations of participants are kept in the picture only (2 places)
        "#]],
    );
}

#[test]
fn participants_that_plantuml_refuses() {
    check(
        "participant a b\nparticipant \"a\" as \"b\"\nparticipant\nparticipant A order\nparticipant a-b",
        &expect![[r#"
            error O0602 "participant a b" this line is not understood; write `participant NAME` or `participant "what it shows" as NAME`; quote a name that has other characters than letters, digits, `_`, `.` and `@`
            error O0602 "participant \"a\" as \"b\"" this line is not understood; write `participant NAME` or `participant "what it shows" as NAME`; quote a name that has other characters than letters, digits, `_`, `.` and `@`
            error O0602 "participant" this line is not understood; write `participant NAME` or `participant "what it shows" as NAME`; quote a name that has other characters than letters, digits, `_`, `.` and `@`
            error O0602 "participant A order" this line is not understood; write `participant NAME` or `participant "what it shows" as NAME`; quote a name that has other characters than letters, digits, `_`, `.` and `@`
            error O0602 "participant a-b" this line is not understood; write `participant NAME` or `participant "what it shows" as NAME`; quote a name that has other characters than letters, digits, `_`, `.` and `@`
        "#]],
    );
}

#[test]
fn fragments() {
    check(
        "alt ok
  A -> B : a
else not ok
  A -> B : b
end
opt
  A -> B : c
end
par
  A -> B : d
else
  A -> B : e
also
  A -> B : f
end
break stop
end
critical
end
group my label [second]
end alt
loop 3 times
end
loop Every minute
end
LOOP
END
alt#Gold #LightBlue x
else #Pink y
end
opt #red
end",
        &expect![[r#"
            open Alt
            "A" -> "B" : "a"
            next Else
            "A" -> "B" : "b"
            close
            open Opt
            "A" -> "B" : "c"
            close
            open Par
            "A" -> "B" : "d"
            next Else
            "A" -> "B" : "e"
            next And
            "A" -> "B" : "f"
            close
            open Break
            close
            open Frame
            close
            open Frame
            close
            open Loop(Repetition { least: 3, most: Some(3), stated: true })
            close
            open Loop(Repetition { least: 0, most: None, stated: false })
            close
            open Loop(Repetition { least: 0, most: None, stated: true })
            close
            open Alt
            next Else
            close
            open Opt
            close
            note O0606 "alt ok" guards are kept in the picture only (5 places); a condition is not checked: any operand can happen
        "#]],
    );
}

#[test]
fn groups_that_are_operators() {
    check(
        "group strict
group coreg(A, \"B c\")
end
end
group loopS [why]
end
group loopC(A)
end
group broadcast
end
group strict order
end",
        &expect![[r#"
            open block strict
            open block coreg(A, "B c")
            close
            close
            open block loopS
            close
            open block loopC(A)
            close
            open block broadcast
            close
            open Frame
            close
        "#]],
    );
}

#[test]
fn directives_in_comments() {
    check(
        "' otus: strict
  ' otus: synch
  A -> B : m
' otus: end
'otus: environment E
' otus: nothing
' just a comment
/' otus: par '/
' otus: loopP
loop
end
' otus: empty",
        &expect![[r#"
            open block strict
            otus: synch
            "A" -> "B" : "m"
            close
            otus: environment E
            otus: loopP
            open Loop(Repetition { least: 0, most: None, stated: true })
            close
            otus: empty
            error O0609 "nothing" there is no directive `nothing`; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, synch, environment, name, empty, lifeline, message
        "#]],
    );
}

#[test]
fn critical_inside_par_is_rejected() {
    check(
        "par\nloop\ncritical x\nA -> B : m\nend\nend\nend\ncritical\nend\n' otus: par\ncritical\nend\n' otus: end",
        &expect![[r#"
            open Par
            open Loop(Repetition { least: 0, most: None, stated: true })
            open Frame
            "A" -> "B" : "m"
            close
            close
            close
            open Frame
            close
            open block par
            open Frame
            close
            close
            error O0605 "critical" `critical` inside `par` forbids interleavings, which no interaction can say; move it out of `par`, or write `group strict` if the order inside is what matters
            error O0605 "critical" `critical` inside `par` forbids interleavings, which no interaction can say; move it out of `par`, or write `group strict` if the order inside is what matters
        "#]],
    );
}

#[test]
fn unsupported_constructs_have_help() {
    check(
        "A <-> B : m\nA <<-->> B : m\nA x- B : m\n& A -> B : m\nA -> B & C : m\nA -- B : m
!include x.puml\n!define X y\n!$x = 1\n!theme plain\n!pragma teoz true",
        &expect![[r#"
            error O0605 "<->" an arrow with two heads stands for two messages whose order it does not say; write two arrows, `A -> B : m` and `B -> A : m`, inside `par` if their order is open
            error O0605 "<<-->>" an arrow with two heads stands for two messages whose order it does not say; write two arrows, `A -> B : m` and `B -> A : m`, inside `par` if their order is open
            error O0605 "x-" versions of PlantUML disagree on which way this arrow points; write `->x` or `x<-` to say which end is the target
            error O0605 "&" `&` draws this beside the line before, which says nothing about order; write `par`, `else`, `end` around what happens at the same time
            error O0605 "& C" one arrow to several targets does not say how they receive it; write `group broadcast`, one arrow to each target, and `end`
            error O0602 "--" this line between participants has no arrow head; write `->` for a message, `-->` for a reply
            error O0605 "!include" `!include` changes the text of the diagram before PlantUML reads it; give Otus the text after preprocessing, as `plantuml -preproc FILE` writes it
            error O0605 "!define" `!define` changes the text of the diagram before PlantUML reads it; give Otus the text after preprocessing, as `plantuml -preproc FILE` writes it
            error O0605 "!$x" `!$x` changes the text of the diagram before PlantUML reads it; give Otus the text after preprocessing, as `plantuml -preproc FILE` writes it
            note O0606 "!theme plain" pragmas and themes are kept in the picture only (2 places)
        "#]],
    );
}

#[test]
fn returns_answer_the_last_call() {
    check(
        "A -> B ++ : a\nB -> C ++ : b\nreturn c\nreturn #red d\nA -> B : e\nreturn f\n[-> A ++ : g\nreturn h",
        &expect![[r#"
            "A" -> "B" : "a"
            "B" -> "C" : "b"
            "C" -> "B" : "c"
            "B" -> "A" : "d"
            "A" -> "B" : "e"
            "B" -> "A" : "f"
            * -> "A" : "g"
            "A" -> * : "h"
            note O0606 "A -> B ++ : a" activation bars are kept in the picture only (3 places)
        "#]],
    );
    check(
        "autoactivate on\nA -> B : a\nB -> C : b\nC --> B : c\nreturn d",
        &expect![[r#"
        "A" -> "B" : "a"
        "B" -> "C" : "b"
        "C" -> "B" : "c"
        "B" -> "A" : "d"
        note O0606 "autoactivate on" activation bars are kept in the picture only
    "#]],
    );
    check(
        "A -> B : a\nactivate B\nB -> C : b\ndeactivate B\nreturn c",
        &expect![[r#"
        "A" -> "B" : "a"
        "B" -> "C" : "b"
        "C" -> "B" : "c"
        note O0606 "activate B" activation bars are kept in the picture only (2 places)
    "#]],
    );
}

#[test]
fn returns_that_answer_nothing() {
    check(
        "return x",
        &expect![[r#"
        error O0615 "return" there is no call before this `return` that it could answer; put it after the arrow it answers, or write the reply as an arrow: `B --> A : ok`
    "#]],
    );
    check(
        "A -> B : m\ngroup x\nend\nreturn y",
        &expect![[r#"
        "A" -> "B" : "m"
        open Frame
        close
        error O0615 "return" there is no call before this `return` that it could answer; put it after the arrow it answers, or write the reply as an arrow: `B --> A : ok`
    "#]],
    );
    check(
        "A -> B ++ : m\nreturn",
        &expect![[r#"
        "A" -> "B" : "m"
        note O0606 "A -> B ++ : m" activation bars are kept in the picture only
        error O0218 "return" this `return` has no message; name the reply: `return ok`
    "#]],
    );
}

#[test]
fn a_return_in_a_second_operand_is_disputed() {
    check(
        "A -> B ++ : m\nalt\nreturn x\nelse\nreturn y\nend",
        &expect![[r#"
        "A" -> "B" : "m"
        open Alt
        "B" -> "A" : "x"
        next Else
        close
        note O0606 "A -> B ++ : m" activation bars are kept in the picture only
        error O0615 "return" the call of this `return` was answered in another operand; PlantUML draws it as `A --> B`; write the reply as an arrow: `B --> A : y`
    "#]],
    );
    check(
        "alt\nA -> B ++ : m\nreturn x\nelse\nA -> C ++ : n\nreturn y\nend",
        &expect![[r#"
        open Alt
        "A" -> "B" : "m"
        "B" -> "A" : "x"
        next Else
        "A" -> "C" : "n"
        "C" -> "A" : "y"
        close
        note O0606 "A -> B ++ : m" activation bars are kept in the picture only (2 places)
    "#]],
    );
}

#[test]
fn pictures_are_read_over_with_one_note_for_each_kind() {
    check(
        "title A title
header
text
endheader
right footer x
caption c
legend right
  A -> B : not a message
end legend
mainframe m
skinparam x y
skinparam sequence {
  a b
  c {
  }
}
<style>
a { }
</style>
hide footbox
scale 1.5
autonumber 10
box \"x\" #red
participant A order 2
end box
note left of A: x
note over A, \"B: c\"
text
end note
/ hnote over A : x
rnote right
text
endrnote
ref over A, B : x
ref over A
text
end ref
== part ==
...
...5 minutes...
|||
||45||
newpage
ignore newpage
activate A
deactivate A
destroy A
A ->x B ++ : m
A -> B ** : n
{s} A -> B !! : o
{s} <-> {e} : 5 s
deactivate",
        &expect![[r#"
            participant "A" label None
            "A" -> "B" : "m"
            "A" -> "B" : "n"
            "A" -> "B" : "o"
            note O0606 "title A title" titles, headers, footers and legends are kept in the picture only (6 places)
            note O0606 "skinparam x y" styles and visibility are kept in the picture only (5 places)
            note O0606 "autonumber 10" message numbers are kept in the picture only
            note O0606 "box \"x\" #red" boxes around participants are kept in the picture only (2 places)
            note O0606 "participant A order 2" orders of participants are kept in the picture only
            note O0606 "note left of A: x" notes are kept in the picture only (4 places)
            note O0606 "ref over A, B : x" references to other diagrams are kept in the picture only (2 places); copy the messages of the other diagram to have them checked
            note O0606 "== part ==" dividers are kept in the picture only
            note O0606 "..." delays are kept in the picture only (2 places); time is not checked, only order
            note O0606 "|||" spaces are kept in the picture only (2 places)
            note O0606 "newpage" pages are kept in the picture only (2 places)
            note O0606 "activate A" activation bars are kept in the picture only (4 places)
            note O0606 "destroy A" destructions of participants are kept in the picture only (2 places)
            note O0606 "A ->x B ++ : m" the crosses of lost messages are kept in the picture only; the arrow is a message that arrives; for one that is lost, write `A ->] : m`
            note O0606 "A -> B ** : n" creations of participants are kept in the picture only
            note O0606 "{s} A -> B !! : o" anchors and durations are kept in the picture only (2 places)
        "#]],
    );
}

#[test]
fn words_can_be_participants() {
    check(
        "loop -> end : m\nnote -> participant : m\ntitle -> B : m\nreturn -> alt : m",
        &expect![[r#"
            "loop" -> "end" : "m"
            "note" -> "participant" : "m"
            "return" -> "alt" : "m"
            note O0606 "title -> B : m" titles, headers, footers and legends are kept in the picture only
        "#]],
    );
}

#[test]
fn block_comments() {
    check(
        "/' one '/ A -> B : a
A -> B : b /' two '/
/' three
A -> B : not
'/ A -> B : not either
still '/
A -> B : c /' literal
A -> B : it's",
        &expect![[r#"
            "A" -> "B" : "a"
            "A" -> "B" : "b"
            "A" -> "B" : "c /' literal"
            "A" -> "B" : "it's"
        "#]],
    );
    check(
        "A -> B : a\n/' never\nends",
        &expect![[r#"
            "A" -> "B" : "a"
            error O0202 "/' never" this comment has no `'/`, so the rest of the diagram is lost; write `'/` on a line where it ends
        "#]],
    );
}

#[test]
fn constructs_that_never_end() {
    check(
        "A -> B : a\nnote left\nB -> A : b",
        &expect![[r#"
            "A" -> "B" : "a"
            error O0604 "note left" this note has no `end note`, so the rest of the diagram is lost; write `end note` on a line where it ends
            note O0606 "note left" notes are kept in the picture only
        "#]],
    );
    check(
        "@startuml\nA -> B : a",
        &expect![[r#"
        "A" -> "B" : "a"
        error O0604 "@startuml" `@startuml` has no `@enduml`; write `@enduml` on a line after the diagram
    "#]],
    );
    check(
        "skinparam {\nA -> B : a",
        &expect![[r#"
            error O0604 "skinparam {" this block has no `}`, so the rest of the diagram is lost; write `}` on a line where it ends
            note O0606 "skinparam {" styles and visibility are kept in the picture only
        "#]],
    );
}

#[test]
fn continued_lines() {
    check(
        "A -> B : one \\\n  two\nA -> \\\nB : m\nA -> B : a\\\\\n",
        &expect![[r#"
        "A" -> "B" : "one   two"
        "A" -> "B" : "m"
        "A" -> "B" : "a\\"
    "#]],
    );
}

#[test]
fn lines_that_are_not_understood() {
    check(
        "partcipant A\nA-B -> C : m\nfoo bar\nend note\nlop 3 times\n\u{2014}\nnotes: x",
        &expect![[r#"
            error O0602 "partcipant A" this line is not understood; did you mean `participant`?
            error O0602 "A-B -> C : m" this line is not understood; an arrow is written `A -> B : message`, or `A ->] : message` and `[-> A : message` to and from outside; quote a name that has other characters than letters, digits, `_`, `.` and `@`
            error O0602 "foo bar" this line is not understood; a message is written `A -> B : message`, a comment begins with `'`
            error O0602 "end note" this line is not understood; PlantUML has lines that begin with `end`, but not this one
            error O0602 "lop 3 times" this line is not understood; did you mean `loop`?
            error O0602 "—" this line is not understood; a message is written `A -> B : message`, a comment begins with `'`
            error O0602 "notes: x" this line is not understood; did you mean `note`?
        "#]],
    );
}

#[test]
fn not_understood_lines_are_not_reported_without_end() {
    let text = "what is this\n".repeat(1000);
    let (_, diagnostics) = parse(&Source::new("x", text));
    assert_eq!(diagnostics.len(), 51);
}

#[test]
fn other_diagrams_are_told_apart() {
    check(
        "@startuml\nclass A\nA -> B : m\n@enduml",
        &expect![[r#"
        error O0601 "class" this line belongs to another kind of diagram; Otus reads sequence diagrams: participants, arrows and fragments
    "#]],
    );
    check(
        "@startmindmap\n* x\n@endmindmap",
        &expect![[r#"
        error O0601 "@startmindmap" `@startmindmap` does not start a sequence diagram; a sequence diagram stands between `@startuml` and `@enduml`
    "#]],
    );
    check(
        "[*] --> S",
        &expect![[r#"
        error O0601 "[" this line belongs to another kind of diagram; Otus reads sequence diagrams: participants, arrows and fragments
    "#]],
    );
    check(
        "start\n:do it;\nstop",
        &expect![[r#"
        error O0601 "start" this line belongs to another kind of diagram; Otus reads sequence diagrams: participants, arrows and fragments
    "#]],
    );
}

#[test]
fn of_several_diagrams_the_first_is_read() {
    check(
        "@startgantt\n@endgantt\nA -> B : no\n@startuml one\nA -> B : m\n@enduml\n@startuml\nC -> D : n\n@enduml",
        &expect![[r#"
            "A" -> "B" : "m"
            warning O0306 "@startuml" only the first diagram is read; 1 more in this text; put each diagram into its own file
        "#]],
    );
}

#[test]
fn spans_are_exact() {
    let source = Source::new("x", "@startuml\n  \"A b\" -> C :  m n  \n@enduml");
    let (outline, _) = parse(&source);
    let StatementKind::Message { from: End::Lifeline(from), message, .. } =
        outline.statements[0].kind
    else {
        panic!("a message")
    };
    assert_eq!(source.slice(from.span), "\"A b\"");
    assert_eq!(source.slice(message.span), "m n");
    assert_eq!(source.slice(outline.statements[0].span), "\"A b\" -> C :  m n");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces: Vec<&str> =
        "A \" -> < x o [ ] ? : # ( ) ++ ' /' '/ \\ note end as { } é & otus: % << >> ... == \
                             | alt else \u{2028} order 1 , legend ! - group coreg( [*] ( :"
            .split(' ')
            .chain([" ", "\n", "\r\n", "\t", "@startuml\n", "@enduml\n", "participant ", "return "])
            .collect();
    let mut state = 1_u64;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..30 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[usize::try_from(state >> 33).expect("31 bits") % pieces.len()]);
        }
        let source = Source::new("x", text);
        let (outline, diagnostics) = parse(&source);
        let spans = outline.statements.iter().map(|statement| statement.span);
        for span in spans.chain(diagnostics.iter().map(|diagnostic| diagnostic.primary.span)) {
            assert!(source.text().get(span.range()).is_some(), "{:?} {span:?}", source.text());
        }
    }
}

#[test]
fn long_and_deep_texts_take_linear_time() {
    let deep = "group strict\n".repeat(100_000) + &"end\n".repeat(100_000);
    let (outline, _) = parse(&Source::new("x", deep));
    assert_eq!(outline.statements.len(), 200_000);
    let text = write::spell(&outline);
    assert!(text.len() < 100 * 200_000);
    for line in
        ["/'".repeat(100_000), "\"".repeat(100_000), "A -[".repeat(100_000), "[[".repeat(100_000)]
    {
        parse(&Source::new("x", line));
    }
    parse(&Source::new("x", "A\\\n".repeat(100_000)));
    parse(&Source::new("x", "/' a '/".repeat(100_000)));
}

/// An outline over these names.
fn outline(build: impl FnOnce(&mut dyn FnMut(&str) -> Name) -> Vec<StatementKind>) -> Outline {
    let mut names = Names::default();
    let kinds = build(&mut |text| Name { symbol: names.intern(text), span: Span::default() });
    let span = Span::default();
    Outline { names, statements: kinds.into_iter().map(|kind| Statement { span, kind }).collect() }
}

#[test]
fn everything_is_written() {
    let outline = outline(|name| {
        let (a, b, awkward) = (name("a"), name("b c"), name("say \"hi\"\\n"));
        let end = End::Lifeline;
        vec![
            StatementKind::Lifelines(vec![name("z")]),
            StatementKind::Messages(vec![name("unused one")]),
            StatementKind::Participant { name: a, label: Some("Alice \"A\"".to_owned()) },
            StatementKind::Participant { name: b, label: None },
            StatementKind::Participant { name: awkward, label: Some("x".to_owned()) },
            StatementKind::Message { from: end(a), to: end(b), message: name("hello") },
            StatementKind::Message { from: end(b), to: end(awkward), message: name(" a\nb\\n ") },
            StatementKind::Message { from: End::Environment, to: end(a), message: name("in") },
            StatementKind::Message { from: end(b), to: End::Environment, message: name("out") },
            StatementKind::Mark(Mark::Synchronous),
            StatementKind::Message { from: end(name("loop")), to: end(a), message: name("m") },
            StatementKind::Open(Fragment::Alt),
            StatementKind::Empty,
            StatementKind::Next(Separator::Else),
            StatementKind::Open(Fragment::Block(Block::Strict)),
            StatementKind::Open(Fragment::Block(Block::Coreg(vec![a, b]))),
            StatementKind::Close,
            StatementKind::Open(Fragment::Block(Block::Coreg(vec![awkward]))),
            StatementKind::Close,
            StatementKind::Close,
            StatementKind::Close,
            StatementKind::Open(Fragment::Par),
            StatementKind::Next(Separator::And),
            StatementKind::Close,
            StatementKind::Mark(Mark::LoopKind(LoopKind::Strict)),
            StatementKind::Open(Fragment::Loop(Repetition::ANY)),
            StatementKind::Close,
            StatementKind::Mark(Mark::LoopKind(LoopKind::Parallel)),
            StatementKind::Open(Fragment::Loop(Repetition {
                least: 2,
                most: Some(5),
                stated: true,
            })),
            StatementKind::Close,
            StatementKind::Open(Fragment::Block(Block::Loop(LoopKind::Coregion(vec![awkward])))),
            StatementKind::Close,
            StatementKind::Open(Fragment::Loop(Repetition::ANY)),
            StatementKind::Close,
            StatementKind::Open(Fragment::Opt),
            StatementKind::Close,
            StatementKind::Open(Fragment::Break),
            StatementKind::Close,
            StatementKind::Open(Fragment::Frame),
            StatementKind::Close,
        ]
    });
    expect![[r#"
        @startuml
        ' otus: lifeline z
        ' otus: message "unused one"
        participant "Alice <U+0022>A<U+0022>" as a
        participant "b c"
        ' otus: name p1 "say \"hi\"\\n"
        participant "x" as p1
        a -> "b c" : hello
        "b c" -> p1 : <U+0020>a\nb\\n<U+0020>
        [-> a : in
        "b c" ->] : out
        ' otus: synch
        "loop" -> a : m
        alt
          ' otus: empty
        else
          group strict
            group coreg(a, "b c")
            end
            ' otus: coreg("say \"hi\"\\n")
            ' otus: end
          end
        end
        par
        else
        end
        group loopS
        end
        ' otus: loopP
        loop 2..5
        end
        ' otus: loopC("say \"hi\"\\n")
        loop
        end
        loop
        end
        opt
        end
        break
        end
        group
        end
        @enduml
    "#]]
    .assert_eq(&write::spell(&outline));
}

#[test]
fn a_diagram_without_participants_gets_one_outside() {
    let outline = outline(|_| vec![StatementKind::Empty]);
    expect![[r#"
        @startuml
        ' otus: environment outside
        participant outside
        ' otus: empty
        @enduml
    "#]]
    .assert_eq(&write::spell(&outline));
}

/// Statements as the reader gives them back: a marked loop is a block, `and` is `else`.
fn normalized(outline: &Outline) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    let mut statements = outline.statements.iter().map(|statement| &statement.kind).peekable();
    while let Some(kind) = statements.next() {
        let any = StatementKind::Open(Fragment::Loop(Repetition::ANY));
        if let StatementKind::Mark(Mark::LoopKind(kind)) = kind
            && statements.peek() == Some(&&any)
        {
            statements.next();
            let block = Fragment::Block(Block::Loop(kind.clone()));
            shown.push(show(&StatementKind::Open(block), &outline.names));
        } else if matches!(kind, StatementKind::Next(_)) {
            shown.push(String::from("next"));
        } else {
            shown.push(show(kind, &outline.names));
        }
    }
    shown
}

/// Outlines with awkward names, made from a seed.
fn generated(seed: u64) -> Outline {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    let pieces: Vec<&str> =
        "a B é 名 \" ' \\ n / < > U+0041 % $ ( ) [ ] { } # ! @ & * - -- -> : ; , . ? | = ~ \
                             “ « 1 _ x o end note %date() %upper( /' '/ [[ <b> 😀 \u{2028}"
            .split(' ')
            .chain([" ", "\n", "\t", "\r", "\u{a0}"])
            .collect();
    let text = move |random: &mut dyn FnMut(usize) -> usize| {
        let length = 1 + random(4);
        (0..length).map(|_| pieces[random(pieces.len())]).collect::<String>()
    };
    outline(|name| {
        let lifelines: Vec<Name> = (0..4).map(|_| name(&text(&mut random))).collect();
        let mut kinds = Vec::new();
        for &lifeline in &lifelines {
            match random(3) {
                0 => {
                    let label = text(&mut random);
                    kinds.push(StatementKind::Participant { name: lifeline, label: Some(label) });
                }
                1 => kinds.push(StatementKind::Participant { name: lifeline, label: None }),
                _ => {}
            }
        }
        let mut open: Vec<bool> = Vec::new();
        for _ in 0..20 {
            let some = |random: &mut dyn FnMut(usize) -> usize| {
                (0..random(3)).map(|_| lifelines[random(4)]).collect::<Vec<_>>()
            };
            let end = |random: &mut dyn FnMut(usize) -> usize| match random(5) {
                4 => End::Environment,
                index => End::Lifeline(lifelines[index]),
            };
            let kind = match random(14) {
                0 => StatementKind::Open(Fragment::Alt),
                1 => StatementKind::Open(Fragment::Par),
                2 => StatementKind::Open(Fragment::Opt),
                3 => StatementKind::Open(Fragment::Break),
                4 => StatementKind::Open(Fragment::Block(Block::Coreg(some(&mut random)))),
                5 => StatementKind::Open(Fragment::Block(Block::Strict)),
                6 => {
                    let kind = LoopKind::Coregion(some(&mut random));
                    kinds.push(StatementKind::Mark(Mark::LoopKind(kind)));
                    let least = u32::try_from(random(3)).expect("small");
                    let most = [None, Some(least), Some(least + 2)][random(3)];
                    StatementKind::Open(Fragment::Loop(Repetition { least, most, stated: true }))
                }
                7 | 8 if open.pop().is_some() => StatementKind::Close,
                9 if open.last() == Some(&true) => StatementKind::Next(Separator::Else),
                10 => StatementKind::Messages(vec![name(&text(&mut random))]),
                _ => {
                    let (from, to) = (end(&mut random), end(&mut random));
                    let message = name(&text(&mut random));
                    if from == to && from == End::Environment {
                        StatementKind::Empty
                    } else {
                        StatementKind::Message { from, to, message }
                    }
                }
            };
            if let StatementKind::Open(fragment) = &kind {
                open.push(matches!(fragment, Fragment::Alt | Fragment::Par));
            }
            kinds.push(kind);
        }
        kinds.extend(open.iter().map(|_| StatementKind::Close));
        kinds
    })
}

/// With aliases put back, as building does.
fn renamed(outline: &Outline) -> Outline {
    let mut names = outline.names.clone();
    let mut outside = Vec::new();
    let mut aliases = Vec::new();
    let mut kinds = Vec::new();
    for statement in &outline.statements {
        let resolve = |name: Name| {
            aliases
                .iter()
                .find(|(alias, _): &&(Name, Name)| alias.symbol == name.symbol)
                .map_or(name, |(_, name)| *name)
        };
        let end = |end: End| match end {
            End::Lifeline(name) => End::Lifeline(resolve(name)),
            End::Environment => End::Environment,
        };
        match &statement.kind {
            StatementKind::Mark(Mark::Rename { alias, name }) => aliases.push((*alias, *name)),
            StatementKind::Mark(Mark::Environment(name)) => outside.push(name.symbol),
            StatementKind::Participant { name, .. } if outside.contains(&name.symbol) => {}
            StatementKind::Participant { name, label } => kinds
                .push(StatementKind::Participant { name: resolve(*name), label: label.clone() }),
            StatementKind::Message { from, to, message } => kinds.push(StatementKind::Message {
                from: end(*from),
                to: end(*to),
                message: *message,
            }),
            StatementKind::Open(_)
            | StatementKind::Next(_)
            | StatementKind::Close
            | StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => kinds.push(statement.kind.clone()),
        }
    }
    let span = Span::default();
    names.intern("");
    Outline { names, statements: kinds.into_iter().map(|kind| Statement { span, kind }).collect() }
}

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..2000 {
        let outline = generated(seed);
        let text = write::spell(&outline);
        let (read, diagnostics) = parse(&Source::new("x", text.clone()));
        let errors: Vec<_> = diagnostics.iter().filter(|finding| finding.is_error()).collect();
        assert!(errors.is_empty(), "seed {seed}\n{text}\n{errors:?}");
        let expected: Vec<String> = normalized(&outline)
            .into_iter()
            .map(|line| if line.starts_with("participant") { unlabelled(&line) } else { line })
            .collect();
        let found: Vec<String> = normalized(&renamed(&read));
        let found: Vec<String> = found
            .into_iter()
            .map(|line| if line.starts_with("participant") { unlabelled(&line) } else { line })
            .collect();
        assert_eq!(found, expected, "seed {seed}\n{text}");
    }
}

/// A label equal to the name is no label.
fn unlabelled(line: &str) -> String {
    let Some((name, label)) = line.split_once(" label ") else { return line.to_owned() };
    let own = name.strip_prefix("participant ").unwrap_or(name);
    if label == format!("Some({own})") { format!("{name} label None") } else { line.to_owned() }
}

/// Diagrams that we accept; `scripts/check-plantuml.sh` has PlantUML confirm it.
const ACCEPTED: [&str; 52] = [
    "A -> B : m\nB --> A : n\nA ->> B : o\nB -->> A : p",
    "A -\\ B : m\nA -\\\\ B : n\nA -/ B : o\nA --// B : p",
    "A ->x B : m\nA x-> B : n\nA ->o B : o\nA o->o B : p\nA -x B : q",
    "A <- B : m\nA <<-- B : n\nA \\- B : o\nA /-- B : p\nA x<- B : q",
    "A -[#red]> B : m\nA -[#red,dashed]-> B : n\nA <-[#0000FF]- B : o\nA [#red]-> B : p",
    "[-> A : m\n[<- A : n\nA ->] : o\nA <-] : p\n[o-> A : q\nA ->x] : r",
    "?-> A : m\nA ->? : n\n?<- A : o\nA <-? : p\n]-> A : q\nA ->[ : r",
    "\"Bob Smith\" -> A.b@c : m\n[-> \"Bob Smith\" : n",
    "\"Bob Smith\" as B -> A : m\nC as \"Carol\" -> B : n\nA -> \"Dan\" as D : o",
    "A -> B ++ : m\nB -> A -- : n\nA -> B ++ #gold : o\nA -> C ** : p\nA -> C !! : q",
    "A -> B ++ : m\nB -> C --++ : n",
    "A -> B [[http://x]] : m",
    "A -> B : m\\nn \\t \\\\ <U+0041> **b** <b>c</b> [[x]] {{ }} it's 100% /' x",
    "A -> B : a : b -> c; d",
    "A -> \\\nB : hello \\\n  there",
    "participant A\nactor B\nboundary C\ncontrol D\nentity E\ndatabase F\ncollections G\nqueue H",
    "participant A as \"Long\"\nparticipant \"Long\" as B\nparticipant Long as C\nparticipant \"a b\"",
    "participant A order 10 #red\nparticipant B <<x>> order 5\nparticipant C << (C,#ADD1B2) t >> #blue",
    "participant A [[http://x]]\nA -> B : m",
    "create A\nB -> A : m\ncreate actor \"C d\" as C\nB -> C : n\ncreate participant D\nB -> D : o",
    "alt ok\nA -> B : m\nelse not ok\nA -> B : n\nelse\nA -> B : o\nend",
    "opt\nA -> B : m\nend\nloop 10 times\nA -> B : m\nend\nbreak x\nA -> B : m\nend",
    "par\nA -> B : m\nelse\nA -> B : n\nalso\nA -> B : o\nend",
    "critical x\nA -> B : m\nend critical\ngroup\nA -> B : m\nend group",
    "group my own label [second label]\nA -> B : m\nend",
    "alt#Gold #LightBlue x\nA -> B : m\nelse #Pink y\nA -> B : m\nend\nopt #red x\nA -> B : m\nend",
    "ALT x\nA -> B : m\nELSE y\nEND\nParticipant C",
    "participant A\nalt\nelse\nend\nloop\nend\npar\nelse\nend",
    "group strict\nA -> B : m\nend\ngroup coreg(A, \"B c\")\nA -> B : m\nend\ngroup loopC(A)\nend",
    "' otus: strict\n' otus: synch\nA -> B : m\n' otus: end",
    "A -> B ++ : m\nreturn n\nA -> B : o\nreturn p\n[-> A ++ : q\nreturn #red r",
    "autoactivate on\nA -> B : m\nB -> C : n\nreturn o\nreturn p\nautoactivate off",
    "A -> B : m\nactivate B\nB -> A : n\ndeactivate B\ndestroy B",
    "A -> B : m\nactivate B #red\ndeactivate",
    "A -> B : m\nnote left: x\nnote right of A: y\nnote over A, \"B c\": z\nnote across: u",
    "A -> B : m\nhnote over A : x\nrnote over B : y\n/ note over A : z",
    "A -> B : m\nnote left\nx\nend note\nrnote over A\ny\nendrnote\nnote right of A #red\nz\nend note",
    "ref over A,B : text\nref over A\ntext\nend ref\nA -> B : m",
    "A -> B : m\n== part ==\n...\nA -> B : m\n...5 minutes...\nA -> B : m\n|||\n||45||\nA -> B : m",
    "A -> B : m\nnewpage\nA -> B : m\nnewpage title\nA -> B : m\nignore newpage\nautonewpage 10",
    "autonumber\nA -> B : m\nautonumber 10 10 \"<b>[000]\"\nA -> B : m\nautonumber stop\nautonumber resume 10",
    "title x\nheader y\ncenter footer z\ncaption c\nmainframe f\nA -> B : m",
    "title\nx\nend title\nheader\ny\nendheader\nlegend right\nz\nend legend\nA -> B : m",
    "skinparam x y\nskinparam sequence {\n a b\n c {\n d e\n }\n}\nA -> B : m",
    "<style>\na { b }\n</style>\nA -> B : m",
    "hide footbox\nscale 1.5\nskin rose\nfootbox off\nA -> B : m",
    "box \"x\" #red\nparticipant A\nend box\nbox y\nparticipant B\nendbox\nA -> B : m",
    "!pragma teoz true\n{s} A -> B : m\n{e} B -> A : n\n{s} <-> {e} : 5 s",
    "/' one '/ A -> B : m\nA -> B : n /' two '/\n/' three\nx\ny '/\n/' four '/ /' five '/\nA -> B : o",
    "loop -> end : m\nnote -> participant : m\nreturn -> alt : m\nx -> o : m",
    "title -> B : m\nA -> B : n",
    "été -> 名 : m\n1 -> 2 : n\n_ -> a.b : o",
];

#[test]
fn diagrams_of_plantuml_are_accepted() {
    for text in ACCEPTED {
        let (outline, diagnostics) = parse(&Source::new("x", text));
        let errors: Vec<_> = diagnostics.iter().filter(|finding| finding.is_error()).collect();
        assert!(errors.is_empty(), "{text}\n{errors:?}");
        assert!(!outline.statements.is_empty(), "{text}");
    }
}

/// For `scripts/check-diagrams`: writes samples where `OTUS_SAMPLES_OUT` says.
#[test]
fn samples_are_left_for_plantuml() {
    let Some(folder) = std::env::var_os("OTUS_SAMPLES_OUT") else { return };
    let folder = std::path::PathBuf::from(folder);
    for (index, text) in ACCEPTED.iter().enumerate() {
        let text = format!("@startuml\n{text}\n@enduml\n");
        std::fs::write(folder.join(format!("accepted-{index:03}.puml")), text).expect("writable");
    }
    for seed in 0..300 {
        let text = write::spell(&generated(seed));
        std::fs::write(folder.join(format!("written-{seed:03}.puml")), text).expect("writable");
    }
}
