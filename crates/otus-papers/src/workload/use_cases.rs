//! The four use cases of the removal paper (Appendix C).
//!
//! From each model: accepted multi-traces (ACPT), random multi-prefixes of each (PREF), and of each
//! prefix a mutant with a random action inserted (NOIS), one with two actions of a component swapped
//! (SACT) and one with some components of another prefix (SCMP).

use std::fmt::Write as _;

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Filters};
use otus_analysis::generate;
use otus_core::EventId;
use otus_syntax::options::Generation;
use otus_trace::transform::{derive_seed, prefixes};
use otus_trace::{MultiTrace, Partition};

use super::Model;
use super::model::{ABP, BOOK, NETWORK, SENSOR, Texts};
use super::sets::{Class, Known, mutants};
use crate::setting::Setting;

/// One use case and how it is exercised.
#[derive(Debug, Clone, Copy)]
pub struct UseCase {
    /// The figure it is in.
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// How multi-traces are made, in words.
    pub made: &'static str,
    texts: Texts,
    accepted: Accepted,
    /// Of each accepted multi-trace.
    prefixes: usize,
}

/// Where accepted multi-traces come from.
#[derive(Debug, Clone, Copy)]
enum Accepted {
    /// All executions with so many loop instances.
    Explored { loops: u64 },
    /// So many random ones of at most a length: in a quick run, and in a full one.
    Random { count: [usize; 2], length: [usize; 2] },
}

/// All of them.
pub const USE_CASES: [UseCase; 4] = [
    UseCase {
        id: "000-fig9",
        title: "ordering a book",
        made: "all executions with at most 2 loop instances, 5 prefixes of each",
        texts: BOOK,
        accepted: Accepted::Explored { loops: 2 },
        prefixes: 5,
    },
    UseCase {
        id: "000-fig10",
        title: "querying sensors",
        made: "random executions, 3 prefixes of each",
        texts: SENSOR,
        accepted: Accepted::Random { count: [400, 2000], length: [60, 200] },
        prefixes: 3,
    },
    UseCase {
        id: "000-fig11",
        title: "the alternating bit protocol",
        made: "random executions, 5 prefixes of each",
        texts: ABP,
        accepted: Accepted::Random { count: [400, 2000], length: [60, 200] },
        prefixes: 5,
    },
    UseCase {
        id: "000-fig12",
        title: "uploading to a server",
        made: "random executions, 5 prefixes of each",
        texts: NETWORK,
        accepted: Accepted::Random { count: [400, 2000], length: [50, 100] },
        prefixes: 5,
    },
];

impl UseCase {
    /// Its model.
    pub fn model(&self) -> Model {
        Model::new(self.texts)
    }

    /// The same with every passing of a message as two actions that nothing orders.
    pub fn loose(&self) -> Model {
        Model::new((self.texts.0, &loosened(self.texts.1)))
    }

    /// Its five sets. Names of messages that mutants bring are added to the model.
    pub fn classes(&self, model: &mut Model, setting: Setting) -> Vec<Class> {
        let seed = setting.seed;
        let partition = Partition::discrete(model.pool.signature().lifeline_count());
        let mut accepted = model.observed(&partition, &self.accepted(model, setting));
        accepted.truncate(setting.pick(8, usize::MAX, usize::MAX));
        let cut = accepted.iter().enumerate().flat_map(|(i, trace)| {
            let cuts = prefixes(trace);
            let seed = derive_seed(seed, &["prefix", &i.to_string()]);
            cuts.sample(seed).take(self.prefixes).map(|cut| cut.trace).collect::<Vec<_>>()
        });
        let prefixes: Vec<MultiTrace> = cut.collect();
        let [noisy, swapped, mixed] = mutants(model, &prefixes, seed);
        vec![
            Class { name: "ACPT", traces: accepted, known: Known::Accepted },
            Class { name: "PREF", traces: prefixes, known: Known::Part },
            Class { name: "NOIS", traces: noisy, known: Known::Mutant },
            Class { name: "SACT", traces: swapped, known: Known::Mutant },
            Class { name: "SCMP", traces: mixed, known: Known::Mutant },
        ]
    }

    /// Accepted global traces. They are made with a copy of the pool, so that analyses meet terms for
    /// the first time.
    fn accepted(&self, model: &Model, setting: Setting) -> Vec<Vec<EventId>> {
        let mut pool = model.pool.clone();
        match self.accepted {
            Accepted::Explored { loops } => {
                let config = Config {
                    filters: Filters { loop_depth: Some(loops), ..Filters::default() },
                    budget: Budget { max_states: Some(1_000_000), ..Budget::default() },
                    ..Config::default()
                };
                let mut traces =
                    generate::explored(&mut pool, model.term, &config, Generation::Exact);
                fastrand::Rng::with_seed(setting.seed).shuffle(&mut traces);
                traces
            }
            Accepted::Random { count, length } => {
                let count = setting.pick(8, count[0], count[1]);
                let length = setting.pick(30, length[0], length[1]);
                generate::random(&mut pool, model.term, count, length, setting.seed)
            }
        }
    }
}

/// `a -- <synch> m -> b` as `seq(a!m, b?m)`, whose actions are of different lifelines and so in no order.
fn loosened(interaction: &str) -> String {
    const PASSES: &str = " -- <synch> ";
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = interaction;
    while let Some(at) = rest.find(PASSES) {
        let begin = rest[..at].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
        let (from, after) = (&rest[begin..at], &rest[at + PASSES.len()..]);
        let Some((message, after)) = after.split_once(" -> ") else { break };
        let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
        out.push_str(&rest[..begin]);
        let _ = write!(out, "seq({from}!{message}, {}?{message})", &after[..end]);
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loosened_messages_order_nothing() {
        let check = |text: &str, expected: &str| assert_eq!(loosened(text), expected);
        check("loopS(seq(a -- <synch> m -> b, d -> S))", "loopS(seq(seq(a!m, b?m), d -> S))");
        check("a -- <synch> m_1 -> b", "seq(a!m_1, b?m_1)");
        check("a -- m -> b", "a -- m -> b");
        for case in USE_CASES {
            assert!(!loosened(case.texts.1).contains("synch"), "{}", case.title);
            case.loose();
        }
    }
}
