//! Tests of guards and of the binders of their variables.

use expect_test::{Expect, expect};
use otus_syntax::ast::{NodeKind, SpecFile};
use otus_syntax::{Source, parse_spec, print};

use crate::show;

/// Checks the canonical form of a well-formed text, which is a fixed point.
#[track_caller]
fn check(text: &str, canonical: &str) {
    let source = Source::new("x", text);
    let parsed = parse_spec(&source);
    assert_eq!(show(&source, &parsed.diagnostics), "");
    let printed = print::spec(&parsed.tree);
    assert_eq!(printed.trim_end(), canonical);
    let again = parse_spec(&Source::new("x", printed.clone()));
    assert_eq!(again.diagnostics, []);
    assert_eq!(print::spec(&again.tree), printed, "printing is a fixed point");
    assert_eq!(lifelines(&again.tree), lifelines(&parsed.tree), "printing keeps the lifelines");
}

/// Checks that a guard is canonical.
#[track_caller]
fn same(guard: &str) {
    let text = format!("a -- m[{guard}] -> b");
    check(&text, &text);
}

/// The lifelines that atoms name, in order.
fn lifelines(tree: &SpecFile) -> Vec<Option<String>> {
    let nodes = tree.interaction.iter().flat_map(|interaction| &interaction.nodes);
    let guards = nodes.flat_map(|node| match &node.kind {
        NodeKind::Passing(passing) => &passing.guard[..],
        NodeKind::Empty | NodeKind::Operator(..) | NodeKind::Invalid => &[],
    });
    guards.map(|atom| atom.lifeline.map(|name| tree.names.text(name.symbol).to_owned())).collect()
}

/// Checks the diagnostics of a faulty guard between `a -- m` and `-> b`.
#[track_caller]
fn fault(guard: &str, expected: &Expect) {
    let source = Source::new("x", format!("a -- m{guard} -> b"));
    let parsed = parse_spec(&source);
    expected.assert_eq(&show(&source, &parsed.diagnostics));
    let printed = print::spec(&parsed.tree);
    let again = print::spec(&parse_spec(&Source::new("x", printed.clone())).tree);
    assert_eq!(again, printed, "what is kept of a faulty text prints to a fixed point");
}

#[test]
fn every_atom_has_a_canonical_form() {
    for guard in [
        "k = 3",
        "k != -3",
        "k < 0.25, k <= -0.5, k > 1/3, k >= -7/12",
        "k = \"a \\\"b\\\"\\n\", k = true, k != false",
        "k = x, k < x + 1, k > x - 0.5, time <= s + 2s, time >= s - 150ms",
        "k in {1, \"two\", true}",
        "k ~ \"plant/*\"",
        "=k",
        "a at s, b within 2s of s, a at least 1ms after s",
        "a at least",
        "a at least 1s after least",
        "a within 90s of s, a within 1d of s, a within 1ns of s",
        "\"a field\" = 1, \"1\" = 1",
    ] {
        same(guard);
    }
    check("a--m[k==1,l=0.50]->b", "a -- m[k = 1, l = 0.5] -> b");
    check("a -- m[k=2/8, l = 1e3, n = - 3] -> b", "a -- m[k = 0.25, l = 1000, n = -3] -> b");
    check("a!m[k = x + -1, k = x - -1]", "a -- m[k = x - 1, k = x + 1] ->|");
    check("a?m[a within 2 s of s]", "m[a within 2s of s] -> a");
    check(
        "a -- m[a within 0.5s of s, a within 1/2s of s, a within 7us of s] -> b",
        "a -- m[a within 500ms of s, a within 500ms of s, a within 7us of s] -> b",
    );
    check("a -- m[k = 1,] -> b", "a -- m[k = 1] -> b");
}

#[test]
fn a_path_is_a_field_unless_it_begins_with_an_end() {
    same("http.status_code >= 400");
    same("a.f = 1, b.f.g in {1}, c.f = 1, =http.id");
    same("\"a.f\" = 1, a.\"f g\" = 1, =\"a.f\"");
    check("\"a b\" -- m[\"a b\".f = 1] -> c", "\"a b\" -- m[\"a b\".f = 1] -> c");
    check("a -- m[http . \"status code\" = 1] -> b", "a -- m[\"http.status code\" = 1] -> b");
    check("a -- m[items.0.id = 1] -> (b, c)", "a -- m[\"items.0.id\" = 1] -> (b, c)");
    let tree = |text: &str| parse_spec(&Source::new("x", text)).tree;
    let of = |text: &str| lifelines(&tree(text));
    assert_eq!(of("a -- m[a.f = 1, \"a.f\" = 1, c.f = 1] -> b"), [Some("a".into()), None, None]);
    // A declared lifeline is not taken for the first word of a path when the text is read again.
    let text = "@lifeline{ a; b; c }\n@message{ m }\na -- m[\"c.f\" = 1] -> b";
    check(text, text);
}

#[test]
fn words_of_guards_and_binders_stay_names() {
    same("at = 1, in in {1}, within = 2, of = 3, new = 4");
    check(
        "at -- m[at at at, at within 2s of of] -> in",
        "at -- m[at at at, at within 2s of of] -> in",
    );
    check("new -- fresh -> new", "new -- fresh -> new");
    check("loopP(fresh -- m -> b)", "loopP(fresh -- m -> b)");
    check("loopC(fresh)(fresh!m)", "loopC(fresh)(fresh -- m ->|)");
}

#[test]
fn binders() {
    check("new(x)(a!m)", "new(x)(a -- m ->|)");
    check("new( x , y )(a!m)", "new(x, y)(a -- m ->|)");
    check("loopP(fresh x)(a!m)", "loopP(fresh x)(a -- m ->|)");
    check("loop_seq(fresh x,y)(a!m)", "loopW(fresh x, y)(a -- m ->|)");
    check("loopC(a,b;fresh x)(a!m)", "loopC(a, b; fresh x)(a -- m ->|)");
    check("loopC(fresh x)(a!m)", "loopC(fresh x)(a -- m ->|)");
}

#[test]
fn comments_in_guards_are_kept() {
    let text = "seq(a -- m[k = 1, /* why */ l = 2 // this\n] -> b, b!n)";
    let tree = parse_spec(&Source::new("x", text)).tree;
    let printed = print::spec(&tree);
    expect![[r#"
        seq(
          a -- m[k = 1, l = 2] -> b, /* why */ // this
          b -- n ->|
        )
    "#]]
    .assert_eq(&printed);
    assert_eq!(print::spec(&parse_spec(&Source::new("x", printed.clone())).tree), printed);
}

#[test]
fn what_is_wrong_in_a_guard_is_told() {
    fault(
        "[]",
        &expect![[r#"
        error[O0204] 1:8 `]` expected an atom in the brackets, found `]`
          help: write what the message must carry, `[f = 1]`, or leave the brackets out
    "#]],
    );
    fault(
        "[k]",
        &expect![[r#"
        error[O0204] 1:9 `]` expected a relation after the field, found `]`
          help: write `f = v`, `!=`, `<`, `<=`, `>`, `>=`, `f in {v, w}` or `f ~ "a*"`
    "#]],
    );
    fault(
        "[k = ]",
        &expect![[r#"
        error[O0204] 1:12 `]` expected a value, found `]`
          help: a value is a number, a "text", true, false, or a variable
    "#]],
    );
    fault(
        "[k = 1 l = 2]",
        &expect![[r#"
        error[O0204] 1:14 `l` `,` is missing before `l`
          help: separate atoms by `,`
          fix: `` → `,`
    "#]],
    );
    fault(
        "[k = 1",
        &expect![[r#"
        error[O0205] 1:7 `[` this `[` is never closed
          1:14 `]` expected, `->` found
          help: add the missing `]`
    "#]],
    );
    fault(
        "[k => 1]",
        &expect![[r#"
        error[O0204] 1:11 `>` expected a value after the relation, found `>`
          help: write `>=` for "or equal"
    "#]],
    );
    fault(
        "[k ! 1]",
        &expect![[r#"
        error[O0204] 1:12 `1` expected `=` after `!`, found `1`
    "#]],
    );
    fault(
        "[k = 'text']",
        &expect![[r#"
        error[O0201] 1:12 `'` a text stands in `"`, not in `'`
          help: write "text"
    "#]],
    );
    fault(
        "[k = \"text]",
        &expect![[r#"
        error[O0203] 1:12 `"text` this quoted name has no closing quote on its line
          help: close it with `"`; inside, write `\"` for a quote
    "#]],
    );
    fault(
        "[k in {}, k in {x}, k in {1]",
        &expect![[r#"
        error[O0207] 1:13 `{}` this set has no values
          help: name at least one value: {1, "text"}
        error[O0204] 1:23 `x` a variable cannot be in a set of values
          help: texts are quoted; compare with a variable by `=`
        error[O0205] 1:32 `{` this `{` is never closed
          1:34 `}` expected, `]` found
          help: add the missing `}`
    "#]],
    );
    fault(
        "[k ~ plant]",
        &expect![[r#"
        error[O0204] 1:12 `plant` expected a pattern in quotes after `~`, found `plant`
    "#]],
    );
    fault(
        "[k = 99999999999999999999, k = 1/0]",
        &expect![[r#"
        error[O0506] 1:12 `99999999999999999999` `99999999999999999999` does not fit in 64 bits
          help: use a smaller number, or a text in quotes
        error[O0506] 1:38 `1/0` `1/0` divides by zero
          help: write another number
    "#]],
    );
    fault(
        "[k = 2s]",
        &expect![[r#"
        error[O0219] 1:12 `2s` `2s` is neither a number nor a variable
          help: a duration is added to an anchor: `time <= s + 2s`, `a within 2s of s`; a text stands in quotes
    "#]],
    );
    fault(
        "[k = x + y]",
        &expect![[r#"
        error[O0204] 1:16 `y` expected a number or a duration, found `y`
          help: only a number or a duration is added to a variable: `x + 1`, `s + 2s`
    "#]],
    );
}

#[test]
fn what_is_wrong_with_a_duration_is_told() {
    fault(
        "[a within 2 of s]",
        &expect![[r#"
        error[O0219] 1:17 `2` `2` is not a duration
          help: write a number and one of the units d, h, min, s, ms, us, ns: 2s, 150ms; the largest is about 292 years, the smallest 1ns
    "#]],
    );
    fault(
        "[a within 2 seconds of s]",
        &expect![[r#"
        error[O0219] 1:17 `2 seconds` `2 seconds` is not a duration
          help: write a number and one of the units d, h, min, s, ms, us, ns: 2s, 150ms; the largest is about 292 years, the smallest 1ns
    "#]],
    );
    fault(
        "[a within 2m of s]",
        &expect![[r#"
        error[O0219] 1:17 `2m` `2m` is not a duration
          help: write a number and one of the units d, h, min, s, ms, us, ns: 2s, 150ms; the largest is about 292 years, the smallest 1ns
    "#]],
    );
    fault(
        "[a within of s]",
        &expect![[r#"
        error[O0204] 1:17 `of` expected a duration, found `of`
          help: write a number and a unit: 2s, 150ms
    "#]],
    );
    fault(
        "[a within 2s]",
        &expect![[r#"
        error[O0204] 1:19 `]` expected `of`, found `]`
    "#]],
    );
    fault(
        "[a at least after s]",
        &expect![[r#"
        error[O0204] 1:19 `after` expected a duration, found `after`
          help: write a number and a unit: 2s, 150ms
    "#]],
    );
    fault(
        "[a within 300000d of s, a within 0.1ns of s]",
        &expect![[r#"
        error[O0219] 1:17 `300000d` `300000d` is not a duration
          help: write a number and one of the units d, h, min, s, ms, us, ns: 2s, 150ms; the largest is about 292 years, the smallest 1ns
        error[O0219] 1:40 `0.1ns` `0.1ns` is not a duration
          help: write a number and one of the units d, h, min, s, ms, us, ns: 2s, 150ms; the largest is about 292 years, the smallest 1ns
    "#]],
    );
    fault(
        "[a at \"s\"]",
        &expect![[r#"
        error[O0204] 1:13 `"s"` `"s"` cannot be the name of a variable
          help: its name has letters, digits and `_` only, begins with a letter, and is neither `true` nor `false`
    "#]],
    );
}

#[test]
fn what_is_wrong_outside_of_a_guard_is_told() {
    #[track_caller]
    fn whole(text: &str, expected: &Expect) {
        let source = Source::new("x", text);
        let parsed = parse_spec(&source);
        expected.assert_eq(&show(&source, &parsed.diagnostics));
    }
    whole(
        "a[k = 1] -- m -> b",
        &expect![[r#"
        error[O0204] 1:10 `--` expected `->` after the guard of a message, found `--`
          help: a guard stands behind the message: a -- m[f = 1] -> b, a!m[f = 1]
    "#]],
    );
    whole(
        "a -- m -> b[k = 1]",
        &expect![[r#"
        error[O0204] 1:12 `[` expected the end of the arrow, found `[`
          help: a guard stands behind the message: a -- m[f = 1] -> b
    "#]],
    );
    whole(
        "seq(a!m[k = 1, b!m)",
        &expect![[r#"
        error[O0205] 1:8 `[` this `[` is never closed
          1:19 `]` expected, `)` found
          help: add the missing `]`
        error[O0204] 1:18 `m` expected `=` after `!`, found `m`
    "#]],
    );
    whole(
        "new()(a!m)",
        &expect![[r#"
        error[O0207] 1:4 `()` no variable is declared here
          help: name at least one: new(x)(…), loopP(fresh x)(…)
    "#]],
    );
    whole(
        "new(\"x\", true, 2s)(a!m)",
        &expect![[r#"
        error[O0204] 1:5 `"x"` `"x"` cannot be the name of a variable
          help: its name has letters, digits and `_` only, begins with a letter, and is neither `true` nor `false`
        error[O0204] 1:10 `true` `true` cannot be the name of a variable
          help: its name has letters, digits and `_` only, begins with a letter, and is neither `true` nor `false`
        error[O0204] 1:16 `2s` `2s` cannot be the name of a variable
          help: its name has letters, digits and `_` only, begins with a letter, and is neither `true` nor `false`
    "#]],
    );
    whole(
        "new(x)(a!m, b!m)",
        &expect![[r#"
        error[O0211] 1:1 `new(x)` `new` has one operand, this one has 2
          help: put them in sequence: new(x)(seq(…, …))
    "#]],
    );
    whole(
        "loopP(fresh \"x\")(a!m)",
        &expect![[r#"
        error[O0204] 1:13 `"x"` `"x"` cannot be the name of a variable
          help: its name has letters, digits and `_` only, begins with a letter, and is neither `true` nor `false`
    "#]],
    );
    whole(
        "loopC(a; x)(a!m)",
        &expect![[r#"
        error[O0204] 1:10 `x` expected `fresh` and a variable after `;`, found `x`
        error[O0204] 1:10 `x` expected `(` before the operands, found `x`
    "#]],
    );
    whole(
        "new(\"x",
        &expect![[r#"
        error[O0203] 1:5 `"x` this quoted name has no closing quote on its line
          help: close it with `"`; inside, write `\"` for a quote
    "#]],
    );
}
