//! Tests of signatures and interactions.

use expect_test::{Expect, expect};
use otus_syntax::{Source, parse_spec, print};

use crate::show;

/// Checks the canonical form of a well-formed text, which is a fixed point.
#[track_caller]
fn check(text: &str, canonical: &str) {
    let source = Source::new("x", text);
    let parsed = parse_spec(&source);
    assert_eq!(show(&source, &parsed.diagnostics), "");
    let printed = print::spec(&parsed.tree);
    assert_eq!(printed.trim_end(), canonical.trim_end());
    let again = Source::new("x", printed.clone());
    assert_eq!(print::spec(&parse_spec(&again).tree), printed, "printing is a fixed point");
}

/// Checks the diagnostics of a faulty text.
#[track_caller]
fn fault(text: &str, expected: &Expect) {
    let source = Source::new("x", text);
    let parsed = parse_spec(&source);
    expected.assert_eq(&show(&source, &parsed.diagnostics));
    let printed = print::spec(&parsed.tree);
    let again = print::spec(&parse_spec(&Source::new("x", printed.clone())).tree);
    assert_eq!(again, printed, "what is kept of a faulty text prints to a fixed point");
}

#[test]
fn building_blocks() {
    check("o", "o");
    check("∅", "o");
    check("a--m->b", "a -- m -> b");
    check("a -- m -> |", "a -- m ->|");
    check("m->a", "m -> a");
    check("a -- m -> (b,c)", "a -- m -> (b, c)");
    check("m -> (b,c)", "m -> (b, c)");
    check("a -- <synch>m -> b", "a -- <synch> m -> b");
    check("a -- < asynch > m -> b", "a -- m -> b");
    check("<synch> m -> b", "<synch> m -> b");
    check("a!m", "a -- m ->|");
    check("a?m", "m -> a");
}

#[test]
fn operators_in_both_spellings() {
    check("strict(o,o,o)", "strict(o, o, o)");
    check("loop_strict(o)", "loopS(o)");
    check("loop_seq(o)", "loopW(o)");
    check("loop_par(o)", "loopP(o)");
    check("loopH(o)", "loopH(o)");
    check("loopC(l1,l2)(o)", "loopC(l1, l2)(o)");
    check("coreg(l2)(o,o)", "coreg(l2)(o, o)");
    check("coreg()(o,o)", "coreg()(o, o)");
    check("alt(par(o, o), seq(o))", "alt(par(o, o), seq(o))");
    check("seq(o, o,)", "seq(o, o)");
}

#[test]
fn keywords_are_names_where_an_arrow_follows() {
    check("o -- o -> o", "o -- o -> o");
    check("seq -- alt -> loopW", "seq -- alt -> loopW");
    check("par -> strict", "par -> strict");
    check("seq(o!m, o?m, o)", "seq(o -- m ->|, m -> o, o)");
}

#[test]
fn names_of_any_text_are_quoted() {
    check(
        r#""user service" -- "a \"b\" \\ c\n" -> "1""#,
        r#""user service" -- "a \"b\" \\ c\n" -> "1""#,
    );
    check(r#""plain" -- m -> b"#, "plain -- m -> b");
    check("été -- 2nd -> _", "été -- 2nd -> _");
}

#[test]
fn files_may_have_any_of_their_parts() {
    check("", "");
    check("@message{m1;m2;}", "@message{ m1; m2 }");
    check("@lifeline{}", "@lifeline{}");
    check(
        "@lifeline{a;b}\n@message{m}\n@explore_option{strategy=BFS}\na -- m -> b",
        "@lifeline{ a; b }\n@message{ m }\n@explore_option{\n  strategy = BFS\n}\na -- m -> b",
    );
    check("o @message{m}", "o\n@message{ m }");
    check("\u{feff}o", "o");
}

#[test]
fn long_lines_are_broken_and_short_ones_are_not() {
    check(
        "seq(alpha -- message_number_one -> beta, alt(beta -- message_number_two -> alpha, o))",
        "seq(\n  alpha -- message_number_one -> beta,\n  alt(beta -- message_number_two -> alpha, o)\n)",
    );
    let many: Vec<String> = (0..40).map(|i| format!("m{i}")).collect();
    check(
        &format!("@message{{{}}}", many.join(";")),
        "@message{\n  \
         m0; m1; m2; m3; m4; m5; m6; m7; m8; m9; m10; m11; m12; m13; m14; m15; m16;\n  \
         m17; m18; m19; m20; m21; m22; m23; m24; m25; m26; m27; m28; m29; m30; m31;\n  \
         m32; m33; m34; m35; m36; m37; m38; m39\n}",
    );
}

#[test]
fn comments_stay_where_they_were() {
    check(
        "/* head */\n@message{ m /* the only one */ }\nseq( // begins\n  // first\n  a!m, /* one */\n  a?m /* two */\n  // last\n) /* tail */",
        "/* head */\n@message{\n  m /* the only one */\n}\nseq( // begins\n  // first\n  a -- m ->|, /* one */\n  m -> a /* two */\n  // last\n) /* tail */",
    );
    check("a -- /* inside */ m -> b", "a -- m -> b /* inside */");
    check("seq(a!m, b /* x */ !m)", "seq(\n  a -- m ->|,\n  b -- m ->| /* x */\n)");
    check(
        "@analyze_option{ strategy = DFS; // depth\n /* goal next */ goal = Pass }",
        "@analyze_option{\n  strategy = DFS; // depth\n  /* goal next */\n  goal = Pass\n}",
    );
    check("// only a comment", "// only a comment");
    check("/* two */ /* on a line */ o", "/* two */\n/* on a line */\no");
}

#[test]
fn a_fault_is_told_once_and_not_by_what_follows_from_it() {
    fault(
        "seq(a -- m -> b; b -- n -> a)",
        &expect![[r#"
        error[O0204] 1:16 `;` operands are separated by `,`, not `;`
          help: write `,`
          fix: `;` → `,`
    "#]],
    );
    fault(
        "seq((a -- m -> b), b -- n -> a)",
        &expect![[r#"
        error[O0204] 1:5 `(` expected an interaction without parentheses around it, found `(`
          help: leave them out, or write an operator before them: seq(…)
    "#]],
    );
    fault(
        "seq a -- m -> b",
        &expect![[r#"
        error[O0204] 1:5 `a` expected `--`, `->`, `!` or `?` after this name, found `a`
          help: if `seq` is the operator, its operands stand in parentheses: seq(…)
    "#]],
    );
    fault(
        "a - m -> b",
        &expect![[r#"
        error[O0204] 1:3 `-` expected `--`, `->`, `!` or `?` after this name, found `-`
          help: an arrow has two dashes before its message: `a -- m -> b`
    "#]],
    );
    fault(
        "coreg[a](a!m, a!n)",
        &expect![[r#"
        error[O0204] 1:6 `[` expected `--`, `->`, `!` or `?` after this name, found `[`
          help: lifelines and operands stand in parentheses: coreg(l1, l2)(…)
    "#]],
    );
    fault(
        "message{ m }",
        &expect![[r#"
        error[O0204] 1:8 `{` expected `--`, `->`, `!` or `?` after this name, found `{`
          help: a section begins with `@`: `@message{…}`
    "#]],
    );
    fault(
        "goal = Pass",
        &expect![[r#"
        error[O0204] 1:6 `=` expected `--`, `->`, `!` or `?` after this name, found `=`
          help: options stand in a section: `@analyze_option{…}` or `@explore_option{…}`
    "#]],
    );
    fault(
        "sequence(a!m)",
        &expect![[r#"
        error[O0208] 1:1 `sequence` there is no operator `sequence`
          help: the operators are strict, seq, par, alt, coreg, loopS, loopW, loopP, loopC, new
    "#]],
    );
    fault(
        "seq(a!m, /* open )",
        &expect![[r#"
        error[O0202] 1:10 `/*` this comment never ends
          help: end it with `*/`
    "#]],
    );
    fault(
        "seq(\"open -- m -> b,\n a!m)",
        &expect![[r#"
            error[O0203] 1:5 `"open` this quoted name has no closing quote on its line
              help: close it with `"`; inside, write `\"` for a quote
        "#]],
    );
    fault(
        "user-service -- m -> user",
        &expect![[r#"
        error[O0216] 1:1 `user-service` the name `user-service` must be quoted
          help: only letters, digits and `_` stand without quotes: write "user-service" everywhere
          fix: `user-service` → `"user-service"`
    "#]],
    );
    fault(
        "seq('x y' -- m -> b, $)",
        &expect![[r#"
        error[O0201] 1:5 `'` `'` does not belong here; expected an interaction
          help: names are quoted with `"`
        error[O0201] 1:22 `$` `$` does not belong here; expected an interaction
          help: a name with anything but letters, digits and `_` in it is quoted
    "#]],
    );
}

#[test]
fn faults_in_interactions() {
    fault(
        "seq(a -- m -> b",
        &expect![[r#"
        error[O0205] 1:4 `(` this `(` is never closed
          1:16 `)` expected, the end of the text found
          help: add the missing `)`
    "#]],
    );
    fault(
        "seq(a -- m -> b))",
        &expect![[r#"
        error[O0206] 1:17 `)` this stands after the end of the interaction
          help: a file has one interaction: combine parts with seq(…, …), and check the brackets above
    "#]],
    );
    fault(
        "seq(a -- m -> b c -- m -> d)",
        &expect![[r#"
        error[O0204] 1:17 `c` `,` is missing before `c`
          help: separate operands by `,`
          fix: `` → `,`
    "#]],
    );
    fault(
        "seq()",
        &expect![[r#"
        error[O0207] 1:1 `seq()` this operator has no operands
          help: the empty interaction is written `o`
    "#]],
    );
    fault(
        "loopW(a!m, b!m)",
        &expect![[r#"
        error[O0211] 1:1 `loopW` a loop has one operand, this one has 2
          help: put them in sequence: loopW(seq(…, …))
    "#]],
    );
    fault(
        "sqe(a!m, b!m)",
        &expect![[r#"
        error[O0208] 1:1 `sqe` there is no operator `sqe`
          help: did you mean `seq`?
          fix: `sqe` → `seq`
    "#]],
    );
    fault(
        "loop(a!m)",
        &expect![[r#"
            error[O0208] 1:1 `loop` a loop must say how its iterations follow each other
              help: write loopS (strictly), loopW (weakly, as in diagrams), loopP (in parallel) or loopC(l1, l2) (concurrently on l1 and l2)
        "#]],
    );
    fault(
        "opt(a!m)",
        &expect![[r#"
        error[O0208] 1:1 `opt` there is no operator `opt`
          help: write alt(…, o): the second alternative is the empty interaction
    "#]],
    );
    fault(
        "sync{a!m,b!m}(o, and(o,o))",
        &expect![[r#"
        error[O0213] 1:1 `sync` Otus does not have the operator `sync`
          help: it is of later versions of hibou and not of the papers; for a rendez-vous write `a -- <synch> m -> b`
        error[O0213] 1:18 `and` Otus does not have the operator `and`
          help: it is of later versions of hibou and not of the papers; for a rendez-vous write `a -- <synch> m -> b`
    "#]],
    );
    fault(
        "coreg(a -- m -> b, o)",
        &expect![[r#"
        error[O0212] 1:1 `coreg` `coreg` needs its concurrent lifelines before its operands
          help: write coreg(l1, l2)(…, …), or coreg()(…, …) for none
    "#]],
    );
    fault(
        "a -- -> b",
        &expect![[r#"
        error[O0204] 1:6 `->` expected a message between `--` and `->`, found `->`
    "#]],
    );
    fault(
        "a -- m b",
        &expect![[r#"
            error[O0204] 1:8 `b` expected `->` and the receiver of the message, found `b`
              help: write `a -- m -> b`, or `a -- m ->|` if no lifeline receives it
        "#]],
    );
    fault(
        "a -- m ->",
        &expect![[r#"
        error[O0204] 1:10 `` expected a lifeline, `(…)` or `|` after `->`, found the end of the text
    "#]],
    );
    fault(
        "a -- m -> ()",
        &expect![[r#"
        error[O0207] 1:11 `()` this broadcast has no receivers
          help: list them: -> (b, c), or write ->| to send to the environment
    "#]],
    );
    fault(
        "m -> |",
        &expect![[r#"
        error[O0204] 1:1 `m -> |` no lifeline sends or receives `m` here
          help: write `a -- m ->|` if lifeline a emits it, or `m -> a` if a receives it
    "#]],
    );
    fault(
        "a -- <sync> m -> b",
        &expect![[r#"
        error[O0204] 1:7 `sync` expected `synch` or `asynch` between `<` and `>`
          help: did you mean `synch`?
          fix: `sync` → `synch`
    "#]],
    );
    fault(
        "user-service -- log-in -> db",
        &expect![[r#"
        error[O0216] 1:1 `user-service` the name `user-service` must be quoted
          help: only letters, digits and `_` stand without quotes: write "user-service" everywhere
          fix: `user-service` → `"user-service"`
        error[O0216] 1:17 `log-in` the name `log-in` must be quoted
          help: only letters, digits and `_` stand without quotes: write "log-in" everywhere
          fix: `log-in` → `"log-in"`
    "#]],
    );
    fault(
        "a -- 1 -> b",
        &expect![[r#"
            error[O0216] 1:6 `1` `1` is a number, not a name
              help: to use it as a name, quote it everywhere: "1"
              fix: `1` → `"1"`
        "#]],
    );
    fault(
        "\"open -- m -> b",
        &expect![[r#"
            error[O0203] 1:1 `"open` this quoted name has no closing quote on its line
              help: close it with `"`; inside, write `\"` for a quote
        "#]],
    );
    fault(
        "\"\" -- m -> b",
        &expect![[r#"
        error[O0218] 1:1 `""` a lifeline or a message has an empty name
          help: put at least one character between the quotes
    "#]],
    );
    fault(
        "seq(a!m, $, b!m)",
        &expect![[r#"
            error[O0201] 1:10 `$` `$` does not belong here; expected an interaction
              help: a name with anything but letters, digits and `_` in it is quoted
        "#]],
    );
    fault(
        "seq(a!m, 'b'!m)",
        &expect![[r#"
            error[O0201] 1:10 `'` `'` does not belong here; expected an interaction
              help: names are quoted with `"`
        "#]],
    );
    fault(
        "/* open",
        &expect![[r#"
        error[O0202] 1:1 `/*` this comment never ends
          help: end it with `*/`
    "#]],
    );
    fault(
        "a",
        &expect![[r#"
            error[O0204] 1:2 `` expected `--`, `->`, `!` or `?` after this name, found the end of the text
              help: write `a -- m -> b`, `a -- m ->|` or `m -> b`
        "#]],
    );
    fault(
        ")",
        &expect![[r#"
            error[O0204] 1:1 `)` expected an interaction, found `)`
        "#]],
    );
    fault(
        "o o",
        &expect![[r#"
        error[O0206] 1:3 `o` this stands after the end of the interaction
          help: a file has one interaction: combine parts with seq(…, …), and check the brackets above
    "#]],
    );
}

#[test]
fn faults_in_signatures() {
    fault(
        "@mesage{m} @lifelines{a;b}",
        &expect![[r#"
        error[O0209] 1:1 `@mesage` there is no section `@mesage`
          help: did you mean `@message`?
          fix: `@mesage` → `@message`
        error[O0209] 1:12 `@lifelines` there is no section `@lifelines`
          help: did you mean `@lifeline`?
          fix: `@lifelines` → `@lifeline`
    "#]],
    );
    fault(
        "@foo{ {x} } @message{m}",
        &expect![[r#"
        error[O0209] 1:1 `@foo` there is no section `@foo`
          help: the sections are @message, @lifeline, @analyze_option and @explore_option
    "#]],
    );
    fault(
        "@message{a,b,c}",
        &expect![[r#"
        error[O0204] 1:11 `,` declared names are separated by `;`, not `,`
          help: replace the commas of this section by `;`
          fix: `,` → `;`
    "#]],
    );
    fault(
        "@message{a b}",
        &expect![[r#"
        error[O0204] 1:12 `b` `;` is missing before `b`
          help: separate declared names by `;`, or quote a name that has a space
          fix: `` → `;`
    "#]],
    );
    fault(
        "@message{a;",
        &expect![[r#"
        error[O0205] 1:9 `{` this `{` is never closed
          1:12 `}` expected, the end of the text found
          help: add the missing `}`
    "#]],
    );
    fault(
        "@message a",
        &expect![[r#"
            error[O0204] 1:10 `a` expected `{`, found `a`
            error[O0204] 1:11 `` expected `--`, `->`, `!` or `?` after this name, found the end of the text
              help: write `a -- m -> b`, `a -- m ->|` or `m -> b`
        "#]],
    );
    fault(
        "@message{a;=;b}",
        &expect![[r#"
        error[O0204] 1:12 `=` expected a name, `;` or `}`, found `=`
    "#]],
    );
    fault(
        "@",
        &expect![[r#"
        error[O0204] 1:2 `` expected a section keyword such as `@message` or `@lifeline`, found the end of the text
    "#]],
    );
    fault(
        "@message{log-in; 7}",
        &expect![[r#"
            error[O0216] 1:10 `log-in` the name `log-in` must be quoted
              help: only letters, digits and `_` stand without quotes: write "log-in" everywhere
              fix: `log-in` → `"log-in"`
            error[O0216] 1:18 `7` `7` is a number, not a name
              help: to use it as a name, quote it everywhere: "7"
              fix: `7` → `"7"`
        "#]],
    );
}
