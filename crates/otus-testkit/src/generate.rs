//! Random texts, as proptest strategies.
//!
//! The strategies make texts rather than trees, because a user could have written every text, and a failure shrinks to a
//! readable one.

use proptest::prelude::*;

/// Names that need no quotes.
const PLAIN: [&str; 6] = ["a", "b", "c", "o", "seq", "été"];
/// Names that must be quoted, with characters that have a meaning in one of the formats.
const ODD: [&str; 14] = [
    r#""end""#,
    r#""user service""#,
    r#""a-b""#,
    r#""1""#,
    r#""x;y""#,
    r##""#quot;""##,
    r#""\"q\"""#,
    r#""\\n""#,
    r#""line\nbreak""#,
    r#"" lead ""#,
    r#""a:b""#,
    r#""->""#,
    r#""note over""#,
    r#""a,b""#,
];

/// A name, quoted if necessary.
pub fn name() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        12 => proptest::sample::select(&PLAIN[..]).prop_map(str::to_owned),
        1 => proptest::sample::select(&ODD[..]).prop_map(str::to_owned),
    ]
}

fn names() -> impl Strategy<Value = String> {
    proptest::collection::btree_set(name(), 1..3)
        .prop_map(|names| names.into_iter().collect::<Vec<_>>().join(","))
}

/// An interaction with every operator, spelling and leaf of the language.
pub fn interaction() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        1 => Just("o".to_owned()),
        1 => Just("∅".to_owned()),
        3 => (name(), name(), name()).prop_map(|(a, m, b)| format!("{a} -- {m} -> {b}")),
        1 => (name(), name()).prop_map(|(a, m)| format!("{a}--{m}->|")),
        1 => (name(), name()).prop_map(|(m, b)| format!("{m} -> {b}")),
        1 => (name(), name()).prop_map(|(a, m)| format!("{a}!{m}")),
        1 => (name(), name(), names()).prop_map(|(a, m, b)| format!("{a} -- {m} -> ({b})")),
        1 => (name(), names()).prop_map(|(m, b)| format!("{m} -> ({b})")),
        1 => (name(), name(), name())
            .prop_filter("a lifeline does not meet itself", |(a, _, b)| a != b)
            .prop_map(|(a, m, b)| format!("{a} -- <synch>{m} -> {b}")),
    ];
    leaf.prop_recursive(6, 40, 4, |inner| {
        let operands = proptest::collection::vec(inner.clone(), 1..4);
        let scheduling = prop_oneof![
            Just("strict".to_owned()),
            Just("seq".to_owned()),
            Just("par".to_owned()),
            Just("alt".to_owned()),
            names().prop_map(|names| format!("coreg({names})")),
            Just("coreg()".to_owned()),
        ];
        let repeating = prop_oneof![
            proptest::sample::select(
                &["loopS", "loopW", "loopP", "loop_strict", "loop_seq", "loop_par"][..]
            )
            .prop_map(str::to_owned),
            names().prop_map(|names| format!("loopC({names})")),
        ];
        prop_oneof![
            3 => (scheduling, operands)
                .prop_map(|(operator, operands)| format!("{operator}({})", operands.join(", "))),
            1 => (repeating, inner).prop_map(|(operator, body)| format!("{operator}({body})")),
        ]
    })
}

/// Variables of guards. Binders at the root declare all of them.
pub const VARIABLES: [&str; 4] = ["x", "y", "s", "least"];

/// A guard for a passing with the end `end`, or nothing.
fn guard(end: String) -> impl Strategy<Value = String> {
    let field = proptest::sample::select(
        &["k", "http.status", "\"a field\"", "\"b.c\"", "at", "in", "within", "items.id"][..],
    )
    .prop_map(str::to_owned);
    let (own, name) = (end.clone(), end.clone());
    let field =
        prop_oneof![3 => field.clone(), 1 => field.prop_map(move |field| format!("{own}.{field}"))];
    let variable = || proptest::sample::select(&VARIABLES[..]);
    let literal = || {
        proptest::sample::select(
            &[
                "0",
                "-3",
                "0.25",
                "1/3",
                "-7/12",
                "1e3",
                "9223372036854775807",
                "true",
                "false",
                "\"\"",
                "\"a\"",
                "\"x ] y\"",
                "\"q\\\"#;\"",
                "\"100%\"",
                "\"a [b = 1]\"",
            ][..],
        )
    };
    let duration = || {
        proptest::sample::select(&["2s", "150ms", "0.5s", "1/4h", "90min", "7us", "1d", "3 s"][..])
    };
    let relation = proptest::sample::select(&["=", "==", "!=", "<", "<=", ">", ">="][..]);
    let offset = prop_oneof![
        3 => Just(String::new()),
        1 => Just(" + 1".to_owned()),
        1 => Just("-0.5".to_owned()),
        1 => duration().prop_map(|duration| format!(" - {duration}")),
    ];
    let operand = prop_oneof![
        literal().prop_map(str::to_owned),
        (variable(), offset).prop_map(|(variable, offset)| format!("{variable}{offset}")),
    ];
    let atom = prop_oneof![
        4 => (field.clone(), relation, operand).prop_map(|(f, r, v)| format!("{f} {r} {v}")),
        1 => (field.clone(), proptest::collection::vec(literal(), 1..3))
            .prop_map(|(f, values)| format!("{f} in {{{}}}", values.join(","))),
        1 => field.prop_map(|f| format!("{f} ~ \"p/*\"")),
        1 => proptest::sample::select(&["=k", "=http.id", "=\"b.c\""][..]).prop_map(str::to_owned),
        1 => (Just(end.clone()), variable()).prop_map(|(l, s)| format!("{l} at {s}")),
        1 => (Just(end.clone()), duration(), variable())
            .prop_map(|(l, d, s)| format!("{l} within {d} of {s}")),
        1 => (Just(end), duration(), variable())
            .prop_map(|(l, d, s)| format!("{l} at least {d} after {s}")),
    ];
    proptest::collection::btree_set(atom, 1..4).prop_map(move |atoms| {
        // No end has an atom twice, once by itself and once with the other end.
        let own = format!("{name}.");
        let plain = |atom: &String| atom.strip_prefix(&own).unwrap_or(atom).to_owned();
        let mut seen = std::collections::BTreeSet::new();
        let atoms: Vec<String> =
            atoms.into_iter().filter(|atom| seen.insert(plain(atom))).collect();
        format!("[{}]", atoms.join(", "))
    })
}

/// An interaction with guards and binders besides all that [`interaction`] has. Each variable of [`VARIABLES`] is
/// declared around it.
pub fn valued_interaction() -> impl Strategy<Value = String> {
    let guarded = |end: String| (Just(end.clone()), guard(end));
    let leaf = prop_oneof![
        1 => Just("o".to_owned()),
        4 => (name().prop_flat_map(guarded), name(), name())
            .prop_map(|((a, g), m, b)| format!("{a} -- {m}{g} -> {b}")),
        2 => (name().prop_flat_map(guarded), name(), name())
            .prop_map(|((b, g), m, a)| format!("{a} -- {m}{g} -> {b}")),
        1 => (name().prop_flat_map(guarded), name()).prop_map(|((a, g), m)| format!("{a}!{m}{g}")),
        1 => (name().prop_flat_map(guarded), name()).prop_map(|((a, g), m)| format!("{m}{g} -> {a}")),
        2 => (name().prop_flat_map(guarded), name(), names())
            .prop_map(|((a, g), m, b)| format!("{a} -- {m}{g} -> ({b})")),
        1 => (name().prop_flat_map(guarded), name(), name())
            .prop_filter("a lifeline does not meet itself", |((a, _), _, b)| a != b)
            .prop_map(|((a, g), m, b)| format!("{a} -- <synch>{m}{g} -> {b}")),
    ];
    let inside = leaf.prop_recursive(5, 24, 3, |inner| {
        let operands = proptest::collection::vec(inner.clone(), 1..4);
        let operator = proptest::sample::select(&["strict", "seq", "par", "alt"][..]);
        let binder = proptest::sample::select(
            &[
                "new(z1)",
                "new(z2, z3)",
                "loopP",
                "loopW(fresh z4)",
                "loopP(fresh z5, z6)",
                "loopS(fresh z7)",
                "loopC(fresh z9)",
            ][..],
        );
        prop_oneof![
            3 => (operator, operands)
                .prop_map(|(operator, operands)| format!("{operator}({})", operands.join(", "))),
            1 => (binder, inner).prop_map(|(binder, body)| {
                // No binder declares a variable of one around it.
                let body = if body.contains(binder) { body.replace(binder, "loopW") } else { body };
                format!("{binder}({body})")
            }),
        ]
    });
    inside.prop_map(|body| format!("new({})({body})", VARIABLES.join(", ")))
}

/// The same text with white space and comments between its tokens.
pub fn spaced(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let gaps = proptest::collection::vec(
        proptest::sample::select(
            &["", " ", "\n", "\t \r\n", " /* c */ ", "// l\n", "\n/* own */\n"][..],
        ),
        1..12,
    );
    (text, gaps).prop_map(|(text, gaps)| {
        let mut out = String::new();
        let mut gap = gaps.iter().cycle();
        let mut quoted = false;
        let mut before = ' ';
        for c in text.chars() {
            quoted ^= c == '"' && before != '\\';
            out.push(c);
            // A gap is always allowed after punctuation.
            if !quoted && "(),;{}[]".contains(c) {
                out.push_str(gap.next().map_or("", |gap| gap));
            }
            before = if before == '\\' { ' ' } else { c };
        }
        out
    })
}

/// A multi-trace in any of its forms.
pub fn trace() -> impl Strategy<Value = String> {
    let action = (name(), prop_oneof![Just('!'), Just('?')], name())
        .prop_map(|(l, d, m)| format!("{l}{d}{m}"));
    let step = prop_oneof![
        5 => action.clone(),
        1 => proptest::collection::vec(action, 2..4)
            .prop_map(|actions| format!("{{{}}}", actions.join(","))),
    ];
    let sequence = proptest::collection::vec(step, 0..6).prop_map(|steps| steps.join("."));
    let lifelines = prop_oneof![Just("#all".to_owned()), Just("#any".to_owned()), names()];
    let component = (lifelines, sequence).prop_map(|(l, s)| format!("[{l}] {s}"));
    (proptest::collection::vec(component, 0..4), any::<bool>()).prop_map(|(components, braces)| {
        let text = components.join(";");
        if braces { format!("{{{text}}}") } else { text }
    })
}
