//! Tests of multi-traces.

use expect_test::{Expect, expect};
use otus_syntax::{Source, parse_trace, print};

use crate::show;

#[track_caller]
fn check(text: &str, canonical: &str) {
    let source = Source::new("x.htf", text);
    let parsed = parse_trace(&source);
    assert_eq!(show(&source, &parsed.diagnostics), "");
    let printed = print::trace(&parsed.tree);
    assert_eq!(printed.trim_end(), canonical);
    let again = parse_trace(&Source::new("x.htf", printed.clone())).tree;
    assert_eq!(print::trace(&again), printed, "printing is a fixed point");
}

#[track_caller]
fn fault(text: &str, expected: &Expect) {
    let source = Source::new("x.htf", text);
    let parsed = parse_trace(&source);
    let line = print::trace_line(&parsed.tree);
    expected.assert_eq(&format!("{line}\n{}", show(&source, &parsed.diagnostics)));
    let printed = print::trace(&parsed.tree);
    let again = parse_trace(&Source::new("x.htf", printed.clone())).tree;
    assert_eq!(print::trace(&again), printed, "what is kept prints to a fixed point");
}

#[test]
fn forms_of_both_generations() {
    check("[#all] a!m1.b?m1.b!m2.c?m2", "{\n  [#all] a!m1.b?m1.b!m2.c?m2\n}");
    check("{\n  [a,b] b!m.a!m;\n  [c]   c?m.c?m\n}", "{\n  [a, b] b!m.a!m;\n  [c] c?m.c?m\n}");
    check("{ [#any] b!m.a!m; [#any] c?m }", "{\n  [#any] b!m.a!m;\n  [#any] c?m\n}");
    check("{ [a] a!m.a!m; [b] }", "{\n  [a] a!m.a!m;\n  [b]\n}");
    check("[#any] l1!m1.l2?m1;\n[l3] l3?m1", "{\n  [#any] l1!m1.l2?m1;\n  [l3] l3?m1\n}");
    check("{[a] ;[b] ;}", "{\n  [a];\n  [b]\n}");
    check("{}", "{}");
    check("", "{}");
}

#[test]
fn simultaneous_actions() {
    check("[a,b] {a!m,b?m}.a!n", "{\n  [a, b] {a!m, b?m}.a!n\n}");
    check("[#all] a!n.{a!m , b?m}.{a!m,b?m}", "{\n  [#all] a!n.{a!m, b?m}.{a!m, b?m}\n}");
    check("{[a,b] {a!m,b?m}}", "{\n  [a, b] {a!m, b?m}\n}");
}

#[test]
fn odd_spacing_and_names() {
    check("[ a ] a ! m . a\n?\nm", "{\n  [a] a!m.a?m\n}");
    check(
        r#"["user service"] "user service"!"log in".user!m"#,
        r#"{
  ["user service"] "user service"!"log in".user!m
}"#,
    );
    check("[été] été!naïve.été?2nd", "{\n  [été] été!naïve.été?2nd\n}");
    check("\u{feff}[a] a!m", "{\n  [a] a!m\n}");
}

#[test]
fn comments_are_kept() {
    check(
        "// run 7\n{ [a] a!m /* sent */ .a?n; // done\n /* nothing */ [b] }",
        "// run 7\n{\n  [a] a!m. /* sent */ a?n; // done\n  /* nothing */\n  [b]\n}",
    );
    check("[a] a!m. // one\n a!n", "{\n  [a] a!m. // one\n  a!n\n}");
    check(
        "{ [a] a!m; [b] // none\n // at all\n} // end",
        "{\n  [a] a!m;\n  [b] // none\n  // at all\n} // end",
    );
}

#[test]
fn faults_in_traces() {
    fault(
        "a!m.b?m",
        &expect![[r#"
        {[#all] a!m.b?m}
        note[O0405] 1:1 `` this trace has no `[…]` and is read as a global trace
          help: write `[#all]` before it to say so
          fix: `` → `[#all] `
    "#]],
    );
    fault(
        "{a!m,b?m}.a!n",
        &expect![[r#"
        {[#all] {a!m, b?m}.a!n}
        note[O0405] 1:1 `` this trace has no `[…]` and is read as a global trace
          help: write `[#all]` before it to say so
          fix: `` → `[#all] `
    "#]],
    );
    fault(
        "[a] a!m a?n",
        &expect![[r#"
        {[a] a!m.a?n}
        error[O0204] 1:8 `` `.` is missing between two steps
          help: separate steps by `.`
          fix: `` → `.`
    "#]],
    );
    fault(
        "[a] a!m [b] b?m",
        &expect![[r#"
        {[a] a!m; [b] b?m}
        error[O0204] 1:8 `` `;` is missing between two components
          help: separate components by `;`
          fix: `` → `;`
    "#]],
    );
    fault(
        "[a] a!m.",
        &expect![[r#"
        {[a] a!m}
        error[O0401] 1:9 `` expected an action such as `a!m` or `a?m`, found the end of the text
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "[a] a!m.;[b] b?m",
        &expect![[r#"
        {[a] a!m; [b] b?m}
        error[O0401] 1:9 `;` expected an action such as `a!m` or `a?m`, found `;`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "[a] a!m..a?n",
        &expect![[r#"
        {[a] a!m.a?n}
        error[O0401] 1:9 `.` expected an action such as `a!m` or `a?m`, found `.`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "[a] a.m",
        &expect![[r#"
        {[a]}
        error[O0401] 1:5 `a` `a` is not an action
          help: write `a!m` if a emits m, or `a?m` if it receives m
        error[O0401] 1:7 `m` `m` is not an action
          help: write `m!m` if m emits m, or `m?m` if it receives m
    "#]],
    );
    fault(
        "[a] a!",
        &expect![[r#"
        {[a]}
        error[O0401] 1:7 `` expected the message of this action, found the end of the text
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "[a] a-b!m.a!n",
        &expect![[r#"
            {[a] "a-b"!m.a!n}
            error[O0216] 1:5 `a-b` the name `a-b` must be quoted
              help: only letters, digits and `_` stand without quotes: write "a-b" everywhere
              fix: `a-b` → `"a-b"`
        "#]],
    );
    fault(
        "[a] a!1",
        &expect![[r#"
        {[a] a!"1"}
        error[O0216] 1:7 `1` `1` is a number, not a name
          help: to use it as a name, quote it: "1"
          fix: `1` → `"1"`
    "#]],
    );
    fault(
        "[a /* c */ a /* d */ !m",
        &expect![[r#"
        {[a] a!m}
        error[O0205] 1:1 `[` this `[` is never closed
          1:12 `]` expected before this
          help: add the missing `]`
    "#]],
    );
    fault(
        "[a a!m",
        &expect![[r#"
            {[a] a!m}
            error[O0205] 1:1 `[` this `[` is never closed
              1:4 `]` expected before this
              help: add the missing `]`
        "#]],
    );
    fault(
        "{ [a] a!m",
        &expect![[r#"
        {[a] a!m}
        error[O0205] 1:1 `{` this `{` is never closed
          1:10 `}` expected before this
          help: add the missing `}`
    "#]],
    );
    fault(
        "[a] a!m }",
        &expect![[r#"
        {[a] a!m}
        error[O0401] 1:9 `}` expected `[` and the lifelines of a component, found `}`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "{ [a] a!m } x",
        &expect![[r#"
        {[a] a!m}
        error[O0206] 1:13 `x` this stands after the end of the multi-trace
          help: one file holds one multi-trace; for many, use a .jsonl case file
    "#]],
    );
    fault(
        "[] a!m",
        &expect![[r#"
        {[] a!m}
        error[O0204] 1:1 `[]` this component names no lifeline
          help: write `[a]`, `[a, b]`, `[#any]` or `[#all]`
    "#]],
    );
    fault(
        "[#al] a!m; [#each] b!m",
        &expect![[r#"
        {[#all] a!m; [#any] b!m}
        error[O0204] 1:2 `#al` there is no keyword `#al`
          help: did you mean `#all`?
          fix: `#al` → `#all`
        error[O0204] 1:13 `#each` there is no keyword `#each`
          help: `[#all]` is a trace over all lifelines, `[#any]` over those that occur in it
    "#]],
    );
    fault(
        "[a] {}.a!m",
        &expect![[r#"
        {[a] a!m}
        error[O0401] 1:5 `{}` this set of simultaneous actions is empty
          help: write {a!m, b?m}, or leave it out
    "#]],
    );
    fault(
        "[a] {a!m.a!n",
        &expect![[r#"
        {[a] {a!m, a!n}}
        error[O0205] 1:5 `{` this `{` is never closed
          1:13 `}` expected before this
          help: add the missing `}`
        error[O0401] 1:9 `.` expected an action such as `a!m` or `a?m`, found `.`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "[a] $.a!m",
        &expect![[r#"
        {[a] a!m}
        error[O0401] 1:5 `$` expected an action such as `a!m` or `a?m`, found `$`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "[a] \"x!m",
        &expect![[r#"
            {[a]}
            error[O0203] 1:5 `"x!m` this quoted name has no closing quote on its line
              help: close it with `"`; inside, write `\"` for a quote
        "#]],
    );
    fault(
        "[a] a!m /* open",
        &expect![[r#"
        {[a] a!m}
        error[O0202] 1:9 `/*` this comment never ends
          help: end it with `*/`
    "#]],
    );
    fault(
        "[a] a!m, a!n",
        &expect![[r#"
            {[a] a!m.a!n}
            error[O0204] 1:8 `` `.` is missing between two steps
              help: separate steps by `.`
              fix: `` → `.`
        "#]],
    );
    fault(
        "hello world",
        &expect![[r#"
        {[#all]}
        error[O0401] 1:1 `hello` `hello` is not an action
          help: write `hello!m` if hello emits m, or `hello?m` if it receives m
    "#]],
    );
    fault(
        "[a] \"\"!m",
        &expect![[r#"
        {[a] ""!m}
        error[O0218] 1:5 `""` this name is empty
          help: put at least one character between the quotes
    "#]],
    );
}

#[test]
fn values() {
    check(
        "[a]a!m( mid = 7 ,topic=\"a/b\", ok=true,time=12.50 ).a!m(x=null)",
        "{\n  [a] a!m(mid=7, topic=\"a/b\", ok=true, time=12.5).a!m(x=null)\n}",
    );
    check(
        "[a,b] {a!m(x=-1),b?m (y=1/3)}.a!m()\n.\n\"a\"!m(\"http.status\"=2e3, z=1.5e-3)",
        "{\n  [a, b] {a!m(x=-1), b?m(y=1/3)}.a!m.a!m(\"http.status\"=2000, z=0.0015)\n}",
    );
    check(
        "[a] a!m(x=\"say \\\"hi\\\" (a.b;c)\").a?m",
        "{\n  [a] a!m(x=\"say \\\"hi\\\" (a.b;c)\").a?m\n}",
    );
    check(
        "[a] a!m(x=1, // first\n y=2).a?m(time=\"2026-11-15T07:13:08Z\")",
        "{\n  [a] a!m(x=1, y=2). // first\n  a?m(time=\"2026-11-15T07:13:08Z\")\n}",
    );
}

#[test]
fn faults_in_values() {
    fault(
        "[a] a!m(x=7, x=8).a!m(y=b).a!m(z=12ms).a!m(7)",
        &expect![[r#"
            {[a] a!m(x=7).a!m.a!m.a!m}
            error[O0416] 1:14 `x` this event has two values of `x`
              1:9 the first one
              help: an event has one value of a field; leave one out
            error[O0416] 1:25 `b` expected a value, found `b`
              help: a text is written in quotes; other values are numbers, true, false, and null if it is unknown
            error[O0416] 1:34 `12ms` expected a value, found `12ms`
              help: a text is written in quotes; other values are numbers, true, false, and null if it is unknown
            error[O0216] 1:44 `7` `7` is a number, not a name
              help: to use it as a name, quote it: "7"
              fix: `7` → `"7"`
            error[O0416] 1:45 `)` expected `=` and a value behind the field, found `)`
              help: values are written `a!m(mid=7, topic="a/b", ok=true, time=12.5)`
        "#]],
    );
    fault(
        "[a] a!m(x=123456789012345678901234567890).a!m(x=NaN, y=-inf, z=1/0).a!m(=3)",
        &expect![[r#"
            {[a] a!m.a!m.a!m}
            error[O0416] 1:11 `123456789012345678901234567890` `123456789012345678901234…` does not fit in 64 bits
              help: a number is a fraction of two 64-bit integers; an id can be a text in quotes
            error[O0416] 1:49 `NaN` expected a value, found `NaN`
              help: a text is written in quotes; other values are numbers, true, false, and null if it is unknown
            error[O0416] 1:56 `-inf` expected a value, found `-inf`
              help: values are written `a!m(mid=7, topic="a/b", ok=true, time=12.5)`
            error[O0416] 1:64 `1/0` expected a value, found `1/0`
              help: a text is written in quotes; other values are numbers, true, false, and null if it is unknown
            error[O0416] 1:73 `=` expected a field such as `mid=7`, found `=`
              help: values are written `a!m(mid=7, topic="a/b", ok=true, time=12.5)`
        "#]],
    );
    fault(
        "[a] a!m(x=1, y.a!m(z=2); [b] b?m(x=\"a",
        &expect![[r#"
        {[a] a!m(x=1); [b] b?m}
        error[O0416] 1:15 `.a!m` expected `=` and a value behind the field, found `.a!m`
          help: values are written `a!m(mid=7, topic="a/b", ok=true, time=12.5)`
        error[O0205] 1:33 `(` this `(` is never closed
          1:38 `)` expected before this
          help: add the missing `)`
        error[O0203] 1:36 `"a` this quoted name has no closing quote on its line
          help: close it with `"`; inside, write `\"` for a quote
    "#]],
    );
    fault(
        "[a] a!m(x 1, y=).{a!m, a?m}(x=1); [b] (x=1)",
        &expect![[r#"
        {[a] a!m.{a!m, a?m}; [b]}
        error[O0416] 1:11 `1` expected `=` and a value behind the field, found `1`
          help: values are written `a!m(mid=7, topic="a/b", ok=true, time=12.5)`
        error[O0416] 1:16 `)` expected a value, found `)`
          help: values are written `a!m(mid=7, topic="a/b", ok=true, time=12.5)`
        error[O0401] 1:28 `(` expected `.`, `;` or the end, found `(`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
        error[O0401] 1:39 `(` expected an action such as `a!m` or `a?m`, found `(`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
    fault(
        "[a] a!m(x=2e999999999999, y=[1], z=- 1)",
        &expect![[r#"
        {[a] a!m; ["1"]}
        error[O0205] 1:8 `(` this `(` is never closed
          1:29 `)` expected before this
          help: add the missing `)`
        error[O0416] 1:11 `2e999999999999` `2e999999999999` does not fit in 64 bits
          help: a number is a fraction of two 64-bit integers; an id can be a text in quotes
        error[O0416] 1:29 `[` expected a value, found `[`
          help: values are written `a!m(mid=7, topic="a/b", ok=true, time=12.5)`
        error[O0204] 1:29 `` `;` is missing between two components
          help: separate components by `;`
          fix: `` → `;`
        error[O0216] 1:30 `1` `1` is a number, not a name
          help: to use it as a name, quote it: "1"
          fix: `1` → `"1"`
        error[O0401] 1:32 `,` expected an action such as `a!m` or `a?m`, found `,`
          help: a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`
    "#]],
    );
}
