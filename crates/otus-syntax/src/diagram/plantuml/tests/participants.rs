//! Tests of participant declarations.

use expect_test::expect;

use super::check;

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
