//! Export of automata: DOT for Graphviz, JSON for programs.

use std::fmt::Write as _;

use super::{Automaton, SymbolId};
use crate::pool::Pool;

/// The automaton in the DOT language.
///
/// Accepting states have two rings, a dot points at the initial state, and all transitions between two
/// states are one arrow. A cut state is dashed and has a dashed arrow to "…". The term of a state is its
/// tooltip.
///
/// The pool must be the one of the term that the automaton was built from.
pub fn dot(automaton: &Automaton, pool: &Pool) -> String {
    let mut out = String::from("digraph automaton {\n");
    out.push_str("  rankdir=LR;\n  node [shape=circle];\n");
    out.push_str("  begin [shape=point, label=\"\"];\n  begin -> 0;\n");
    for (id, state) in automaton.states.iter_with_ids() {
        let shape = if state.accepting { "doublecircle" } else { "circle" };
        let _ = write!(out, "  {} [shape={shape}", id.0);
        if state.cut {
            out.push_str(", style=dashed");
        }
        // States share sub-terms, so the texts of all terms can be much larger than the pool.
        let tip = state.term.filter(|&term| pool.attributes(term).nodes <= TOOLTIP_NODES);
        if let Some(term) = tip {
            let _ = write!(out, ", tooltip={}", quoted_dot(&pool.text(term)));
        }
        out.push_str("];\n");
    }
    for edge in automaton.edges() {
        let label = labels(automaton, pool, &edge.symbols).join("\n");
        let _ = writeln!(out, "  {} -> {} [label={}];", edge.from.0, edge.to.0, quoted_dot(&label));
    }
    for (id, _) in automaton.states.iter_with_ids().filter(|(_, state)| state.cut) {
        let id = id.0;
        let _ = writeln!(out, "  more{id} [shape=plaintext, label=\"…\"];");
        let _ = writeln!(out, "  {id} -> more{id} [style=dashed];");
    }
    out.push_str("}\n");
    out
}

/// The automaton as a JSON object: `complete`, `alphabet` (texts), `states` (`accepting`, `cut`, by
/// number, the first is initial) and `transitions` (from, index into the alphabet, to).
///
/// The pool must be the one of the term that the automaton was built from.
pub fn json(automaton: &Automaton, pool: &Pool) -> String {
    let symbols: Vec<SymbolId> = automaton.alphabet.ids().collect();
    let alphabet = labels(automaton, pool, &symbols);
    let alphabet = alphabet.iter().map(|label| quoted_json(label));
    let states = automaton
        .states
        .iter()
        .map(|state| format!("{{\"accepting\":{},\"cut\":{}}}", state.accepting, state.cut));
    let transitions = automaton
        .transitions
        .iter()
        .map(|each| format!("[{},{},{}]", each.from.0, each.symbol.0, each.to.0));
    format!(
        "{{\"complete\":{},\n\"alphabet\":{},\n\"states\":{},\n\"transitions\":{}}}\n",
        automaton.is_complete(),
        list(alphabet),
        list(states),
        list(transitions)
    )
}

/// The largest term that is shown as a tooltip.
const TOOLTIP_NODES: u64 = 200;

fn labels(automaton: &Automaton, pool: &Pool, symbols: &[SymbolId]) -> Vec<String> {
    symbols.iter().map(|&symbol| automaton.label(pool, symbol)).collect()
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// Graphviz reads `\"` as a quote, `\\` as a backslash and `\n` as a line break in labels.
fn quoted_dot(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", text.replace(char::is_control, " "))
}

fn quoted_json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::{AutomatonLimits, build, determinize, minimize};
    use super::*;
    use crate::sample::interaction;

    const PUBLISH_SUBSCRIBE: &str = "seq(
        loopS(pub -- publish -> bro),
        sub -- subscribe -> bro,
        loopS(seq(pub -- publish -> bro, bro -- publish -> sub)))";

    #[track_caller]
    fn check(text: &str, limits: AutomatonLimits, expected: &Expect) {
        let (mut pool, term) = interaction(text);
        let any = build(&mut pool, term, limits);
        let least = minimize(&determinize(&any, limits));
        expected.assert_eq(&dot(&least, &pool));
    }

    #[test]
    fn letters_between_two_states_share_an_arrow() {
        check(
            "loopS(alt(a!m, b!m, a -- <synch> n -> b))",
            AutomatonLimits::default(),
            &expect![[r#"
            digraph automaton {
              rankdir=LR;
              node [shape=circle];
              begin [shape=point, label=""];
              begin -> 0;
              0 [shape=doublecircle, tooltip="loopS(alt(a!m, alt(b!m, {a!n, b?n})))"];
              0 -> 0 [label="a!m\n{a!n, b?n}\nb!m"];
            }
        "#]],
        );
    }

    #[test]
    fn what_is_cut_says_so() {
        check(
            "loopW(seq(a!m, b!m))",
            AutomatonLimits { states: 3, ..AutomatonLimits::default() },
            &expect![[r#"
            digraph automaton {
              rankdir=LR;
              node [shape=circle];
              begin [shape=point, label=""];
              begin -> 0;
              0 [shape=doublecircle, tooltip="loopW(par(a!m, b!m))"];
              1 [shape=circle, style=dashed, tooltip="seq(b!m, loopW(par(a!m, b!m)))"];
              2 [shape=circle, style=dashed, tooltip="seq(a!m, loopW(par(a!m, b!m)))"];
              0 -> 1 [label="a!m"];
              0 -> 2 [label="b!m"];
              1 -> 0 [label="b!m"];
              2 -> 0 [label="a!m"];
              more1 [shape=plaintext, label="…"];
              1 -> more1 [style=dashed];
              more2 [shape=plaintext, label="…"];
              2 -> more2 [style=dashed];
            }
        "#]],
        );
    }

    #[test]
    fn names_of_any_kind_are_quoted() {
        check(
            r#""a\"b\\"!"m\nn""#,
            AutomatonLimits::default(),
            &expect![[r#"
            digraph automaton {
              rankdir=LR;
              node [shape=circle];
              begin [shape=point, label=""];
              begin -> 0;
              0 [shape=circle, tooltip="a\"b\\!m\nn"];
              1 [shape=doublecircle, tooltip="∅"];
              0 -> 1 [label="a\"b\\!m\nn"];
            }
        "#]],
        );
    }

    #[test]
    fn publish_and_subscribe() {
        // Figure 1c of the removal paper.
        check(
            PUBLISH_SUBSCRIBE,
            AutomatonLimits::default(),
            &expect![[r#"
            digraph automaton {
              rankdir=LR;
              node [shape=circle];
              begin [shape=point, label=""];
              begin -> 0;
              0 [shape=circle, tooltip="seq(loopS(strict(pub!publish, bro?publish)), seq(strict(sub!subscribe, bro?subscribe), loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish)))))"];
              1 [shape=circle];
              2 [shape=circle, tooltip="seq(loopS(strict(pub!publish, bro?publish)), seq(bro?subscribe, loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish)))))"];
              3 [shape=circle, tooltip="seq(bro?publish, seq(strict(sub!subscribe, bro?subscribe), strict(seq(bro?publish, strict(bro!publish, sub?publish)), loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish))))))"];
              4 [shape=circle];
              5 [shape=doublecircle, tooltip="loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish)))"];
              6 [shape=circle, tooltip="seq(strict(sub!subscribe, bro?subscribe), strict(seq(bro?publish, strict(bro!publish, sub?publish)), loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish)))))"];
              7 [shape=circle, tooltip="seq(bro?publish, seq(bro?subscribe, strict(seq(bro?publish, strict(bro!publish, sub?publish)), loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish))))))"];
              8 [shape=circle, tooltip="strict(seq(bro?publish, strict(bro!publish, sub?publish)), loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish))))"];
              9 [shape=circle, tooltip="seq(bro?subscribe, strict(seq(bro?publish, strict(bro!publish, sub?publish)), loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish)))))"];
              10 [shape=circle, tooltip="strict(bro!publish, strict(sub?publish, loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish)))))"];
              11 [shape=circle, tooltip="strict(sub?publish, loopS(seq(strict(pub!publish, bro?publish), strict(bro!publish, sub?publish))))"];
              0 -> 1 [label="pub!publish"];
              0 -> 2 [label="sub!subscribe"];
              1 -> 0 [label="bro?publish"];
              1 -> 3 [label="pub!publish"];
              1 -> 4 [label="sub!subscribe"];
              2 -> 4 [label="pub!publish"];
              2 -> 5 [label="bro?subscribe"];
              3 -> 6 [label="bro?publish"];
              3 -> 7 [label="sub!subscribe"];
              4 -> 2 [label="bro?publish"];
              4 -> 7 [label="pub!publish"];
              4 -> 8 [label="bro?subscribe"];
              5 -> 8 [label="pub!publish"];
              6 -> 9 [label="sub!subscribe"];
              7 -> 9 [label="bro?publish"];
              8 -> 10 [label="bro?publish"];
              9 -> 8 [label="bro?subscribe"];
              10 -> 11 [label="bro!publish"];
              11 -> 5 [label="sub?publish"];
            }
        "#]],
        );
    }

    #[test]
    fn json_has_the_same() {
        let (mut pool, term) = interaction("loopS(a -- m -> b)");
        let any = build(&mut pool, term, AutomatonLimits::default());
        expect![[r#"
            {"complete":true,
            "alphabet":["a!m","b?m"],
            "states":[{"accepting":true,"cut":false},{"accepting":false,"cut":false}],
            "transitions":[[0,0,1],[1,1,0]]}
        "#]]
        .assert_eq(&json(&any, &pool));
    }
}
