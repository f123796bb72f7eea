//! Tests of guards and binders in Mermaid and PlantUML.

use expect_test::{Expect, expect};
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::{Source, print};

use crate::show;

/// Checks the interaction of a Mermaid diagram, and that writing it in both languages gives the same again.
#[track_caller]
fn mermaid(lines: &str, expected: &Expect) {
    let source = Source::new("x.mmd", format!("sequenceDiagram\n{lines}"));
    let parsed = mermaid::read(&source, source.whole());
    let text = print::interaction(&parsed.tree);
    expected.assert_eq(&format!("{text}{}", show(&source, &parsed.diagnostics)));
    there_and_back(&parsed.tree);
}

/// The same for PlantUML.
#[track_caller]
fn plantuml(lines: &str, expected: &Expect) {
    let source = Source::new("x.puml", format!("@startuml\n{lines}\n@enduml\n"));
    let parsed = plantuml::read(&source, source.whole());
    let text = print::interaction(&parsed.tree);
    expected.assert_eq(&format!("{text}{}", show(&source, &parsed.diagnostics)));
    there_and_back(&parsed.tree);
}

#[track_caller]
fn there_and_back(tree: &otus_syntax::ast::SpecFile) {
    let text = print::interaction(tree);
    let written = mermaid::write(tree);
    let source = Source::new("x.mmd", written.clone());
    assert_eq!(print::interaction(&mermaid::read(&source, source.whole()).tree), text, "{written}");
    let written = plantuml::write(tree);
    let source = Source::new("x.puml", written.clone());
    assert_eq!(
        print::interaction(&plantuml::read(&source, source.whole()).tree),
        text,
        "{written}"
    );
}

#[test]
fn brackets_are_guards_with_the_directive_only() {
    let line = "A->>B: PUBLISH [mid = 7, A.qos = 2]";
    mermaid(
        &format!("%% otus: values\n{line}"),
        &expect![[r#"
        A -- PUBLISH[mid = 7, A.qos = 2] -> B
    "#]],
    );
    mermaid(
        line,
        &expect![[r#"
        A -- "PUBLISH [mid = 7, A.qos = 2]" -> B
        note[O0620] 2:16 `[mid = 7, A.qos = 2]` these brackets look like a guard, but are part of the name
          help: add the directive `otus: values` in a comment to have guards checked
    "#]],
    );
    mermaid(
        "A->>B: m [x]\nA->>B: n [0]",
        &expect![[r#"
        seq(A -- "m [x]" -> B, A -- "n [0]" -> B)
    "#]],
    );
    plantuml(
        "' otus: values\nA -> B : PUBLISH [mid = 7, A.qos = 2]",
        &expect![[r#"
        A -- PUBLISH[mid = 7, A.qos = 2] -> B
    "#]],
    );
    plantuml(
        "A -> B : PUBLISH [mid = 7]\nB --> A : PUBACK [mid = 7]",
        &expect![[r#"
        seq(A -- "PUBLISH [mid = 7]" -> B, B -- "PUBACK [mid = 7]" -> A)
        note[O0620] 2:18 `[mid = 7]` these brackets look like a guard, but are part of the name (2 places)
          help: add the directive `otus: values` in a comment to have guards checked
    "#]],
    );
}

#[test]
fn binders_are_directives() {
    let lines = "%% otus: values\n%% otus: loopP(fresh m)\nloop\n%% otus: new s, t\nA->>B: a [mid = m, A at s, B at t]\nB->>A: b [A within 2s of s]\n%% otus: end\nend";
    mermaid(
        lines,
        &expect![[r#"
        loopP(fresh m)(
          new(s, t)(
            seq(A -- a[mid = m, A at s, B at t] -> B, B -- b[A within 2s of s] -> A)
          )
        )
    "#]],
    );
    mermaid(
        "%% otus: values\n%% otus: loopC(A, B; fresh x)\nloop any\nA->>B: a [k = x]\nend",
        &expect![[r#"
        loopC(A, B; fresh x)(A -- a[k = x] -> B)
        note[O0607] 4:1 `loop any` how often this loop repeats is free text: read as any number of times
          help: write `loop 0..*`, `loop 1..*`, `loop 3 times` or `loop 2..5`
    "#]],
    );
    mermaid(
        "%% otus: values\n%% otus: loopW(fresh x)\nloop 3 times\nA->>B: a [k = x]\nend",
        &expect![[r#"
        seq(A -- a[k = x] -> B, A -- a[k = x] -> B, A -- a[k = x] -> B)
        error[O0605] 4:1 `loop 3 times` the iterations of this loop are written out, so `fresh` has no meaning here
          help: repeat it any number of times (`loop 0..*`), and leave it with no `break`
    "#]],
    );
    mermaid(
        "%% otus: new 1\nA->>B: a\n%% otus: end\n%% otus: newx y",
        &expect![[r#"
        seq(A -- a -> B, new(y)(o))
        error[O0204] 2:14 `1` `1` cannot be the name of a variable
          help: its name has letters, digits and `_` only, begins with a letter, and is neither `true` nor `false`
        error[O0603] 4:1 `%% otus: end` this `otus: end` closes nothing: no `otus:` block is open here
          help: remove it, or open a block above (`%% otus: strict`, …); `alt`, `loop` and other fragments close with a plain `end`
        error[O0604] 5:1 `%% otus: newx y` this fragment is never closed
          help: write `end` after its last line (`otus: end` for an `otus:` block)
        error[O0609] 5:10 `newx` there is no directive `newx`
          help: did you mean `new`?
    "#]],
    );
    plantuml(
        "' otus: values\n' otus: loopP(fresh m)\nloop\n' otus: new(s)\nA -> B : a [mid = m, A at s]\nB -> A : b [A within 2s of s]\n' otus: end\nend",
        &expect![[r#"
        loopP(fresh m)(
          new(s)(seq(A -- a[mid = m, A at s] -> B, B -- b[A within 2s of s] -> A))
        )
    "#]],
    );
    plantuml(
        "' otus: values\ngroup loopP(fresh m)\nA -> B : a [mid = 1]\nend",
        &expect![[r#"
        A -- a[mid = 1] -> B
        note[O0606] 3:7 `loopP(fresh m)` this group is only a frame around its lines: `loopP(fresh m)` is free text
          help: write `' otus: loopP(fresh m)` above a `loop`
    "#]],
    );
}

#[test]
fn guards_of_all_kinds_of_arrows() {
    mermaid(
        "%% otus: values\nA->>A: local [k = 1]\nA-xB: lost [k = 2]\nA<<->>B: both [A.k = 3]\n%% otus: synch\nA->>B: s [=k]",
        &expect![[r#"
        seq(
          A -- local[k = 1] ->|,
          A -- lost[k = 2] ->|,
          par(A -- both[A.k = 3] -> B, B -- both[A.k = 3] -> A),
          A -- <synch> s[=k] -> B
        )
        note[O0617] 4:2 `-x` arrows with a cross are lost messages: sent, never received
          help: write an arrow without a cross if the message is received
        note[O0617] 5:2 `<<->>` arrows in both directions are two messages, one each way, in either order
          help: write two arrows if one message comes first
    "#]],
    );
    mermaid(
        "%% otus: values\n%% otus: environment E\nE->>B: in [B.k = 1]\nA->>E: out [E.k = 1]",
        &expect![[r#"
        seq(in[B.k = 1] -> B, A -- out ->|)
        error[O0610] 5:13 `E.k = 1` the environment has no events to which this could apply
          help: name the lifeline at the other end, or leave the name out
    "#]],
    );
    mermaid(
        "%% otus: values\n%% otus: broadcast\nA->>B: m [k = 1, =id, B.l = 2]\nA->>C: m [k = 1, =id, n = 3]\n%% otus: end",
        &expect![[r#"
            A -- m[k = 1, =id, B.l = 2, A.n = 3, C.n = 3] -> (B, C)
        "#]],
    );
    mermaid(
        "%% otus: values\n%% otus: name x1 \"user service\"\nparticipant x1 as user\nx1->>B: m [x1.k = 1, \"user service\".l = 2]\nA->>B: [k = 1]",
        &expect![[r#"
            seq(
              "user service" -- m["user service".k = 1, "user service".l = 2] -> B,
              A -- unnamed[k = 1] -> B
            )
            note[O0617] 6:1 `A->>B: [k = 1]` arrows without a text are messages named `unnamed`
              help: write the message after a colon, as logs name it
        "#]],
    );
    mermaid(
        "%% otus: values\nA->>B: m [topic ~ \"a/*\", text = \"x#59;y #93; ]\"] \nA->>B: n #91;k = 1#93;",
        &expect![[r#"
            seq(A -- m[topic ~ "a/*", text = "x;y ] ]"] -> B, A -- "n [k = 1]" -> B)
        "#]],
    );
    plantuml(
        "' otus: values\nA -> B & C : m [k = 1]\nactivate B\nreturn ok [k = 2]\nA ->] : out [k = \"\\\\n\"]",
        &expect![[r#"
            seq(A -- m[k = 1] -> (B, C), B -- ok[k = 2] -> A, A -- out[k = "\n"] ->|)
            note[O0617] 3:1 `A -> B & C : m [k = 1]` arrows to several targets are broadcasts
            note[O0606] 4:1 `activate B` activation bars are kept in the picture only
        "#]],
    );
}

#[test]
fn faults_in_labels_have_places() {
    mermaid(
        "%% otus: values\nA->>B: m [k = 'x']\nA->>B: m [A within 2 of s]\nA->>B: GET [200]",
        &expect![[r#"
        seq(A -- m -> B, A -- m -> B, A -- GET -> B)
        error[O0201] 3:15 `'` a text stands in `"`, not in `'`
          help: write "text"
        error[O0219] 4:20 `2` `2` is not a duration
          help: write a number and one of the units d, h, min, s, ms, us, ns: 2s, 150ms; the largest is about 292 years, the smallest 1ns
        error[O0216] 5:13 `200` `200` is a number, not a name
          help: to use it as a name, quote it everywhere: "200"
          fix: `200` → `"200"`
        error[O0204] 5:16 `]` expected a relation after the field, found `]`
          help: write `f = v`, `!=`, `<`, `<=`, `>`, `>=`, `f in {v, w}` or `f ~ "a*"`
    "#]],
    );
    plantuml(
        "' otus: values\nA -> B : m [k >]",
        &expect![[r#"
        A -- m -> B
        error[O0204] 3:16 `]` expected a value, found `]`
          help: a value is a number, a "text", true, false, or a variable
    "#]],
    );
}

#[test]
fn anchors_of_plantuml_are_durations() {
    plantuml(
        "' otus: values\n{s} A -> B : req\n{e} B -> A : rep\n{s} <-> {e} : within 2s",
        &expect![[r#"
        new(s)(seq(A -- req[A at s] -> B, B -- rep[A within 2s of s] -> A))
    "#]],
    );
    plantuml(
        "' otus: values\n{s} A -> B : req [k = 1]\nB -> C : x\n{e} B -> A : rep\nC -> B : y\n{s} <-> {e} : within 2s on B\n{s} <-> {e} : at least 1ms on B",
        &expect![[r#"
            seq(
              new(s)(
                seq(
                  A -- req[k = 1, B at s] -> B,
                  B -- x -> C,
                  B -- rep[B within 2s of s, B at least 1ms after s] -> A
                )
              ),
              C -- y -> B
            )
        "#]],
    );
    plantuml(
        "' otus: values\nloop\n{s} A -> B : req\nalt x\n{e} B -> C : rep\nelse\nB -> A : no\nend\nend\n{s} <-> {e} : within 2s",
        &expect![[r#"
        loopW(
          new(s)(
            seq(
              A -- req[B at s] -> B,
              alt(B -- rep[B within 2s of s] -> C, B -- no -> A)
            )
          )
        )
        note[O0606] 5:1 `alt x` guards are kept in the picture only
          help: a condition is not checked: any operand can happen
    "#]],
    );
    plantuml(
        "' otus: values\n{s} A -> B : a\n{t} A -> B : b\n{u} A -> B : c\n{v} A -> B : d\n{s} <-> {u} : within 1s\n{t} <-> {v} : within 2s",
        &expect![[r#"
        new(s, t)(
          seq(
            A -- a[A at s] -> B,
            A -- b[A at t] -> B,
            A -- c[A within 1s of s] -> B,
            A -- d[A within 2s of t] -> B
          )
        )
    "#]],
    );
    plantuml(
        "{s} A -> B : req\n{e} B -> A : rep\n{s} <-> {e} : within 2s",
        &expect![[r#"
        seq(A -- req -> B, B -- rep -> A)
        note[O0606] 2:1 `{s} A -> B : req` anchors and durations are kept in the picture only (3 places)
    "#]],
    );
    plantuml(
        "' otus: values\n{s} A -> B : req\n{e} C -> D : rep\n{s} <-> {e} : within 2s\n{s} <-> {x} : within 2s\n{e} <-> {s} : within 2s\n{s} <-> {e} : 2s\n{s} <-> {e} : within 2",
        &expect![[r#"
        seq(A -- req -> B, C -- rep -> D)
        error[O0219] 5:1 `{s} <-> {e} : within 2s` no lifeline of both messages measures this duration
          help: name a lifeline of both messages: `within 2s on B`; across two lifelines, write guards: `[A at s]` and `[B within 2s of s]`
        error[O0219] 6:1 `{s} <-> {x} : within 2s` no arrow has the anchor `x`
          help: write `{s} A -> B : m` for anchor s
        error[O0219] 7:1 `{e} <-> {s} : within 2s` the second anchor does not come after the first
          help: exchange them
        error[O0219] 8:1 `{s} <-> {e} : 2s` `2s` is no bound of a duration
          help: write `within 2s` or `at least 2s`, perhaps with `on B` behind it
        error[O0219] 9:1 `{s} <-> {e} : within 2` `2` is not a duration
          help: write a number and one of the units d, h, min, s, ms, us, ns: 2s, 150ms; the largest is about 292 years, the smallest 1ns
    "#]],
    );
    plantuml(
        "' otus: values\nalt a\n{s} A -> B : req\nelse b\n{e} B -> A : rep\nend\n{s} <-> {e} : within 2s",
        &expect![[r#"
        alt(A -- req -> B, B -- rep -> A)
        note[O0606] 3:1 `alt a` guards are kept in the picture only (2 places)
          help: a condition is not checked: any operand can happen
        error[O0219] 8:1 `{s} <-> {e} : within 2s` a `break` or an operand ends between the two messages
          help: write the guards and `otus: new` by hand, or move the `break` out
    "#]],
    );
}
