//! Formulas that mention every process, which are harder than the paper's.
//!
//! Over a property `p_i` of each process:
//!
//! - *conjunctive*: `EF(p_0 & … & p_n)`; `AG` of its negation asks the same;
//! - *disjunctive*: `EF`, `AF` and `AG` of `p_0 | … | p_n`;
//! - *pairs*: no two processes at a time; and one of every two neighbours, which is neither conjunctive nor decomposes;
//! - *response*: `AG(p_i -> AF q_i)` for all i, which decomposes into one part for each i, and
//!   `AG((p_0 & … ) -> AF(q_0 & …))`, which does not.

use otus_papers::protocol::Protocol;

pub(super) type Named = (&'static str, String);

pub(super) fn of_protocol(protocol: Protocol, processes: usize) -> Vec<Named> {
    match protocol {
        Protocol::Peterson | Protocol::PetersonN => {
            let is_general = protocol == Protocol::PetersonN;
            let waiting =
                |i: usize| if is_general { format!("level{i} > 0") } else { format!("flag{i}") };
            let inside = |i: usize| format!("in{i}");
            vec![
                ("never two inside", never_two(processes, inside)),
                ("all wait at once", format!("EF({})", join(processes, " & ", waiting))),
                ("each gets in", responses(processes, waiting, inside)),
                ("one gets in", format!("AF({})", join(processes, " | ", inside))),
            ]
        }
        Protocol::AlternatingBit => vec![
            ("at most one ahead", "AG(sent_msg = received_msg | received_msg = sent_ack)".into()),
            (
                "each bit arrives",
                responses(2, |i| format!("sent_msg = {i}"), |i| format!("received_msg = {i}")),
            ),
            (
                "each bit is acknowledged",
                responses(2, |i| format!("sent_msg = {i}"), |i| format!("received_ack = {i}")),
            ),
        ],
        Protocol::Philosophers => philosophers(processes),
    }
}

fn philosophers(n: usize) -> Vec<Named> {
    let eats = |i: usize| format!("state{i} = eat");
    let hungry = |i: usize| format!("state{i} = hungry");
    let together = |i: usize| format!("!(state{i} = eat & state{} = eat)", (i + 1) % n);
    let stays = |i: usize| {
        let left = (i + n - 1) % n;
        format!(
            "(state{i} = eat -> (AG(state{i} = eat) | A[state{left} != eat U state{i} != eat]))"
        )
    };
    vec![
        ("no neighbours eat", format!("AG({})", join(n, " & ", together))),
        (
            "one of each two eats",
            format!(
                "EF({})",
                join(n, " & ", |i| format!("state{i} = eat | state{} = eat", (i + 1) % n))
            ),
        ),
        ("the paper's, for all", format!("AG({})", join(n, " & ", stays))),
        ("all hungry", format!("EF({})", join(n, " & ", hungry))),
        ("one eats", format!("AF({})", join(n, " | ", eats))),
        (
            "all hungry, then one eats",
            format!("AG(({}) -> AF({}))", join(n, " & ", hungry), join(n, " | ", eats)),
        ),
        ("each eats", responses(n, hungry, eats)),
        (
            "hungry until one eats",
            format!(
                "E[({}) U ({})]",
                join(n, " & ", |i| format!("state{i} != eat")),
                join(n, " | ", eats)
            ),
        ),
    ]
}

pub(super) fn of_gossip(n: usize) -> Vec<Named> {
    let all = |test: &str| join(n, " & ", |i| format!("v{i} {test}"));
    let some = |test: &str| join(n, " | ", |i| format!("v{i} {test}"));
    vec![
        ("conjunctive", format!("EF({})", all("= 9"))),
        ("conjunctive, half of the values", format!("EF({})", all("> 4"))),
        ("conjunctive, never", format!("EF({} & v0 = 10)", all("= 9"))),
        ("disjunctive", format!("AG({})", some("< 9"))),
        ("unavoidable", unavoidable(n)),
        ("response", format!("AG(({}) -> AF({}))", all("> 4"), some("= 0"))),
        ("responses", responses(n, |i| format!("v{i} = 0"), |i| format!("v{i} = 9"))),
    ]
}

/// Every run reaches a cut at which no process of gossip has the greatest value.
pub(super) fn unavoidable(n: usize) -> String {
    format!("AF({})", join(n, " & ", |i| format!("v{i} < 9")))
}

fn join(n: usize, connective: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| format!("({})", part(i))).collect::<Vec<_>>().join(connective)
}

/// For every process, `p` is always followed by `q`.
fn responses(n: usize, p: impl Fn(usize) -> String, q: impl Fn(usize) -> String) -> String {
    join(n, " & ", |i| format!("AG(({}) -> AF({}))", p(i), q(i)))
}

/// No two processes have `p` at the same time.
fn never_two(n: usize, p: impl Fn(usize) -> String) -> String {
    let all: Vec<String> = (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
        .map(|(i, j)| format!("!({} & {})", p(i), p(j)))
        .collect();
    format!("AG({})", all.join(" & "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctl::check;
    use otus_papers::ctl::Method;

    #[test]
    fn the_end_of_a_trace_leaves_no_message_unreceived() {
        for seed in 0..20 {
            for events in 0..150 {
                let trace = Protocol::AlternatingBit.trace(2, events, seed);
                let found = check(&trace, Protocol::AlternatingBit.formula(), Method::INTERVAL);
                assert_eq!(found.holds(), Some(true), "seed {seed}, {events} events");
            }
        }
    }

    #[test]
    fn protocols_keep_what_they_promise_and_engines_agree() {
        for (protocol, processes) in Protocol::SMALL {
            for seed in 0..10 {
                let trace = protocol.trace(processes, 60, seed);
                let mut formulas = vec![("paper", protocol.formula().to_owned())];
                formulas.extend(of_protocol(protocol, processes));
                for (name, formula) in formulas {
                    let auto = check(&trace, &formula, Method::AUTO).holds();
                    assert!(auto.is_some(), "{formula}");
                    let wanted = ["paper", "never two inside", "no neighbours eat"];
                    assert!(!wanted.contains(&name) || auto == Some(true), "{formula}");
                    for method in [
                        Method::INTERVAL_WHOLE,
                        Method::EXPLICIT,
                        Method::IST,
                        Method::IST_FIXPOINT,
                    ] {
                        let other = check(&trace, &formula, method).holds();
                        assert_eq!(other, auto, "{}: {formula}", method.name);
                    }
                }
            }
        }
    }
}
