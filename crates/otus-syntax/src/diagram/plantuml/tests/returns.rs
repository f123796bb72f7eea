//! Tests of the calls that `return` answers.

use expect_test::expect;

use super::check;

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
            otus: lifeline B
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
            "B" -> "A" : "unnamed"
            note O0606 "A -> B ++ : m" activation bars are kept in the picture only
            note O0617 "return" arrows without a text are messages named `unnamed`; write the message after a colon, as logs name it
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
            "B" -> "A" : "y"
            close
            note O0606 "A -> B ++ : m" activation bars are kept in the picture only
            warning O0615 "return" the call of this `return` was answered in another operand; PlantUML draws it as `A --> B`; it is read as `B --> A : y`; write that arrow, or the one you mean
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
