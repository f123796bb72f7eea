//! Tests of skipped parts: decorations, comments and constructs of several lines.

use expect_test::expect;

use super::check;

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
            otus: lifeline A
            "A" ->x "B" : "m"
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
            note O0617 "A ->x B ++ : m" arrows with a cross are lost messages: sent, never received; write an arrow without a cross if the message is received
            note O0606 "A -> B ** : n" creations of participants are kept in the picture only
            note O0606 "{s} A -> B !! : o" anchors and durations are kept in the picture only (2 places)
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
