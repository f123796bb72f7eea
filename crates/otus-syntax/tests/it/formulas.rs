//! Tests of formulas and `.ctl` files.

use expect_test::{Expect, expect};
use otus_syntax::ast::formula::{
    Arithmetic, Binder, Comparison, Connective, FormulaFile, FormulaId, FormulaKind, FormulaNode,
    Item, ItemKind, Modality, Path, Quantifier, UntilKind,
};
use otus_syntax::{Name, Rational, Source, Span, parse_formulas, print};

use crate::show;

/// Checks the canonical form of a well-formed text, which is a fixed point with the same tree.
#[track_caller]
fn check(text: &str, canonical: &str) {
    let source = Source::new("x.ctl", text);
    let parsed = parse_formulas(&source);
    assert_eq!(show(&source, &parsed.diagnostics), "", "{text}");
    let printed = print::formulas(&parsed.tree);
    assert_eq!(printed.trim_end(), canonical, "{text}");
    let again = Source::new("x.ctl", printed.clone());
    let reparsed = parse_formulas(&again);
    assert_eq!(show(&again, &reparsed.diagnostics), "");
    assert_eq!(print::formulas(&reparsed.tree), printed, "printing is a fixed point");
    assert_eq!(explicit(&reparsed.tree), explicit(&parsed.tree), "the trees are the same");
}

/// Checks the diagnostics of a faulty text.
#[track_caller]
fn fault(text: &str, expected: &Expect) {
    let source = Source::new("x.ctl", text);
    let parsed = parse_formulas(&source);
    expected.assert_eq(&show(&source, &parsed.diagnostics));
    print::formulas(&parsed.tree);
    for (index, node) in parsed.tree.nodes.iter().enumerate() {
        assert!(node.kind.operands().all(|operand| (operand.0 as usize) < index));
    }
}

/// All formulas with every operator in parentheses. Recursive, hence for small formulas only.
fn explicit(tree: &FormulaFile) -> Vec<String> {
    fn show(tree: &FormulaFile, id: FormulaId) -> String {
        let f = |id: &FormulaId| show(tree, *id);
        let name = |name: Name| tree.names.text(name.symbol).to_owned();
        let list = |ids: &[FormulaId]| ids.iter().map(f).collect::<Vec<_>>().join(",");
        let all = |all: &[Name]| all.iter().copied().map(name).collect::<Vec<_>>().join(",");
        let bound = |binder: &Binder| {
            let sign = if binder.distinct { "!=" } else { "" };
            format!("<{}{sign}|{}>", all(&binder.names), all(&binder.range))
        };
        match &tree.node(id).kind {
            FormulaKind::Constant(value) => format!("{value}"),
            FormulaKind::Number(number) => format!("{number}"),
            FormulaKind::Text(text) => format!("{:?}", tree.names.text(*text)),
            FormulaKind::Variable(path) => match path.process {
                Some(process) => format!("<{}|{}>", name(process), name(path.name)),
                None => format!("<{}>", name(path.name)),
            },
            FormulaKind::Named(known, _) => format!("={}", name(*known)),
            FormulaKind::Last(process) => format!("last({})", name(*process)),
            FormulaKind::Count(process, label) => {
                format!("count({},{:?})", name(*process), label.map(name))
            }
            FormulaKind::Negative(a) => format!("(-{})", f(a)),
            FormulaKind::Arithmetic(op, a, b) => format!("({} {} {})", f(a), op.symbol(), f(b)),
            FormulaKind::Compare(op, a, b) => format!("({} {} {})", f(a), op.symbol(), f(b)),
            FormulaKind::Member(a, members) => format!("({} in {{{}}})", f(a), list(members)),
            FormulaKind::Not(a) => format!("(!{})", f(a)),
            FormulaKind::Connective(op, a, b) => format!("({} {} {})", f(a), op.symbol(), f(b)),
            FormulaKind::Temporal(q, m, a) => format!("({}{} {})", q.symbol(), m.symbol(), f(a)),
            FormulaKind::Until(q, kind, a, b) => {
                format!("{}[{} {} {}]", q.symbol(), f(a), kind.symbol(), f(b))
            }
            FormulaKind::Call(called, arguments) => {
                format!("{}({})", name(*called), list(arguments))
            }
            FormulaKind::ForEach(q, binder, a) => {
                format!("({}{} {})", q.symbol(), bound(binder), f(a))
            }
            FormulaKind::AtMostOne(binder, parts) => {
                format!("at_most_one({} {})", bound(binder), list(parts))
            }
            FormulaKind::Invalid => "?".to_owned(),
        }
    }
    tree.items.iter().map(|item| show(tree, item.body)).collect()
}

/// Checks the grouping of a text.
#[track_caller]
fn groups(text: &str, expected: &str) {
    let source = Source::new("x.ctl", text);
    let parsed = parse_formulas(&source);
    assert_eq!(show(&source, &parsed.diagnostics), "", "{text}");
    assert_eq!(explicit(&parsed.tree).join(" ; "), expected);
}

#[test]
fn atoms() {
    check("true", "true");
    check("⊥", "false");
    check("x<3", "x < 3");
    check("p.x!=2", "p.x != 2");
    check("ready", "ready");
    check("x == -1", "x = -1");
    check("x ≥ 1/3", "x >= 1/3");
    check("x>=0.250", "x >= 1/4");
    check("x <> y", "x != y");
    check("x + 2*y - z <= 3", "x + 2 * y - z <= 3");
    check("2 × (x + y) ≤ −3", "2 * (x + y) <= -3");
    check("-x < --3", "-x < 3");
    check("-(x + y) < 3", "-(x + y) < 3");
    check("state = leader", "state = leader");
    check("state = \"the leader\"", "state = \"the leader\"");
    check("x in {1, -2, 1/2, up, \"a b\", true}", "x in {1, -2, 1/2, \"up\", \"a b\", true}");
    check("x ∈ {}", "x in {}");
    check("x not in {1,}", "!(x in {1})");
    check("x ∉ {1}", "!(x in {1})");
    check("last(p) = \"p!m\"", "last(p) = \"p!m\"");
    check("count(p.sent) - count(q.received) <= 5", "count(p.sent) - count(q.received) <= 5");
    check("count(p) = 0", "count(p) = 0");
    check("count(p.\"a!m\") > 0", "count(p.`a!m`) > 0");
    check("mutex(p.cs, q.cs)", "mutex(p.cs, q.cs)");
    check("never_two(leader, x + 1, \"v\", AG f)", "never_two(leader, x + 1, \"v\", AG f)");
    check("idle()", "idle()");
    check(
        "x = 9223372036854775807 & y = -9223372036854775808",
        "x = 9223372036854775807 & y = -9223372036854775808",
    );
}

#[test]
fn names_that_are_no_words_go_between_back_quotes() {
    check("`user-service`.`my var` < 3", "`user-service`.`my var` < 3");
    check("\"user-service\".x", "`user-service`.x");
    check("`x`", "x");
    check("`in` & `E` & U", "`in` & `E` & `U`");
    check("p.x.y.`z z` = 1", "p.`x.y.z z` = 1");
    check("`a\\`b\\\\`", "`a\\`b\\\\`");
    check("`U`(x) & `my pattern`(y)", "`U`(x) & `my pattern`(y)");
    check("été_1 = 2nd", "été_1 = 2nd");
    check("U = 1 & W = 2 & E[R U `G`]", "`U` = 1 & `W` = 2 & E[`R` U `G`]");
}

#[test]
fn connectives_and_modalities_in_every_spelling() {
    check("!f", "!f");
    check("not f and ~g or ¬h", "!f & !g | !h");
    check("f && g || h", "f & g | h");
    check("f /\\ g \\/ h", "f & g | h");
    check("f ∧ g ∨ h", "f & g | h");
    check("f -> g => h → i ⇒ j implies k", "f -> g -> h -> i -> j -> k");
    check("f <-> g <=> h ↔ i ⇔ j iff k", "f <-> g <-> h <-> i <-> j <-> k");
    check("EX f & AX f & EF f & AF f & EG f & AG f", "EX f & AX f & EF f & AF f & EG f & AG f");
    check("AG(x<2)", "AG(x < 2)");
    check("AG x < 2", "AG(x < 2)");
    check("A G f & E F f & E X f", "AG f & EF f & EX f");
    check("∀□ f ∧ ∃◇ f ∧ ∃○ f ∧ ∀G f", "AG f & EF f & EX f & AG f");
    check("E[f U g] & A[f U g]", "E[f U g] & A[f U g]");
    check("E(f W g) | A(f R g) | ∃[f U g]", "E[f W g] | A[f R g] | E[f U g]");
    check(
        "f EU g | f AU g | f EW g | f AW g | f ER g | f AR g",
        "E[f U g] | A[f U g] | E[f W g] | A[f W g] | E[f R g] | A[f R g]",
    );
    check("AG(p.req -> AF(q.ack))", "AG(p.req -> AF q.ack)");
    check("AG !(EF g)", "AG !EF g");
    check("E[x < 3 & y U !(z = 1)]", "E[x < 3 & y U !(z = 1)]");
    check("E[E[a U b] U A[c R d]]", "E[E[a U b] U A[c R d]]");
}

#[test]
fn operators_bind_as_documented() {
    groups("a <-> b -> c | d & e EU !f", "(<a> <-> (<b> -> (<c> | (<d> & E[<e> U (!<f>)]))))");
    groups("a & b | c & d", "((<a> & <b>) | (<c> & <d>))");
    groups("a -> b -> c", "(<a> -> (<b> -> <c>))");
    groups("(a -> b) -> c", "((<a> -> <b>) -> <c>)");
    groups("a EU b AU c", "E[<a> U A[<b> U <c>]]");
    groups("AG x < 2 & y", "((AG (<x> < 2)) & <y>)");
    groups("!x = 3 | EX y > 2", "((!(<x> = 3)) | (EX (<y> > 2)))");
    groups("AG EF !x", "(AG (EF (!<x>)))");
    groups("1 - 2 - 3 * x + 4 < -x * 2", "((((1 - 2) - (3 * <x>)) + 4) < ((-<x>) * 2))");
    groups("x + 1 in {1} -> y", "(((<x> + 1) in {1}) -> <y>)");
    groups("!x in {1}", "(!(<x> in {1}))");
    groups("x-1<y", "((<x> - 1) < <y>)");
    groups("x<-3", "(<x> < -3)");
    groups("x->y", "(<x> -> <y>)");
    groups("p.x.y", "<p|x.y>");
    groups("AG\n(x)", "(AG <x>)");
    groups("x (\n y)", "x(<y>)");
}

#[test]
fn quantifiers_over_processes() {
    check("forall p!=q in n*:AG !(p.up∧q.up)", "forall p != q in n*: AG !(p.up & q.up)");
    check("exists p in {a,`b c`, n*}: EF p.x = 1", "exists p in {a, `b c`, n*}: EF(p.x = 1)");
    check("forall p: EF p.x | EF p.y", "forall p: EF p.x | EF p.y");
    check("x & forall p, q in *: p.y", "x & (forall p, q in *: p.y)");
    check("E[forall p: p.x U y]", "E[forall p: p.x U y]");
    check("forall = 1 & exists in {1}", "`forall` = 1 & `exists` in {1}");
    check("name: forall p in n1:\n  p.x", "name: forall p in n1: p.x");
    check(
        "at_most_one( m in n* , role=leader , per term , m.shard )",
        "at_most_one(m in n*, role = leader, per term, m.shard)",
    );
    check("AF at_most_one(member, up)", "AF at_most_one(member, up)");
    groups("a | forall p: b | c -> d", "(<a> | (A<p|> ((<b> | <c>) -> <d>)))");
}

#[test]
fn faults_of_quantifiers_are_told() {
    fault(
        "forall p in: x\nforall p in {a b}: x\nforall p x\nat_most_one(m x)\nat_most_one(m, x, y)\nat_most_one(1, x)",
        &expect![[r#"
            error[O0204] 1:12 `:` expected the name of a process, found `:`
              help: a process by its name, `n*` for all whose name begins with n, or a set: {a, b}
            error[O0204] 2:16 `b` expected `,` or `}`, found `b`
            error[O0204] 3:10 `x` expected `in` and processes, or `:`, found `x`
              help: an example: forall p != q in n*: AG !(p.leader & q.leader)
            error[O0204] 4:15 `x` expected `,` and a condition, found `x`
              help: an example: at_most_one(m in n*, role = leader, per term)
            error[O0204] 5:19 `y` expected `per` and a variable, found `y`
              help: an example: at_most_one(m in n*, role = leader, per term)
            error[O0204] 6:13 `1` expected a name for the members, found `1`
              help: an example: at_most_one(m in n*, role = leader, per term)
        "#]],
    );
}

#[test]
fn a_file_has_an_item_a_line() {
    check(
        "# About safety.\nsafe: AG(x<2) # always\n\n\"two words\" :\n   EF(y = 1\n  & z)\n| w;  let both = p & q; AG !both\n# the end",
        "# About safety.\nsafe: AG(x < 2) # always\n`two words`: EF(y = 1 & z) | w\nlet both = p & q\nAG !both\n# the end",
    );
    check("f\n(g)\nh", "f\ng\nh");
    check("f\n\n;;g", "f\ng");
    check("let total = x + y\nAG(total < 3)", "let total = x + y\nAG(total < 3)");
    check("let a = x\nlet b = a\nb & a", "let a = x\nlet b = a\nb & a");
    check("f;\n-x < 3\n", "f;\n-x < 3");
    check("f; # why\n-x < 3", "f; # why\n-x < 3");
    check("// why\nf &\n  // and\ng\n//", "// why\n// and\nf & g\n//");
    check("f; # a\n# b\n-x < 3", "f; # a\n# b\n-x < 3");
    check("f;-# in it\nx < 3", "f;\n# in it\n-x < 3");
    check("a: f\n`and`: g", "a: f\n`and`: g");
    check("\u{feff}# c\nx # d", "# c\nx # d");
    check("f & # in the middle\n g", "# in the middle\nf & g");
    check("", "");
    check("# only", "# only");
}

#[test]
fn a_definition_stands_for_what_it_names() {
    let parsed = parse_formulas(&Source::new("x", "let a = x < 2\nlet b = a\nAG b\nlet x = y\nx"));
    let tree = parsed.tree;
    assert_eq!(tree.properties().count(), 2);
    let mut bodies = Vec::new();
    for node in &tree.nodes {
        if let FormulaKind::Named(_, body) = &node.kind {
            bodies.push(print::formula(&tree, *body));
        }
    }
    assert_eq!(bodies, ["x < 2", "x < 2", "y"]);
}

#[test]
fn typos_are_told_with_their_place_and_what_was_expected() {
    fault(
        "AG(x < )",
        &expect![[r#"
            error[O0204] 1:8 `)` expected a value, found `)`
        "#]],
    );
    fault(
        "x <",
        &expect![[r#"
            error[O0204] 1:4 `` expected a value, found the end of the text
        "#]],
    );
    fault("", &expect![]);
    fault(
        "AG(x < 2",
        &expect![[r#"
        error[O0205] 1:3 `(` this `(` is never closed
          1:9 `)` expected at the latest here
          help: add the missing `)`
    "#]],
    );
    fault(
        "AG x < 2)",
        &expect![[r#"
        error[O0204] 1:9 `)` expected an operator or the end of the formula, found `)`
          help: no such bracket is open
    "#]],
    );
    fault(
        "E[x U y",
        &expect![[r#"
        error[O0205] 1:2 `[` this `[` is never closed
          1:8 `]` expected at the latest here
          help: add the missing `]`
    "#]],
    );
    fault(
        "E[x]",
        &expect![[r#"
        error[O0204] 1:1 `E[x]` `E[…]` needs `U`, `W` or `R` between two formulas
          help: write E[f U g]; or EF f, EG f, EX f
    "#]],
    );
    fault(
        "E[x U y U z]",
        &expect![[r#"
        error[O0204] 1:9 `U` expected an operator or `]`, found `U`
    "#]],
    );
    fault(
        "E[x U y)",
        &expect![[r#"
            error[O0205] 1:2 `[` this `[` is never closed
              1:8 `]` expected at the latest here
              help: add the missing `]`
        "#]],
    );
    fault(
        "x < 3 adn y",
        &expect![[r#"
        error[O0204] 1:7 `adn` expected an operator or the end of the formula, found `adn`
          help: did you mean `and`?
    "#]],
    );
    fault(
        "x < 3 y",
        &expect![[r#"
        error[O0204] 1:7 `y` expected an operator or the end of the formula, found `y`
    "#]],
    );
    fault(
        "a < b < c",
        &expect![[r#"
        error[O0204] 1:1 `a < b <` comparisons cannot be chained
          help: join two comparisons: a < b & b < c
    "#]],
    );
    fault(
        "x = 'up'",
        &expect![[r#"
            error[O0201] 1:5 `'up'` `'up'` does not belong here; expected a value
              help: a text stands between double quotes
        "#]],
    );
    fault(
        "x = \"up",
        &expect![[r#"
        error[O0203] 1:5 `"up` this quote has no end on its line
          help: close it with `"`
    "#]],
    );
    fault(
        "`x < 3",
        &expect![[r#"
        error[O0203] 1:1 ``x < 3` this quote has no end on its line
          help: close it with ```
    "#]],
    );
    fault(
        "x / 2 < 1",
        &expect![[r#"
        error[O0201] 1:3 `/` `/` does not belong here; expected an operator or the end of the formula
          help: to divide by a number, multiply by a fraction: 1/2 * x
    "#]],
    );
    fault(
        "x = 1/0 | y = 99999999999999999999",
        &expect![[r#"
        error[O0506] 1:5 `1/0` this number is not a fraction of two 64-bit integers
          help: use a smaller number, and do not divide by zero
        error[O0506] 1:15 `99999999999999999999` this number is not a fraction of two 64-bit integers
          help: use a smaller number, and do not divide by zero
    "#]],
    );
    fault(
        "mutex(p, )",
        &expect![[r#"
            error[O0204] 1:10 `)` expected a formula or a value, found `)`
        "#]],
    );
    fault(
        "mutex(p q)",
        &expect![[r#"
        error[O0204] 1:9 `q` expected an operator, `,` or `)`, found `q`
    "#]],
    );
    fault(
        "x in 3",
        &expect![[r#"
        error[O0204] 1:6 `3` expected `{`, found `3`
          help: list the values: x in {1, 2}
    "#]],
    );
    fault(
        "x in {y + 1}",
        &expect![[r#"
        error[O0204] 1:9 `+` expected `,` or `}`, found `+`
    "#]],
    );
    fault(
        "x in {1",
        &expect![[r#"
        error[O0205] 1:6 `{` this `{` is never closed
          1:8 `}` expected at the latest here
          help: add the missing `}`
    "#]],
    );
    fault(
        "last(p.x) = 1",
        &expect![[r#"
        error[O0204] 1:7 `.` expected `)`, found `.`
          help: `last(p)` is the label of the last event of process p
    "#]],
    );
    fault(
        "count() > 1",
        &expect![[r#"
        error[O0204] 1:7 `)` expected the name of a process, found `)`
    "#]],
    );
    fault(
        "p. < 3",
        &expect![[r#"
        error[O0204] 1:4 `<` expected a name after the dot, found `<`
    "#]],
    );
    fault(
        "x & in",
        &expect![[r#"
        error[O0204] 1:5 `in` expected a formula, found `in`
          help: `in` is a word of the language; as a name it goes between back quotes
    "#]],
    );
    fault(
        "$x",
        &expect![[r#"
            error[O0201] 1:1 `$` `$` does not belong here; expected a formula
              help: a name with this sign goes between back quotes
        "#]],
    );
    fault(
        "∃ x",
        &expect![[r#"
        error[O0204] 1:3 `x` expected `X`, `F`, `G`, `○`, `◇`, `□` or `[f U g]`, found `x`
    "#]],
    );
}

#[test]
fn modalities_without_quantifier_products_and_sorts() {
    fault(
        "G(x < 2)",
        &expect![[r#"
        error[O0901] 1:1 `G` `G` does not say over which runs
          help: write `AG` for all runs, `EG` for some run
          fix: `G` → `AG`
    "#]],
    );
    fault(
        "F done & □ x",
        &expect![[r#"
        error[O0901] 1:1 `F` `F` does not say over which runs
          help: write `AF` for all runs, `EF` for some run
          fix: `F` → `AF`
        error[O0901] 1:10 `□` `G` does not say over which runs
          help: write `AG` for all runs, `EG` for some run
          fix: `□` → `AG`
    "#]],
    );
    fault(
        "x * y < 3",
        &expect![[r#"
        error[O0902] 1:1 `x * y` neither side of this product is a number
          help: variables can be added and multiplied by numbers: 2 * x + y
    "#]],
    );
    fault("2 * 3 * x + (x + 1) * (2 - 1) < y", &expect![]);
    fault(
        "AG(x + 1)",
        &expect![[r#"
        error[O0903] 1:3 `(x + 1)` `AG` needs a formula, and this is a number
          help: a formula is a comparison, a Boolean variable, or made of formulas
    "#]],
    );
    fault(
        "(x < 2) = (y < 2)",
        &expect![[r#"
        error[O0903] 1:1 `(x < 2)` `=` compares values, and this is a formula
          help: to compare formulas, write f <-> g
        error[O0903] 1:11 `(y < 2)` `=` compares values, and this is a formula
          help: to compare formulas, write f <-> g
    "#]],
    );
    fault(
        "x + (a & b) < 3",
        &expect![[r#"
        error[O0903] 1:5 `(a & b)` `+` needs a number, and this is a formula
          help: sums are made of numbers and variables
    "#]],
    );
    fault(
        "x < true",
        &expect![[r#"
            error[O0903] 1:5 `true` `<` does not compare truth values
              help: they are equal or not: use `=` or `!=`
        "#]],
    );
    fault(
        "\"up\"",
        &expect![[r#"
        error[O0903] 1:1 `"up"` a property needs a formula, and this is a text
          help: a formula is a comparison, a Boolean variable, or made of formulas
    "#]],
    );
    fault(
        "!3 & \"a\" | last(p)",
        &expect![[r#"
        error[O0903] 1:2 `3` `!` needs a formula, and this is a number
          help: a formula is a comparison, a Boolean variable, or made of formulas
        error[O0903] 1:6 `"a"` `&` needs a formula, and this is a text
          help: a formula is a comparison, a Boolean variable, or made of formulas
        error[O0903] 1:12 `last(p)` `|` needs a formula, and this is a text
          help: a formula is a comparison, a Boolean variable, or made of formulas
    "#]],
    );
    fault(
        "(x & y) in {1}",
        &expect![[r#"
        error[O0903] 1:1 `(x & y)` `in` needs a value, and this is a formula
          help: put the formula in parentheses apart from the set
    "#]],
    );
}

#[test]
fn items_that_are_wrong_do_not_hide_the_next() {
    fault(
        "a: AG(x\nb: EF(y\nc: z",
        &expect![[r#"
        error[O0205] 1:6 `(` this `(` is never closed
          2:1 `)` expected at the latest here
          help: add the missing `)`
        error[O0205] 2:6 `(` this `(` is never closed
          3:1 `)` expected at the latest here
          help: add the missing `)`
    "#]],
    );
    fault(
        "a: x <\nb: y >\nc: z",
        &expect![[r#"
            error[O0204] 1:7 `` expected a value, found the end of the line
            error[O0204] 2:7 `` expected a value, found the end of the line
        "#]],
    );
    fault(
        "a: x\na: y\nlet a = z",
        &expect![[r#"
        error[O0303] 2:1 `a` two formulas have the name `a`
          1:1 the first is here
          help: give each its own name
        error[O0303] 3:5 `a` two formulas have the name `a`
          1:1 the first is here
          help: give each its own name
    "#]],
    );
    fault(
        "let = 3\nlet x\nlet and = y",
        &expect![[r#"
            error[O0204] 1:5 `=` expected the name of the definition, found `=`
            error[O0204] 2:6 `` expected a formula, found the end of the line
              help: `let` is a word of the language; as a name it goes between back quotes
            error[O0204] 3:1 `let` expected `=` and a formula, found `let`
            error[O0216] 3:5 `and` `and` is a word of the language, not a name
              help: to use it as a name, write it as `and` with its quotes
              fix: `and` → ``and``
        "#]],
    );
    fault(
        ")\n]\n,\n?\nx",
        &expect![[r#"
            error[O0204] 1:1 `)` expected a formula, found `)`
            error[O0204] 1:2 `` expected a formula, found the end of the line
            error[O0204] 2:2 `` expected a formula, found the end of the line
            error[O0204] 3:2 `` expected a formula, found the end of the line
        "#]],
    );
    fault(
        "AG(x\nEF(y)\nz",
        &expect![[r#"
        error[O0205] 1:3 `(` this `(` is never closed
          2:1 `)` expected at the latest here
          help: add the missing `)`
    "#]],
    );
    fault(
        "``: x",
        &expect![[r#"
        error[O0218] 1:1 ```` the name of a property is empty
          help: put at least one character between the quotes
    "#]],
    );
}

#[test]
fn depth_and_length_cost_no_more_than_the_text() {
    let deep = 200_000;
    let texts = [
        format!("{}x{}", "(".repeat(deep), ")".repeat(deep)),
        format!("{}x", "!".repeat(deep)),
        format!("{}x", "AG ".repeat(deep)),
        format!("{}x{}", "E[".repeat(deep), " U y]".repeat(deep)),
        format!("x{}", " & (x".repeat(deep)),
        format!("x{}", " -> x".repeat(deep)),
        format!("x{} < 3", " + x".repeat(deep)),
        format!("{}x < 3", "-".repeat(deep)),
        format!("f({}", "f(x,".repeat(deep)),
        "(".repeat(deep),
        "x & ".repeat(deep),
        "a: x\n".repeat(deep),
        "E[".repeat(deep),
        format!("x in {{{}", "1,".repeat(deep)),
        "`".repeat(deep),
        "\"".repeat(deep),
        "# c\n".repeat(deep),
        "let a = x\nlet x = a\n".repeat(deep / 10),
        "x $ ".repeat(deep),
        ")".repeat(deep),
    ];
    for text in texts {
        let parsed = parse_formulas(&Source::new("x", text));
        let printed = print::formulas(&parsed.tree);
        if parsed.diagnostics.is_empty() {
            let again = parse_formulas(&Source::new("x", printed.clone()));
            assert_eq!(print::formulas(&again.tree), printed);
        }
    }
}

/// Random trees are printed and parsed as the same trees.
#[test]
fn every_tree_is_read_back_from_its_text() {
    for seed in 0..3_000 {
        let mut random =
            Random { tree: FormulaFile::default(), dice: fastrand::Rng::with_seed(seed) };
        for _ in 0..3 {
            let body = random.formula(4);
            let name = random.dice.bool().then(|| Name {
                symbol: random.tree.names.intern(&format!("name {}", random.tree.items.len())),
                span: Span::default(),
            });
            let kind = match name {
                Some(_) if random.dice.u8(..4) == 0 => ItemKind::Definition,
                _ => ItemKind::Property,
            };
            random.tree.items.push(Item { span: Span::default(), kind, name, body });
        }
        let printed = print::formulas(&random.tree);
        let source = Source::new("x.ctl", printed.clone());
        let parsed = parse_formulas(&source);
        assert_eq!(show(&source, &parsed.diagnostics), "", "{printed}");
        assert_eq!(explicit(&parsed.tree), explicit(&random.tree), "{printed}");
        assert_eq!(print::formulas(&parsed.tree), printed);
    }
}

struct Random {
    tree: FormulaFile,
    dice: fastrand::Rng,
}

impl Random {
    fn push(&mut self, kind: FormulaKind) -> FormulaId {
        self.tree.nodes.push(FormulaNode { span: Span::default(), kind });
        FormulaId(u32::try_from(self.tree.nodes.len() - 1).expect("a small tree"))
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.dice.usize(..choices.len())]
    }

    fn name(&mut self) -> Name {
        let text =
            self.pick(&["x", "p", "in", "E", "U", "G", "last", "true", "a b", "`\\", "1", "é"]);
        Name { symbol: self.tree.names.intern(text), span: Span::default() }
    }

    fn variable(&mut self) -> FormulaId {
        let process = self.dice.bool().then(|| self.name());
        let name = self.name();
        self.push(FormulaKind::Variable(Path { process, name }))
    }

    fn constant(&mut self) -> FormulaId {
        let kind = match self.dice.u8(..3) {
            0 => FormulaKind::Constant(self.dice.bool()),
            1 => FormulaKind::Text(self.name().symbol),
            _ => return self.number(),
        };
        self.push(kind)
    }

    fn number(&mut self) -> FormulaId {
        let text = self.pick(&["0", "3", "-1", "1/3", "-5/2", "-9223372036854775808"]);
        self.push(FormulaKind::Number(Rational::parse(text).expect("a number")))
    }

    fn term(&mut self, depth: u8) -> FormulaId {
        if depth == 0 || self.dice.u8(..3) == 0 {
            let name = self.name();
            return match self.dice.u8(..4) {
                0 => self.number(),
                1 => {
                    let label = self.dice.bool().then(|| self.name());
                    self.push(FormulaKind::Count(name, label))
                }
                _ => self.variable(),
            };
        }
        match self.dice.u8(..4) {
            0 => {
                let operand = self.term(depth - 1);
                // The minus sign of a number is part of it.
                if matches!(self.tree.node(operand).kind, FormulaKind::Number(_)) {
                    return operand;
                }
                self.push(FormulaKind::Negative(operand))
            }
            1 => {
                let (number, term) = (self.number(), self.term(depth - 1));
                let (left, right) = if self.dice.bool() { (number, term) } else { (term, number) };
                self.push(FormulaKind::Arithmetic(Arithmetic::Multiply, left, right))
            }
            _ => {
                let operator = self.pick(&[Arithmetic::Add, Arithmetic::Subtract]);
                let (left, right) = (self.term(depth - 1), self.term(depth - 1));
                self.push(FormulaKind::Arithmetic(operator, left, right))
            }
        }
    }

    /// The processes of a quantifier.
    fn range(&mut self) -> Vec<Name> {
        let texts = ["n*", "*", "1*", "a*b*", "in*", "in", "p-*", "x", "12"];
        let count = self.dice.u8(..3);
        let name = |_| {
            let text = self.pick(&texts);
            Name { symbol: self.tree.names.intern(text), span: Span::default() }
        };
        (0..count).map(name).collect()
    }

    fn formula(&mut self, depth: u8) -> FormulaId {
        let quantifier = self.pick(&[Quantifier::Exists, Quantifier::All]);
        let choice = if depth == 0 { self.dice.u8(..5) } else { self.dice.u8(..14) };
        let kind = match choice {
            0 => return self.variable(),
            1 => FormulaKind::Constant(self.dice.bool()),
            2 => {
                let term = self.term(2);
                let members = (0..self.dice.u8(..3)).map(|_| self.constant()).collect();
                FormulaKind::Member(term, members)
            }
            3 | 4 => {
                let comparison = self.pick(&[
                    Comparison::Equal,
                    Comparison::Unequal,
                    Comparison::Less,
                    Comparison::AtMost,
                    Comparison::Greater,
                    Comparison::AtLeast,
                ]);
                let (left, right) = (self.term(2), self.term(2));
                FormulaKind::Compare(comparison, left, right)
            }
            5 => FormulaKind::Not(self.formula(depth - 1)),
            6 | 7 => {
                let modality = self.pick(&[Modality::Next, Modality::Finally, Modality::Globally]);
                FormulaKind::Temporal(quantifier, modality, self.formula(depth - 1))
            }
            8 => {
                let kind = self.pick(&[UntilKind::Until, UntilKind::Weak, UntilKind::Release]);
                let (left, right) = (self.formula(depth - 1), self.formula(depth - 1));
                FormulaKind::Until(quantifier, kind, left, right)
            }
            9 => {
                let name = self.name();
                let arguments = (0..self.dice.u8(..3)).map(|_| match self.dice.u8(..3) {
                    0 => self.term(1),
                    1 => self.constant(),
                    _ => self.formula(depth - 1),
                });
                let arguments = arguments.collect();
                FormulaKind::Call(name, arguments)
            }
            10 => {
                let names: Vec<Name> = (0..self.dice.u8(1..3)).map(|_| self.name()).collect();
                let distinct = names.len() > 1 && self.dice.bool();
                let binder = Binder { names, distinct, range: self.range() };
                let body = self.formula(depth - 1);
                FormulaKind::ForEach(quantifier, Box::new(binder), body)
            }
            11 => {
                let names = vec![self.name()];
                let binder = Binder { names, distinct: false, range: self.range() };
                let mut parts = vec![self.formula(depth - 1)];
                parts.extend((0..self.dice.u8(..3)).map(|_| self.variable()));
                FormulaKind::AtMostOne(Box::new(binder), parts)
            }
            _ => {
                let connective = self.pick(&[
                    Connective::And,
                    Connective::Or,
                    Connective::Implies,
                    Connective::Iff,
                ]);
                let (left, right) = (self.formula(depth - 1), self.formula(depth - 1));
                FormulaKind::Connective(connective, left, right)
            }
        };
        self.push(kind)
    }
}
