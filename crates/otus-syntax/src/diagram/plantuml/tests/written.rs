//! Tests of the writer.

use expect_test::expect;

use super::outline;
use crate::ast::{LoopKind, Operator};
use crate::diagram::plantuml::write;
use crate::diagram::statement::{Fragment, Mark, Message, Repetition, Separator, StatementKind};

#[test]
fn everything_is_written() {
    let outline = outline(|name| {
        let (a, b, awkward) = (name("a"), name("b c"), name("say \"hi\"\\n"));
        let end = Some;
        vec![
            StatementKind::Lifelines(vec![name("z")]),
            StatementKind::Messages(vec![name("unused one")]),
            StatementKind::Participant { name: a, label: Some("Alice \"A\"".to_owned()) },
            StatementKind::Participant { name: b, label: None },
            StatementKind::Participant { name: awkward, label: Some("x".to_owned()) },
            StatementKind::Message(Message::new(end(a), end(b), name("hello"))),
            StatementKind::Message(Message::new(end(b), end(awkward), name(" a\nb\\n "))),
            StatementKind::Message(Message::new(None, end(a), name("in"))),
            StatementKind::Message(Message::new(end(b), None, name("out"))),
            StatementKind::Mark(Mark::Synchronous),
            StatementKind::Message(Message::new(end(name("loop")), end(a), name("m"))),
            StatementKind::Open(Fragment::Alt),
            StatementKind::Empty,
            StatementKind::Next(Separator::Else),
            StatementKind::Open(Fragment::Block(Operator::Strict)),
            StatementKind::Open(Fragment::Block(Operator::Coreg(vec![a, b]))),
            StatementKind::Close,
            StatementKind::Open(Fragment::Block(Operator::Coreg(vec![awkward]))),
            StatementKind::Close,
            StatementKind::Close,
            StatementKind::Close,
            StatementKind::Open(Fragment::Par),
            StatementKind::Next(Separator::And),
            StatementKind::Close,
            StatementKind::Mark(Mark::LoopKind(LoopKind::Strict, Vec::new())),
            StatementKind::Open(Fragment::Loop(Repetition::ANY)),
            StatementKind::Close,
            StatementKind::Mark(Mark::LoopKind(LoopKind::Parallel, Vec::new())),
            StatementKind::Open(Fragment::Loop(Repetition {
                least: 2,
                most: Some(5),
                stated: true,
            })),
            StatementKind::Close,
            StatementKind::Open(Fragment::Block(Operator::Loop(LoopKind::Coregion(vec![awkward])))),
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
        "b c" -> p1 : <U+0020>a<U+000A>b\\n<U+0020>
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
    .assert_eq(&write::spell(&outline).text);
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
    .assert_eq(&write::spell(&outline).text);
}
