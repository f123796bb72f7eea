//! Tests of arrows.

use expect_test::expect;

use super::{check, parse};
use crate::diagram::statement::{Message, StatementKind};
use crate::source::Source;

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
fn an_arrow_without_a_text_is_unnamed() {
    check(
        "A -> B\nA -> B :\nA -> B : \nA -> C : ok",
        &expect![[r#"
            "A" -> "B" : "unnamed"
            "A" -> "B" : "unnamed"
            "A" -> "B" : "unnamed"
            "A" -> "C" : "ok"
            note O0617 "A -> B" arrows without a text are messages named `unnamed` (3 places); write the message after a colon, as logs name it
        "#]],
    );
}

#[test]
fn labels_mean_what_the_picture_shows() {
    check(
        "A -> B : a\\nb <U+0041> C:\\dir \\\\n\n\"a\\nb\" -> B : **x**",
        &expect![[r#"
            "A" -> "B" : "a b A C:\\dir \\n"
            "a b" -> "B" : "**x**"
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
fn spans_are_exact() {
    let source = Source::new("x", "@startuml\n  \"A b\" -> C :  m n  \n@enduml");
    let (outline, _) = parse(&source);
    let StatementKind::Message(Message { from: Some(from), message, .. }) =
        outline.statements[0].kind
    else {
        panic!("a message")
    };
    assert_eq!(source.slice(from.span), "\"A b\"");
    assert_eq!(source.slice(message.span), "m n");
    assert_eq!(source.slice(outline.statements[0].span), "\"A b\" -> C :  m n");
}
