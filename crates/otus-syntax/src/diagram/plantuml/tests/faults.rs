//! Tests of errors and their messages.

use expect_test::expect;

use super::{check, parse};
use crate::source::Source;

#[test]
fn constructs_with_a_meaning_by_convention() {
    check(
        "A <-> B : m\nA <<-->> B : m\nA x- B : m\n& A -> B : m\nA -> B & C : m\nA -- B : m
A ->x B : m\nA x-> B : m\nA x<-> B : m\nA <-> A : m\nA -[hidden]> D\n& note left: x
!include x.puml\n!define X y\n!$x = 1\n!theme plain\n!pragma teoz true",
        &expect![[r#"
            "A" <-> "B" : "m"
            "A" <-> "B" : "m"
            "B" ->x "A" : "m"
            beside
            "A" -> "B" : "m"
            open block broadcast
            "A" -> "B" : "m"
            "A" -> "C" : "m"
            close
            "A" ->x "B" : "m"
            "A" -> "B" : "m"
            "A" -> "B" : "m"
            beside
            "B" ->x "A" : "m"
            "A" <-> "A" : "m"
            otus: lifeline A, D
            note O0617 "A <-> B : m" arrows in both directions are two messages, one each way, in either order (3 places); write two arrows if one message comes first
            note O0617 "A x- B : m" arrows with a cross are lost messages: sent, never received (2 places); write an arrow without a cross if the message is received
            note O0617 "&" lines that begin with `&` happen in parallel with the line before
            note O0617 "A -> B & C : m" arrows to several targets are broadcasts
            error O0602 "--" this line between participants has no arrow head; write `->` for a message, `-->` for a reply
            note O0606 "A x-> B : m" crosses at the sender's end of an arrow are kept in the picture only; the message arrives; one that is lost is written `A ->x B : m`
            note O0606 "A -[hidden]> D" hidden arrows are kept in the picture only
            note O0606 "note left: x" notes are kept in the picture only
            warning O0618 "!include x.puml" `x.puml` is not read, so what it defines is missing; give Otus the file, not only its text
            note O0606 "!theme plain" pragmas and themes are kept in the picture only (2 places)
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
