//! Harder formulas: those that mention every process.
//!
//! Over a property of each process, `p_i`:
//!
//! - *conjunctive*: `EF(p_0 & … & p_n)`, all at once, possibly; `AG` of its negation asks the same;
//! - *disjunctive*: `EF` and `AF(p_0 | … | p_n)`, and `AG(p_0 | … | p_n)`: always somebody;
//! - *pairs*: no two at a time; and one of each two neighbours, which is not conjunctive and does not come apart;
//! - *response*: `AG(p_i -> AF q_i)` for all i, which comes apart into one part for each, and
//!   `AG((p_0 & … ) -> AF(q_0 & …))`, which does not.

use otus_papers::protocol::Protocol;

/// A formula with a name.
pub(super) type Named = (&'static str, String);

/// Formulas over all processes of a protocol.
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
                ("somebody gets in", format!("AF({})", join(processes, " | ", inside))),
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
        ("somebody eats", format!("AF({})", join(n, " | ", eats))),
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

/// Formulas over all processes of gossip.
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

/// Sooner or later no process of gossip has the greatest value.
pub(super) fn unavoidable(n: usize) -> String {
    format!("AF({})", join(n, " & ", |i| format!("v{i} < 9")))
}

fn join(n: usize, connective: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| format!("({})", part(i))).collect::<Vec<_>>().join(connective)
}

fn responses(n: usize, p: impl Fn(usize) -> String, q: impl Fn(usize) -> String) -> String {
    join(n, " & ", |i| format!("AG(({}) -> AF({}))", p(i), q(i)))
}

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
    use crate::ctl::ask::{Way, ask};

    const SMALL: [(Protocol, usize); 5] = [
        (Protocol::Peterson, 2),
        (Protocol::AlternatingBit, 2),
        (Protocol::PetersonN, 3),
        (Protocol::Philosophers, 3),
        (Protocol::Philosophers, 4),
    ];

    #[test]
    fn no_end_of_observation_leaves_a_message_without_its_receipt() {
        for seed in 0..20 {
            for events in 0..150 {
                let trace = Protocol::AlternatingBit.trace(2, events, seed);
                let found = ask(&trace, Protocol::AlternatingBit.formula(), Way::INTERVAL);
                assert_eq!(found.holds(), "yes", "seed {seed}, {events} events");
            }
        }
    }

    #[test]
    fn protocols_keep_what_they_promise_and_engines_agree() {
        for (protocol, processes) in SMALL {
            for seed in 0..10 {
                let trace = protocol.trace(processes, 60, seed);
                let mut formulas = vec![("paper", protocol.formula().to_owned())];
                formulas.extend(of_protocol(protocol, processes));
                for (name, formula) in formulas {
                    let auto = ask(&trace, &formula, Way::AUTO);
                    let wanted = ["paper", "never two inside", "no neighbours eat"];
                    assert!(!wanted.contains(&name) || auto.holds() == "yes", "{formula}");
                    for way in [Way::WHOLE, Way::EXPLICIT, Way::IST, Way::FIXPOINT] {
                        let other = ask(&trace, &formula, way);
                        assert_eq!(other.holds(), auto.holds(), "{}: {formula}", way.name);
                    }
                }
            }
        }
    }
}
